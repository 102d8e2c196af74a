/**
 * `npm run chart-tools`: puts Helm (built by Go) and the schemas of Kubernetes (by pip) into a cache folder, for
 * test/helm.long.test.ts. Says in one line when it cannot, and the test then says that it did not run.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KUBERNETES_SCHEMAS, unpackWheel } from "../test/kit/process/wheels.ts";
import { FOLDER, HELM, KUBERNETES, areThere, schemaPath } from "./chart/places.ts";

if (!areThere()) mkdirSync(FOLDER, { recursive: true });
console.log(areThere() ? "the chart's tools are there" : (install() ?? "the chart's tools were put into the cache"));

/** Gives a sentence about what was missing, or nothing. */
function install(): string | null {
  if (!run("go", ["install", HELM], { GOBIN: FOLDER })) return `Go could not build ${HELM}: the chart is not rendered`;
  const temporary = mkdtempSync(join(tmpdir(), "bellwire-chart-"));
  try {
    const { name } = KUBERNETES_SCHEMAS;
    if (!unpackWheel(KUBERNETES_SCHEMAS, temporary)) return `pip could not fetch ${name}: the chart is not checked`;
    for (const version of KUBERNETES) {
      const within = `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict/_definitions.json`;
      copyFileSync(join(temporary, within), schemaPath(version));
    }
    return null;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

function run(command: string, args: readonly string[], env: Record<string, string> = {}): boolean {
  const { status } = spawnSync(command, args, { stdio: "ignore", env: { ...process.env, ...env } });
  return status === 0;
}
