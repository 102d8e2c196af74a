/** ops/kubernetes: its files agree with each other and with the program (settings, ports, probes, time to stop). */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename } from "node:path";
import { describe, test } from "node:test";
import { parseAllDocuments } from "yaml";
import { readConfig } from "../src/config/config.ts";
import { OPTIONS } from "../src/config/options.ts";
import { createAddressPolicy } from "../src/egress/address-policy.ts";
import { createTestApp } from "./kit/world/app-under-test.ts";
import { type Stage, parseEnv, parseDockerfile, listValues } from "./dockerfile.ts";
import { toValue } from "./kit/world/world.ts";
import { ROOT, SECONDS_TO_STOP, SECRETS, SETTINGS, read, secretsBelow } from "./deployment.ts";

/** What the last stage begins with. */
const program = parseDockerfile(read("Dockerfile")).find(({ name }) => name === "program") as Stage;
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
    assert.equal(toValue(readConfig(env, secretsBelow(SECRETS_FOLDER))).database.kind, "postgres");
    const withOperator = { ...env };
    for (const [, name = "", value = ""] of read("ops/kubernetes/deployment.yaml").matchAll(COMMENTED)) {
      withOperator[name] = value;
    }
    const config = toValue(readConfig(withOperator, secretsBelow(SECRETS_FOLDER)));
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
    assert.equal(listValues(program, "USER")[0], `${securityContext.runAsUser}:${securityContext.runAsGroup}`);
    assert.equal(securityContext.runAsNonRoot, true);
    const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container.securityContext;
    assert.deepEqual([readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities.drop], [true, false, ["ALL"]]);
    assert.equal(container.volumeMounts[0]?.mountPath, parseEnv(program)["BELLWIRE_DATA_DIR"]);
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
