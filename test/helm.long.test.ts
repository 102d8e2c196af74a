/**
 * ops/helm: where `npm run chart-tools` has put Helm and the schemas of Kubernetes, the chart is rendered with every
 * example, checked by the schemas, and compared with ops/kubernetes. test/chart.test.ts needs no tools.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { readBridgeSettings } from "../bridge/settings.ts";
import { readConfig } from "../src/config/config.ts";
import { ok } from "../src/lib/result.ts";
import { KUBERNETES, areThere, schemaPath } from "../tools/chart/places.ts";
import { CHART, EXAMPLES, type Manifest, helm, parseManifests, template } from "./chart.ts";
import { commonOf, find, pick, plain, type Pod, podOf } from "./chart-parts.ts";
import { ROOT, SECRETS, read, secretsBelow } from "./deployment.ts";
import { toValue } from "./kit/world/world.ts";

const SQLITE = "ops/helm/examples/sqlite.yaml";
const TWO_NODES = "ops/helm/examples/two-nodes.yaml";
const SECRETS_FOLDER = "/run/secrets/bellwire";

const BRIDGE_FILES: Readonly<Record<string, string>> = {
  BELLWIRE_API_KEY_FILE: "intake-key-of-every-node",
  BELLWIRE_BRIDGE_BROKER_FILE: "nats://nats.nats:4222",
  BELLWIRE_BRIDGE_CREDENTIALS_FILE: "the text of a file of credentials",
};

/** A value on top of a good file, and the words that Helm has to say. */
const REFUSED: readonly (readonly [set: string, said: string])[] = [
  ["image.repository=", "image.repository is empty: name the image"],
  ["settings.BELLWIRE_PUBLIC_URL=", "settings.BELLWIRE_PUBLIC_URL is not set"],
  [
    "settings.BELLWIRE_DATABASE=postgres://a",
    "is secret: name a key of a Secret in secretFiles, as BELLWIRE_DATABASE_FILE",
  ],
  ["settings.BELLWIRE_PORT=8080", "settings.BELLWIRE_PORT is set already"],
  ["bridges.a.broker=nats", "at '/bridges/a': missing property 'secretFiles'"],
  [
    "bridges.a.broker=nats,bridges.a.secretFiles.BELLWIRE_API_KEY_FILE.secret=s," +
      "bridges.a.secretFiles.BELLWIRE_API_KEY_FILE.key=k,bridges.a.settings.BELLWIRE_API_KEY=k",
    "bridges.a.settings.BELLWIRE_API_KEY is secret",
  ],
  ["ingress.enabled=true", "at '/ingress/host'"],
  ["gateway.enabled=true", "at '/gateway/parentRefs'"],
  ["sqlite.enabled=true,autoscaling.enabled=true", "a SQLite database has one node"],
  ["backup.keep=0", "at '/backup/keep': minimum: got 0, want 1"],
  ["replicas=0", "at '/replicas': minimum: got 0, want 1"],
  ["replica=3", "additional properties 'replica' not allowed"],
  ["bridges.a.broker=activemq", "value must be one of 'nats', 'kafka', 'sqs', 'rabbitmq'"],
  ["secretFiles.BELLWIRE_ENCRYPTION_KEY_FILE=null", "missing property 'BELLWIRE_ENCRYPTION_KEY_FILE'"],
  ["settings.BELLWIRE_HTTPS_ONLY=true", "at '/settings/BELLWIRE_HTTPS_ONLY': got boolean"],
  ["networkPolicy.database.peers=null", "missing property 'peers'"],
];

const NOT_THERE = "this machine has no Helm with schemas: npm run chart-tools (Go and Python)";

