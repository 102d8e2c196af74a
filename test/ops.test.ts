/**
 * The files that operators copy from `ops/`: every metric and label that it names is one that a running service has,
 * every alarm has its entry in docs/alarms.md, and the rules do what their own tests say (with promtool, where there is
 * one). e2e/alarms.long.test.ts makes the cause of each alarm.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { registerShards } from "../src/observe/shards.ts";
import { findPromtool } from "./kit/servers/prometheus.ts";
import { createTestApp } from "./kit/world/app-under-test.ts";
import { SECONDS_TO_STOP, SETTINGS } from "./deployment.ts";
import { ROOT, listAnchors } from "./doc-pages.ts";

const RULES = ["recording.yml", "alarms.yml"].map((name) => `ops/prometheus/${name}`);
const DASHBOARD = "ops/grafana/bellwire.json";
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Labels that Prometheus itself puts on, and the one of buckets. */
const PROMETHEUS_LABELS = ["job", "instance", "le"];

/** Of kube-state-metrics, as its documents declare them. */
const CRON = ["namespace", "cronjob"];

/** Labels by metric, as the service declares them. */
let declared: ReadonlyMap<string, readonly string[]>;

before(async () => {
  await using running = await createTestApp();
  // Where accounts are in several shards there are these too.
  const noShards = { list: () => [], follow: () => {}, count: () => Promise.resolve(), nowMs: () => 0 };
  registerShards(running.app.metrics, noShards);
  // The types do not say so, but every metric of prom-client knows its labels.
  const metrics = running.app.metrics.registry.getMetricsAsArray() as unknown as readonly {
    readonly name: string;
    readonly type: string;
    readonly labelNames: readonly string[];
  }[];
  const entries = metrics.flatMap(({ name, type, labelNames }): [string, readonly string[]][] => {
    const names = type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name];
    return names.map((each) => [each, labelNames]);
  });
  declared = new Map([
    ...entries,
    ["up", []],
    ["kube_cronjob_status_last_successful_time", CRON],
    ["kube_cronjob_created", CRON],
  ]);
});

interface Use {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Metrics with the labels that select them. A metric that a recording rule makes has colons in its name. */
function usesIn(text: string): Use[] {
  const names = /(?<![\w:])((?:bellwire|nodejs|process|kube)_\w+|up)(?![\w:(])(?:\{([^}]*)\})?/g;
  return [...text.matchAll(names)].map(([, metric = "", selector = ""]) => ({
    metric,
    labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label),
  }));
}

/** Labels that figures are added up, joined or shown by. */
function groupingsIn(text: string): string[] {
  const lists = [...text.matchAll(/\b(?:by|on|group_left)\s*\(([\w, ]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(","),
  );
  const shown = [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = ""]) => label);
  return [...lists, ...shown].map((label) => label.trim()).filter((label) => label !== "");
}

function findFaults(text: string): string[] {
  const all = new Set([...PROMETHEUS_LABELS, ...[...declared.values()].flat()]);
  const unknown = groupingsIn(text).filter((label) => !all.has(label));
  const wrong = usesIn(text).flatMap(({ metric, labels }) => {
    const own = declared.get(metric);
    if (own === undefined) return [`there is no metric ${metric}`];
    const foreign = labels.filter((label) => !own.includes(label) && !PROMETHEUS_LABELS.includes(label));
    return foreign.map((label) => `${metric} has no label ${label}`);
  });
  return [...wrong, ...unknown.map((label) => `no metric has a label ${label}`)];
}

/** The query for Prometheus, without the words around it. */
const expressionsIn = (rules: string): string[] =>
  [...rules.matchAll(/^ +expr: (?:>-\n)?([\s\S]*?)(?=\n +(?:for|labels|- |annotations)|\n\n|$(?![\s\S]))/gm)].map(
    ([, expression = ""]) => expression,
  );

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr?: string }[] };
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const dashboard = JSON.parse(read(DASHBOARD)) as Dashboard;

describe("names only metrics and labels that a running service has", () => {
  for (const path of RULES) {
    test(path, () => {
      const expressions = expressionsIn(read(path));
      assert.equal(expressions.length, read(path).match(/^ +expr:/gm)?.length);
      assert.deepEqual(expressions.flatMap(findFaults), []);
    });
  }

  test(DASHBOARD, () => {
    const targets = dashboard.panels.flatMap(({ targets: each = [] }) => each);
    const texts = [
      ...targets.flatMap(({ expr, legendFormat }) => [expr, legendFormat]),
      ...dashboard.annotations.list.flatMap(({ expr = "" }) => expr),
      ...dashboard.templating.list.flatMap(({ definition = "" }) => definition),
    ];
    assert.ok(texts.flatMap(usesIn).length > 40);
    assert.deepEqual(texts.flatMap(findFaults), []);
  });

  test("and notices those that it has not", () => {
    assert.deepEqual(findFaults('rate(bellwire_nothing_total{job="a"}[5m])'), [
      "there is no metric bellwire_nothing_total",
    ]);
    assert.deepEqual(findFaults('sum(bellwire_destinations{state="on"})'), [
      "bellwire_destinations has no label state",
    ]);
    assert.deepEqual(findFaults("sum by (job, colour) (up)"), ["no metric has a label colour"]);
    assert.deepEqual(findFaults("bellwire_commit_seconds"), ["there is no metric bellwire_commit_seconds"]);
  });
});

