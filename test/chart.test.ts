/** ops/helm: the chart's text says the same as ops/kubernetes and the program. It needs no Helm. */
import assert from "node:assert/strict";
import { basename } from "node:path";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { CHART, EXAMPLES, readTemplates, readValues } from "./chart.ts";
import { commonOf, find, plain, podOf } from "./chart-parts.ts";
import { SETTINGS, read } from "./deployment.ts";

describe("the Helm chart, as text", () => {
  const values = readValues();

  test("ports, probes, security and the network say what ops/kubernetes says", () => {
    // Bridges have a file of each of these kinds too.
    const nodes = readTemplates().filter(({ metadata }) => metadata.name !== "x-bridge-x");
    assert.deepEqual(commonOf(nodes), commonOf(plain));
  });

  test("its values begin with what ops/kubernetes has", () => {
    const deployment = find(plain, "Deployment");
    const [container] = podOf(deployment).containers;
    assert.equal(values.replicas, deployment.spec["replicas"]);
    assert.deepEqual(values.resources, container["resources"]);
    assert.equal(values.service.port, (find(plain, "Service").spec["ports"] as { port: number }[])[0]?.port);
    const { maxUnavailable } = find(plain, "PodDisruptionBudget").spec;
    assert.deepEqual(values.podDisruptionBudget, { maxUnavailable });
    const files = container.env.filter(({ name }) => name.endsWith("_FILE"));
    const wanted = files.map(({ name, value }) => [name, { secret: "bellwire", key: basename(value) }] as const);
    assert.deepEqual(values.secretFiles, Object.fromEntries(wanted));
  });

  test("the network's peers begin with those of ops/kubernetes", () => {
    const { ingress, egress } = find(plain, "NetworkPolicy").spec as {
      ingress: { from: object[] }[];
      egress: { to: object[]; ports?: { port: number }[] }[];
    };
    const { callers, prometheus, dns, database } = values.networkPolicy as {
      callers: object[];
      prometheus: object[];
      dns: object[];
      database: { port: number; peers: object[] };
    };
    assert.deepEqual([...callers, ...prometheus], ingress[0]?.from);
    assert.deepEqual(dns, egress[0]?.to);
    assert.deepEqual(database, { port: egress[1]?.ports?.[0]?.port, peers: egress[1]?.to });
  });

  test("knows which settings are secret", () => {
    const [, list = ""] =
      /define "bellwire.secretSettings" -\}\}\n([\s\S]*?)\n\{\{/.exec(read(`${CHART}/templates/_refusals.tpl`)) ?? [];
    const secret = [...SETTINGS].filter((name) => SETTINGS.has(`${name}_FILE`) && !/(?:ENDPOINT|BROKER)$/.test(name));
    assert.deepEqual(list.split(/\s+/).toSorted(), secret.toSorted());
  });

  test("the examples name settings that exist, and the guide names the examples", () => {
    for (const path of EXAMPLES) {
      const { bridges, ...nodes } = parse(read(path)) as Named & { bridges?: Readonly<Record<string, Named>> };
      const names = [nodes, ...Object.values(bridges ?? {})]
        .flatMap(({ settings, secretFiles }) =>
          [settings ?? {}, secretFiles ?? {}].flatMap((each) => Object.keys(each)),
        )
        .filter((name) => !name.startsWith("NODE_"));
      assert.deepEqual(
        names.filter((name) => !SETTINGS.has(name)),
        [],
        path,
      );
      assert.ok(read("docs/containers.md").includes(path), path);
    }
  });
});

interface Named {
  readonly settings?: object;
  readonly secretFiles?: object;
}
