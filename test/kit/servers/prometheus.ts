/**
 * What Prometheus makes of a service for tests: it scrapes `/metrics` over HTTP, and promtool says of our own rules
 * which alarms fire when things go on as they were scraped. promtool is the machine's own, or out of Debian's package,
 * unpacked into the cache folder: the one version that Debian has, which apt compares with its signed hash.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { TOOLS_CACHE } from "../../../tools/cache-folder.ts";
import { newFolder } from "../folder.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const RULES = ["recording.yml", "alarms.yml"].map((name) => join(ROOT, "ops", "prometheus", name));
const CACHED = join(TOOLS_CACHE, "promtool");

/** Its path, or the line that says why there is none. */
export function findPromtool(): { readonly path: string } | { readonly missing: string } {
  if (spawnSync("promtool", ["--version"]).error === undefined) return { path: "promtool" };
  if (existsSync(CACHED) || isUnpacked()) return { path: CACHED };
  return { missing: "this machine has no promtool (Debian: the package prometheus)" };
}

function isUnpacked(): boolean {
  using folder = newFolder();
  const run = (program: string, ...args: string[]): boolean =>
    spawnSync(program, args, { cwd: folder.path, stdio: "ignore" }).status === 0;
  if (!run("apt-get", "download", "-q", "prometheus")) return false;
  const [file = ""] = globSync("*.deb", { cwd: folder.path });
  if (!run("dpkg-deb", "--extract", file, ".")) return false;
  mkdirSync(TOOLS_CACHE, { recursive: true });
  const made = `${CACHED}.${process.pid}`;
  if (!run("cp", "usr/bin/promtool", made)) return false;
  renameSync(made, CACHED);
  return true;
}

/** What a scrape brought: values by series, `up` among them. */
export type Scrape = ReadonlyMap<string, Scraped>;

interface Scraped {
  readonly value: number;
  /** A counter grows on, a gauge stays. */
  readonly grows: boolean;
}

/** `instance` is the label that Prometheus gives the node. */
export async function scrape(instance: string, url: string): Promise<Scrape> {
  const answer = await fetch(`${url}/metrics`).catch(() => null);
  const text = answer?.ok === true ? await answer.text() : null;
  const types = new Map(
    [...(text ?? "").matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type]) => [name, type]),
  );
  const lines = [...(text ?? "").matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)];
  const isUp: [string, Scraped] = [series("up", "", instance), { value: text === null ? 0 : 1, grows: false }];
  const samples = lines.map(([, name = "", labels = "", value]): [string, Scraped] => {
    const type = types.get(name) ?? types.get(name.replace(/_(?:bucket|sum|count)$/, ""));
    return [series(name, labels, instance), { value: Number(value), grows: type !== "gauge" }];
  });
  return new Map([isUp, ...samples.filter(([, { value }]) => Number.isFinite(value))]);
}

const series = (name: string, labels: string, instance: string): string =>
  `${name}{${[labels, `job="bellwire"`, `instance="${instance}"`].filter((label) => label !== "").join(", ")}}`;

/**
 * Scrapes in their order. The first one stands for the long time before, the last for the time after, in which counters
 * go on growing by as much as before it; those between are short.
 */
export type Course = readonly Scrape[];

/** Of several nodes at one time. */
export const together = (...scrapes: readonly Scrape[]): Scrape => new Map(scrapes.flatMap((each) => [...each]));

const BEFORE = 60;
const BETWEEN = 5;

export interface Pace {
  readonly minutesApart: number;
  /** How often the last scrape is repeated. */
  readonly after: number;
}

export interface Expected {
  readonly alarm: string;
  readonly course: Course;
  readonly pace: Pace;
}

/** promtool's words when the alarm is not silent in the time before, or does not fire in the time after. */
export function findFault(promtool: string, expected: Expected): string | null {
  using folder = newFolder();
  const path = join(folder.path, "course.yml");
  writeFileSync(path, stringify(toTests(expected), { lineWidth: 0 }));
  const { status, stdout, stderr } = spawnSync(promtool, ["test", "rules", path], { encoding: "utf8" });
  return status === 0 ? null : stdout + stderr;
}

function toTests({ alarm, course, pace: { minutesApart, after } }: Expected) {
  const lengths = course.map((_, place) => (place === 0 ? BEFORE : place === course.length - 1 ? after : BETWEEN));
  const [before, whole] = [BEFORE - 1, lengths.reduce((sum, length) => sum + length, 0) - 1];
  const firing = (steps: number): string =>
    `count(count_over_time(ALERTS{alertname="${alarm}", alertstate="firing"}[${steps * minutesApart}m]))`;
  const all = [...new Set(course.flatMap((each) => [...each.keys()]))].filter(isAsked);
  return {
    rule_files: RULES,
    evaluation_interval: `${minutesApart}m`,
    tests: [
      {
        interval: `${minutesApart}m`,
        input_series: all.map((name) => ({ series: name, values: notation(name, course, lengths) })),
        promql_expr_test: [
          { expr: firing(before), eval_time: `${before * minutesApart}m`, exp_samples: [] },
          {
            expr: `${firing(whole - before)} >bool 0`,
            eval_time: `${whole * minutesApart}m`,
            exp_samples: [{ labels: "{}", value: 1 }],
          },
        ],
      },
    ],
  };
}

/** No rule asks for the others, and there are many. */
const isAsked = (name: string): boolean =>
  /^(?:bellwire|up|process_(?:start|resident)|nodejs_eventloop_lag_p99)/.test(name);

/** As promtool's tests write a series: `0x60 7+7x240`. */
function notation(name: string, course: Course, lengths: readonly number[]): string {
  const parts = course.map((each, place) => {
    const steps = (lengths[place] ?? 1) - 1;
    const sample = each.get(name);
    if (sample === undefined) return `_x${steps + 1}`;
    const isLast = place > 0 && place === course.length - 1;
    const by = isLast && sample.grows ? sample.value - (course[place - 1]?.get(name)?.value ?? 0) : 0;
    return `${decimal(sample.value)}${by < 0 ? "-" : "+"}${decimal(Math.abs(by))}x${steps}`;
  });
  return parts.join(" ");
}

/** Without an exponent. */
const decimal = (value: number): string => value.toFixed(9).replace(/\.?0+$/, "");
