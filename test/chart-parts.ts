/** Parts of manifests for tests: those of the nodes by kind, and what chart and ops/kubernetes must have in common. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { type Manifest, parseManifests } from "./chart.ts";
import { ROOT, read } from "./deployment.ts";

/** ops/kubernetes. */
export const plain: readonly Manifest[] = globSync("ops/kubernetes/*.yaml", { cwd: ROOT }).flatMap((path) =>
  parseManifests(read(path)),
);

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly [part: string]: unknown;
}

export interface Pod {
  readonly containers: readonly [Container];
  readonly topologySpreadConstraints?: readonly Readonly<Record<string, unknown>>[];
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
  readonly [part: string]: unknown;
}

/** The nodes' manifest of a kind: bridges have their own, of the same kinds. */
export const find = (manifests: readonly Manifest[], kind: string, ending = "bellwire"): Manifest => {
  const found = manifests.filter(
    (each) => each.kind === kind && (each.metadata.name.endsWith(ending) || each.metadata.name === "x"),
  );
  assert.equal(found.length, 1, kind);
  return found[0] as Manifest;
};

export const podOf = ({ spec }: Manifest): Pod => (spec["template"] as { spec: Pod }).spec;

/** What the chart and the plain manifests must not differ in. */
export function commonOf(manifests: readonly Manifest[]) {
  const deployment = find(manifests, "Deployment");
  const pod = podOf(deployment);
  const [container] = pod.containers;
  const { egress } = find(manifests, "NetworkPolicy").spec as { egress: { to: { ipBlock?: object }[] }[] };
  const { metadata } = deployment.spec["template"] as { metadata: { annotations: object } };
  return {
    strategy: deployment.spec["strategy"],
    annotations: metadata.annotations,
    pod: pick(pod, ["automountServiceAccountToken", "enableServiceLinks", "securityContext"]),
    spread: pod.topologySpreadConstraints?.map((each) => pick(each, ["maxSkew", "topologyKey", "whenUnsatisfiable"])),
    container: pick(container, ["name", "ports", "securityContext", "volumeMounts"]),
    probes: pick(container, ["startupProbe", "livenessProbe", "readinessProbe"]),
    data: pod.volumes.find(({ name }) => name === "data"),
    account: pick(find(manifests, "ServiceAccount"), ["automountServiceAccountToken"]),
    target: (find(manifests, "Service").spec["ports"] as { targetPort: string }[])[0]?.targetPort,
    receivers: egress.map(({ to }) => (to ?? []).flatMap(({ ipBlock }) => ipBlock ?? [])).filter((to) => to.length > 0),
  };
}

export function pick(from: object, names: readonly string[]): object {
  const all = from as Readonly<Record<string, unknown>>;
  for (const name of names) assert.notEqual(all[name], undefined, name);
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}
