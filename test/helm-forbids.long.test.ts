/** ops/helm, rendered: what it must not show, hold or allow. test/helm.long.test.ts has what it does. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { areThere } from "../tools/chart/places.ts";
import { EXAMPLES, type Manifest, parseManifests, template } from "./chart.ts";
import { find, podOf } from "./chart-parts.ts";
import { SETTINGS } from "./deployment.ts";

const NOT_THERE = "this machine has no Helm with schemas: npm run chart-tools (Go and Python)";

describe("the Helm chart", { skip: !areThere() && NOT_THERE }, () => {
  test("Ingress and Gateway show the page and intake, and lead outsiders nowhere with what is for operators", () => {
    for (const [set, below] of [
      [[], ""],
      [["ingress.path=/hooks/", "gateway.path=/hooks"], "/hooks"],
    ] as const) {
      const manifests = parseManifests(template("ops/helm/examples/scaled.yaml", { set }).stdout);
      const nodes = find(manifests, "Service").metadata.name;
      const nowhere = find(manifests, "Service", "-nowhere");
      assert.equal(nowhere.spec["selector"], undefined);
      const wanted = (open: string) => ["/metrics", "/healthz", "/readyz"].map((path) => [`${below}${path}`, open]);
      const { rules: byIngress } = find(manifests, "Ingress").spec as {
        rules: { http: { paths: { path: string; backend: { service: { name: string } } }[] } }[];
      };
      assert.deepEqual(
        byIngress[0]?.http.paths.map(({ path, backend }) => [path, backend.service.name]),
        [...wanted(nowhere.metadata.name), [below === "" ? "/" : `${below}/`, nodes]],
      );
      const { rules: byRoute } = find(manifests, "HTTPRoute").spec as {
        rules: { matches: { path: { value: string } }[]; backendRefs?: { name: string }[] }[];
      };
      assert.deepEqual(
        byRoute.flatMap(({ matches, backendRefs = [] }) =>
          matches.map(({ path }) => [path.value, backendRefs[0]?.name ?? "nowhere"]),
        ),
        [...wanted("nowhere"), [below === "" ? "/" : below, nodes]],
      );
    }
  });

  test("no pod of any example has more than it needs, or a secret where others read it", () => {
    for (const path of EXAMPLES) {
      const rendered = template(path, { set: ["backup.enabled=true"] }).stdout;
      assert.doesNotMatch(rendered, /kind: (?:Secret|ClusterRole|Role|RoleBinding)$|hostNetwork|hostPath|privileged/m);
      for (const manifest of parseManifests(rendered).filter(({ kind }) => PODS_OF.has(kind))) {
        const job = manifest.spec["jobTemplate"] as
          | (Manifest & { spec: { activeDeadlineSeconds: number } })
          | undefined;
        if (job !== undefined) assert.ok(job.spec.activeDeadlineSeconds > 0);
        const pod = podOf(job ?? manifest);
        const of = `${path}, ${manifest.metadata.name}`;
        assert.equal(pod["automountServiceAccountToken"], false, of);
        const { runAsNonRoot, seccompProfile } = pod["securityContext"] as Record<string, unknown>;
        assert.deepEqual([runAsNonRoot, seccompProfile], [true, { type: "RuntimeDefault" }], of);
        for (const {
          securityContext,
          resources,
          command,
          env = [],
        } of pod.containers as unknown as readonly Locked[]) {
          const locked = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true };
          assert.deepEqual(securityContext, { ...locked, capabilities: { drop: ["ALL"] } }, of);
          assert.ok(resources?.limits?.memory !== undefined, of);
          assert.doesNotMatch((command ?? []).join(" "), /--dbname="?\$(?:url|\{url|\(cat)/, of);
          assert.ok(!env.some(({ name, value }) => value === undefined || isSecret(name)), of);
        }
      }
    }
  });

  test("an example behind ingress-nginx has the annotations that long answers and large bodies need", () => {
    const { annotations } = find(parseManifests(template("ops/helm/examples/scaled.yaml").stdout), "Ingress").metadata;
    const nginx = (name: string) => annotations?.[`nginx.ingress.kubernetes.io/${name}`];
    assert.deepEqual(["proxy-buffering", "proxy-read-timeout", "proxy-body-size"].map(nginx), ["off", "3600", "8m"]);
  });
});

const PODS_OF = new Set(["Deployment", "StatefulSet", "CronJob"]);

interface Locked {
  readonly securityContext: object;
  readonly resources?: { readonly limits?: { readonly memory?: string } };
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** Those that have a file's form, but for addresses, which may be told. */
const isSecret = (name: string): boolean => SETTINGS.has(`${name}_FILE`) && !/(?:ENDPOINT|BROKER)$/.test(name);