describe("the Helm chart, rendered", { skip: !areThere() && NOT_THERE }, () => {
  for (const path of EXAMPLES) {
    test(`${basename(path)} passes helm lint, and the schemas of the oldest and newest Kubernetes`, () => {
      const lint = helm(["lint", "--strict", CHART, "--values", path]);
      assert.equal(lint.status, 0, lint.stdout + lint.stderr);
      const { status, stdout, stderr } = template(path);
      assert.equal(status, 0, stderr);
      for (const version of KUBERNETES) assert.deepEqual(findFaults(parseManifests(stdout), version), [], version);
    });
  }

  test("ops/kubernetes passes the same schemas, and a wrong field does not", () => {
    const manifests = plain.filter(({ kind }) => kind !== "Kustomization");
    for (const version of KUBERNETES) assert.deepEqual(findFaults(manifests, version), []);
    const service = find(plain, "Service");
    const wrong = { ...service, spec: { ...service.spec, selectr: {} } };
    assert.equal(findFaults([wrong], KUBERNETES[1]).length, 1);
  });

  test("its nodes are those of ops/kubernetes", () => {
    const rendered = parseManifests(template(TWO_NODES).stdout);
    assert.deepEqual(commonOf(rendered), commonOf(plain));
    const names = ["replicas"] as const;
    assert.deepEqual(pick(find(rendered, "Deployment").spec, names), pick(find(plain, "Deployment").spec, names));
    const pods = [rendered, plain].map((each) => podOf(find(each, "Deployment")));
    assert.equal(pods[0]?.["terminationGracePeriodSeconds"], pods[1]?.["terminationGracePeriodSeconds"]);
  });

  test("a node starts with the settings that it gets, and its secrets are files", () => {
    for (const path of EXAMPLES) {
      const isFile = path.endsWith("sqlite.yaml");
      const nodes = find(parseManifests(template(path).stdout), isFile ? "StatefulSet" : "Deployment");
      const [container] = podOf(nodes).containers;
      const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
      const files = secretsBelow(SECRETS_FOLDER);
      const config = readConfig(env, (file) => {
        const setting = basename(file).replace(/^BELLWIRE_(.*)_FILE$/, "$1");
        return files(`${SECRETS_FOLDER}/${setting.toLowerCase().replaceAll("_", "-")}`);
      });
      assert.equal(toValue(config).database.kind, isFile ? "sqlite" : "postgres", path);
      for (const secret of Object.values(SECRETS)) assert.ok(!JSON.stringify(container.env).includes(secret));
    }
  });

  test("everything selects the pods of its own Deployment", () => {
    const manifests = parseManifests(template("ops/helm/examples/brokers.yaml").stdout);
    const pods = manifests.flatMap(({ kind, metadata, spec }) =>
      kind === "Deployment"
        ? [{ name: metadata.name, labels: (spec["template"] as { metadata: { labels: object } }).metadata.labels }]
        : [],
    );
    const selects = (selector: object) =>
      pods.filter(({ labels }) => isWithin(selector, labels)).map((pod) => pod.name);
    assert.equal(pods.length, 3);
    for (const { name, labels } of pods) {
      const { matchLabels } = find(manifests, "NetworkPolicy", name).spec["podSelector"] as { matchLabels: object };
      assert.deepEqual(selects(labels), [name]);
      assert.deepEqual(selects(matchLabels), [name]);
    }
    assert.deepEqual(selects(find(manifests, "Service").spec["selector"] as object), ["bellwire"]);
    const budget = find(manifests, "PodDisruptionBudget").spec["selector"] as { matchLabels: object };
    assert.deepEqual(selects(budget.matchLabels), ["bellwire"]);
  });

  test("a bridge runs its command with its own settings and secrets, as locked as a node", () => {
    const manifests = parseManifests(template("ops/helm/examples/brokers.yaml").stdout);
    const [node] = podOf(find(manifests, "Deployment")).containers;
    const pod = podOf(find(manifests, "Deployment", "-bridge-chats"));
    const [bridge] = pod.containers;
    assert.deepEqual(bridge.args, ["bridge", "nats"]);
    assert.deepEqual(bridge["securityContext"], node["securityContext"]);
    const given = bridge.env.map(({ name }) => name);
    assert.ok(given.includes("BELLWIRE_API_KEY_FILE"));
    for (const name of ["BELLWIRE_DATABASE_FILE", "BELLWIRE_ENCRYPTION_KEY_FILE"]) assert.ok(!given.includes(name));
  });

  test("a bridge finds the nodes, and is asked at the port that it takes", () => {
    const manifests = parseManifests(template("ops/helm/examples/brokers.yaml").stdout);
    const [bridge] = podOf(find(manifests, "Deployment", "-bridge-chats")).containers;
    const env = Object.fromEntries(bridge.env.map(({ name, value }) => [name, value]));
    const config = toValue(readBridgeSettings(env, (path) => ok(BRIDGE_FILES[basename(path)] ?? "")));
    assert.equal(config.bridgeServiceUrl, "http://bellwire");
    assert.deepEqual(find(manifests, "Service").spec["ports"], [{ name: "http", port: 80, targetPort: "http" }]);
    assert.equal(config.host, "0.0.0.0");
    assert.deepEqual(bridge["ports"], [{ name: "http", containerPort: config.bridgePort }]);
    const { ingress } = find(manifests, "NetworkPolicy", "-bridge-chats").spec as { ingress: { ports: object }[] };
    assert.deepEqual(ingress[0]?.ports, [{ port: config.bridgePort, protocol: "TCP" }]);
  });

  test("a bridge may have any number of replicas, none too", () => {
    for (const [replicas, set] of [
      [1, []],
      [0, ["bridges.demos.replicas=0"]],
    ] as const) {
      const manifests = parseManifests(template("ops/helm/examples/brokers.yaml", { set }).stdout);
      assert.equal(find(manifests, "Deployment", "-bridge-demos").spec["replicas"], replicas);
    }
  });

  test("a bridge that is told where Bellwire is goes there", () => {
    const url = "https://elsewhere.example.com";
    const set = [`bridges.chats.settings.BELLWIRE_BRIDGE_SERVICE_URL=${url}`];
    const manifests = parseManifests(template("ops/helm/examples/brokers.yaml", { set }).stdout);
    const [bridge] = podOf(find(manifests, "Deployment", "-bridge-chats")).containers;
    const given = bridge.env.filter(({ name }) => name === "BELLWIRE_BRIDGE_SERVICE_URL");
    assert.deepEqual(given, [{ name: "BELLWIRE_BRIDGE_SERVICE_URL", value: url }]);
  });

  test("one that scales has no number of its own, is reached by host, and sees its volumes", () => {
    const manifests = parseManifests(template("ops/helm/examples/scaled.yaml").stdout);
    const deployment = find(manifests, "Deployment");
    assert.equal(deployment.spec["replicas"], undefined);
    const { scaleTargetRef, metrics } = find(manifests, "HorizontalPodAutoscaler").spec as {
      scaleTargetRef: { name: string };
      metrics: { type: string }[];
    };
    assert.equal(scaleTargetRef.name, deployment.metadata.name);
    assert.deepEqual(
      metrics.map(({ type }) => type),
      ["Resource", "External"],
    );
    const { rules, tls } = find(manifests, "Ingress").spec as { rules: { host: string }[]; tls: object[] };
    assert.equal(rules[0]?.host, "webhooks.example.com");
    assert.deepEqual(tls, [{ hosts: ["webhooks.example.com"], secretName: "webhooks-tls" }]);
    const pod = podOf(deployment) as unknown as {
      volumes: object[];
      containers: { volumeMounts: { name: string }[] }[];
    };
    assert.ok(pod.volumes.some((each) => (each as { name: string }).name === "events"));
    assert.ok(pod.containers[0]?.volumeMounts.some(({ name }) => name === "events"));
  });

  test("a pod's time to stop follows its settings", () => {
    const seconds = (path: string) =>
      podOf(find(parseManifests(template(path).stdout), "Deployment"))["terminationGracePeriodSeconds"];
    assert.deepEqual([seconds(TWO_NODES), seconds("ops/helm/examples/ten-nodes.yaml")], [35, 45]);
  });

  test("a large number stays a whole number", () => {
    const { stdout } = template(TWO_NODES, { set: ["settings.BELLWIRE_PAYLOAD_RETENTION_DAYS=2000000"] });
    assert.match(stdout, /BELLWIRE_PAYLOAD_RETENTION_DAYS\n\s+value: "2000000"/);
  });

  test("on SQLite it is one node with a volume, and nothing that is about several", () => {
    const manifests = parseManifests(template(SQLITE).stdout);
    const kinds = manifests.map(({ kind }) => kind);
    for (const kind of ["Deployment", "PodDisruptionBudget", "HorizontalPodAutoscaler"])
      assert.ok(!kinds.includes(kind));
    const set = find(manifests, "StatefulSet");
    assert.equal(set.spec["replicas"], 1);
    const [claim] = set.spec["volumeClaimTemplates"] as {
      metadata: { name: string };
      spec: { accessModes: string[] };
    }[];
    assert.deepEqual([claim?.metadata.name, claim?.spec.accessModes], ["data", ["ReadWriteOnce"]]);
    const pod = podOf(set);
    assert.equal((pod["securityContext"] as { fsGroup: number }).fsGroup, 1000);
    assert.ok(
      (pod.containers[0]["volumeMounts"] as { mountPath: string }[]).some((each) => each.mountPath === "/data"),
    );
    assert.ok(!pod.containers[0].env.some(({ name }) => name === "BELLWIRE_DATABASE_FILE"));
    const { egress } = find(manifests, "NetworkPolicy").spec as { egress: { ports?: { port: number }[] }[] };
    assert.ok(!egress.some(({ ports }) => ports?.some(({ port }) => port === 5432)));
  });

  test("its backup of SQLite runs on the node's machine, with the volume that the node has", () => {
    const manifests = parseManifests(template(SQLITE).stdout);
    const [set, backup] = [find(manifests, "StatefulSet"), backupPod(manifests)];
    const [job] = backup.containers;
    const { args, volumeMounts, securityContext } = job as unknown as Record<string, object[]>;
    assert.deepEqual(args, ["backup", "--into", "/backups", "--keep", "7"]);
    assert.deepEqual(
      [job.image, securityContext],
      [podOf(set).containers[0].image, podOf(set).containers[0]["securityContext"]],
    );
    assert.deepEqual(volumeMounts, [
      { name: "backups", mountPath: "/backups" },
      { name: "data", mountPath: "/data" },
    ]);
    const data = backup.volumes.find(({ name }) => name === "data");
    assert.deepEqual(data?.["persistentVolumeClaim"], { claimName: `data-${set.metadata.name}-0` });
    const { podAffinity } = backup["affinity"] as {
      podAffinity: Record<string, { labelSelector: { matchLabels: object } }[]>;
    };
    const [beside] = Object.values(podAffinity).flat();
    const { labels } = (set.spec["template"] as { metadata: { labels: object } }).metadata;
    assert.ok(isWithin(beside?.labelSelector.matchLabels ?? { none: true }, labels));
    const own = find(manifests, "CronJob", "-backup").metadata.labels;
    assert.ok(!isWithin(find(manifests, "Service").spec["selector"] as object, own), "the Service sends it requests");
  });

  test("its backup of PostgreSQL keeps the newest dumps, and none that is not whole", (t) => {
    const manifests = parseManifests(template("ops/helm/examples/ten-nodes.yaml", { set: ["backup.keep=2"] }).stdout);
    const [, seen = "no rule"] = /cronjob=~"(.+?)"/.exec(read("ops/prometheus/alarms.yml")) ?? [];
    for (const name of [
      find(manifests, "CronJob", "-backup").metadata.name,
      "hooks-bellwire-backup",
      "bellwire-eu-backup",
    ])
      assert.match(name, new RegExp(`^${seen}$`));
    const pod = backupPod(manifests);
    const [shell = "", flags = "", script = ""] = pod.containers[0]["command"] as string[];
    const folder = mkdtempSync(join(tmpdir(), "bellwire-dumps-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const text = script.replaceAll("/backups", folder).replaceAll("/run/secrets/bellwire", folder);
    const put = (name: string, content: string) => writeFileSync(join(folder, name), content, { mode: 0o700 });
    put("BELLWIRE_DATABASE_FILE", "postgres://hooks:a%40b%25%C3%a9@db:6432/hooks?sslmode=require\n");
    const note = 'echo "$PGPASSWORD $*"';
    put("pg_dump", `#!/bin/sh\nfor each; do case $each in --file=*) ${note} > "\${each#--file=}";; esac; done\n`);
    const run = (listing: number) => {
      put("pg_restore", `#!/bin/sh\nexit ${listing}\n`);
      return spawnSync(shell, [flags, text], { env: { PATH: `${folder}:${process.env["PATH"]}` } }).status;
    };
    const old = ["bellwire-20200101T000000Z.dump", "bellwire-20210101T000000Z.dump"] as const;
    for (const name of [...old, "other.dump", "bellwire-20220101T000000Z.dump.part"]) put(name, "");
    const dumps = () => readdirSync(folder).filter((name) => name.includes("dump") && name !== "pg_dump");
    assert.notEqual(run(1), 0);
    assert.deepEqual(dumps(), [...old, "other.dump"]);
    assert.equal(run(0), 0);
    const [kept, made = "", ...others] = dumps();
    assert.deepEqual([kept, others], [old[1], ["other.dump"]]);
    const [password, ...args] = readFileSync(join(folder, made), "utf8").trim().split(" ");
    assert.equal(password, "a@b%é");
    assert.deepEqual(args.at(-1), "--dbname=postgres://hooks@db:6432/hooks?sslmode=require");
    put("BELLWIRE_DATABASE_FILE", "postgres://hooks@db/hooks\n");
    put(made, "");
    assert.equal(run(0), 0);
    assert.match(
      readFileSync(join(folder, dumps().at(-2) ?? ""), "utf8"),
      /^ .*--dbname=postgres:\/\/hooks@db\/hooks\n$/,
    );
  });

  for (const [set, said] of REFUSED) {
    test(`refuses ${set}: ${said}`, () => {
      const { status, stderr } = template(TWO_NODES, { set: [set] });
      assert.notEqual(status, 0);
      assert.ok(stderr.includes(said), stderr);
    });
  }

  test("the notes name each Secret, and say of a bridge that cannot reach its broker that it cannot", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "bellwire-notes-"));
    t.after(() => rmSync(folder, { recursive: true }));
    cpSync(join(ROOT, CHART), folder, { recursive: true });
    // Helm shows the notes when it installs only, and for that it wants a cluster.
    renameSync(join(folder, "templates/NOTES.txt"), join(folder, "notes.txt"));
    writeFileSync(join(folder, "templates/notes.yaml"), 'notes: {{ tpl (.Files.Get "notes.txt") . | toJson }}\n');
    const version = ["--kube-version", KUBERNETES[1], "--show-only", "templates/notes.yaml"];
    const values = ["--values", "ops/helm/examples/brokers.yaml", "--set-json", "bridges.chats.egress=[]"];
    const { stdout, stderr } = helm(["template", "bellwire", folder, "--namespace", "hooks", ...version, ...values]);
    const { notes } = parse(stdout || stderr) as { notes: string };
    assert.match(notes, /^2 nodes of Bellwire \S+ at the Service bellwire, port 80\./);
    assert.match(notes, /bellwire, key encryption-key: BELLWIRE_ENCRYPTION_KEY_FILE/);
    assert.match(notes, /kubectl -n hooks exec deployment\/bellwire -- node bin\/bellwire\.js doctor/);
    assert.match(notes, /give bridges\.chats\.egress a rule/);
    assert.doesNotMatch(notes, /bridges\.demos\.egress/);
  });
});