test("what alarms and other rules take from recording rules is recorded", () => {
  const recorded = new Set(
    [...read("ops/prometheus/recording.yml").matchAll(/- record: (\S+)/g)].map(([, name]) => name),
  );
  const used = RULES.flatMap((path) => expressionsIn(read(path)).flatMap((text) => text.match(/\b\w+:\w+:\w+/g) ?? []));
  assert.ok(used.length > 5);
  assert.deepEqual(
    used.filter((name) => !recorded.has(name)),
    [],
  );
});

test("each alarm has its entry in docs/alarms.md, and each entry its alarm", () => {
  const rules = read("ops/prometheus/alarms.yml");
  const alarms = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
  const links = [...rules.matchAll(/runbook_url: docs\/alarms\.md#(\S+)/g)].map(([, anchor]) => anchor);
  assert.deepEqual(
    links,
    alarms.map((name) => name.toLowerCase()),
  );
  const page = read("docs/alarms.md");
  const entries = [...page.matchAll(/^### (\w+)$/gm)].map(([, name = ""]) => name);
  assert.deepEqual(entries.toSorted(), alarms.toSorted());
  for (const anchor of links) assert.ok(listAnchors(page).includes(anchor ?? ""), anchor);
  for (const entry of page.split(/^### /m).slice(1)) {
    const name = entry.split("\n", 1)[0];
    for (const part of ["**It means**", "**Look at**", "**Do**"]) assert.ok(entry.includes(part), `${name}: ${part}`);
  }
});

test("the alarm about memory comes before the limit that the manifests set, and over what a node needs", () => {
  const expression = expressionsIn(read("ops/prometheus/alarms.yml")).find((each) => each.includes("resident_memory"));
  const threshold = Number(/> (\S+)$/.exec(expression ?? "")?.[1]);
  const mebibytes = (path: string, pattern: RegExp): number => Number(pattern.exec(read(path))?.[1]) * 2 ** 20;
  const limits = [
    mebibytes("ops/kubernetes/deployment.yaml", /limits: \{ memory: (\d+)Mi \}/),
    mebibytes("compose.yaml", /mem_limit: (\d+)m$/m),
  ];
  for (const limit of limits) assert.ok(threshold < 0.9 * limit, `${threshold} of ${limit}`);
  assert.ok(threshold > mebibytes("ops/kubernetes/deployment.yaml", /requests: \{.* memory: (\d+)Mi \}/));
  assert.ok(read("docs/alarms.md").includes(`uses over ${threshold / 1e6} MB`));
});

test("the dashboard's panels say what they show and do not lie on each other", () => {
  assert.ok(dashboard.schemaVersion >= 39);
  const { panels } = dashboard;
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const taken = new Set<string>();
  for (const { title, type, description, gridPos } of panels) {
    assert.ok(type === "row" || (description ?? "").length > 20, `${title} has no description`);
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(!taken.has(`${x},${y}`), `${title} lies on another`);
        taken.add(`${x},${y}`);
      }
    }
  }
});

const promtool = findPromtool();

describe("promtool", { skip: "missing" in promtool && promtool.missing }, () => {
  const CHECKS: readonly (readonly string[])[] = [
    ["check", "rules", ...RULES],
    ["check", "config", "--syntax-only", "ops/prometheus/prometheus.yml"],
    ["test", "rules", "ops/prometheus/alarms.test.yml"],
  ];
  for (const args of CHECKS) {
    test(args.join(" "), () => {
      const { status, stdout, stderr } = spawnSync("path" in promtool ? promtool.path : "", args, {
        cwd: ROOT,
        encoding: "utf8",
      });
      assert.equal(status, 0, stdout + stderr);
    });
  }
});

for (const name of ["bellwire.service", "bellwire-bridge@.service", "bellwire-backup.service"]) {
  describe(`the unit of systemd ${name}`, () => {
    const unit = read(`ops/systemd/${name}`);
    const valueOf = (key: string): string => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1] ?? "";

    test("gives its process the time that it takes to stop, and sets settings that exist", () => {
      if (valueOf("Type") === "simple") assert.ok(Number(valueOf("TimeoutStopSec")) >= SECONDS_TO_STOP);
      const names = [...valueOf("Environment").matchAll(/(BELLWIRE_\w+)=/g)].map(([, setting = ""]) => setting);
      for (const setting of names) assert.ok(SETTINGS.has(setting), setting);
    });

    test("is one that systemd can read", (t) => {
      const folder = mkdtempSync(join(tmpdir(), "bellwire-unit-"));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const path = join(folder, name.replace("@", "@nats"));
      // It looks for the program, which is not in its place here.
      writeFileSync(path, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
      const ran = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
      if (ran.error !== undefined) return t.skip("there is no systemd-analyze on this machine");
      assert.equal(ran.stderr, "");
      assert.equal(ran.status, 0);
    });
  });
}

test("a bridge's unit is as locked as the service's, and a backup's has no network besides", () => {
  const locksOf = (name: string): string[] =>
    read(`ops/systemd/${name}`).match(
      /^(?!KillMode)\w*(?:Protect|Private|Restrict|Capabilit|NoNew|System|Lock|UMask)\w*=.*$/gm,
    ) ?? [];
  const locks = locksOf("bellwire.service");
  assert.deepEqual(locksOf("bellwire-bridge@.service"), locks);
  const families = /^RestrictAddressFamilies=.*$/;
  const own = ["PrivateNetwork=true", "RestrictAddressFamilies=AF_UNIX"];
  const wanted = [...locks.filter((lock) => !families.test(lock)), ...own].toSorted();
  assert.deepEqual(locksOf("bellwire-backup.service").toSorted(), wanted);
});