const backupPod = (manifests: readonly Manifest[]): Pod =>
  podOf(find(manifests, "CronJob", "-backup").spec["jobTemplate"] as Manifest);

const isWithin = (part: object, whole: object): boolean =>
  Object.entries(part).every(([name, value]) => (whole as Record<string, unknown>)[name] === value);

/** The only kind of schema that this validator takes; the files name a newer one, and use nothing of it. */
const DRAFT = "http://json-schema.org/draft-07/schema#";

/** Faults of each manifest by the schema of its kind; what is not Kubernetes' own has none there. */
function findFaults(manifests: readonly Manifest[], version: string): string[] {
  const schema = JSON.parse(readFileSync(schemaPath(version), "utf8")) as object;
  const ajv = new Ajv({ strict: false, logger: false, validateFormats: false });
  ajv.addSchema({ ...schema, $schema: DRAFT, $id: "kubernetes" }, "kubernetes");
  return manifests
    .filter(({ apiVersion }) => !/^(?:monitoring|gateway\.networking)\./.test(apiVersion))
    .flatMap((manifest) => {
      const [group = "", kindVersion = group] = manifest.apiVersion.split("/");
      const api = manifest.apiVersion.includes("/") ? group.split(".")[0] : "core";
      const name = `io.k8s.api.${api}.${kindVersion}.${manifest.kind}`;
      const validate = ajv.getSchema(`kubernetes#/$defs/${name}`) ?? ajv.getSchema(`kubernetes#/definitions/${name}`);
      assert.ok(validate !== undefined, `${name} is no kind of Kubernetes ${version}`);
      const named = `${manifest.kind} ${manifest.metadata.name}`;
      return validate(manifest) ? [] : [`${named}: ${ajv.errorsText(validate.errors)}`];
    });
}
