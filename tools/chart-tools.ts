/**
 * `npm run chart-tools`: puts Helm (built by Go) and the schemas of Kubernetes (by pip) into a cache folder, for
 * test/helm.long.test.ts. Says in one line when it cannot, and the test then says that it did not run.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FOLDER, HELM, KUBERNETES, SCHEMAS, areThere, schemaPath } from "./chart/places.ts";

if (!areThere()) mkdirSync(FOLDER, { recursive: true });
console.log(areThere() ? "the chart's tools are there" : (install() ?? "the chart's tools were put into the cache"));

/** Gives a sentence about what was missing, or nothing. */
function install(): string | null {
  if (!run("go", ["install", HELM], { GOBIN: FOLDER })) return `Go could not build ${HELM}: the chart is not rendered`;
  const temporary = mkdtempSync(join(tmpdir(), "bellwire-chart-"));
  try {
    const download = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", temporary, SCHEMAS];
    if (!run("python3", download)) return `pip could not fetch ${SCHEMAS}: the chart is not checked`;
    const [wheel] = globSync("*.whl", { cwd: temporary });
    if (!run("python3", ["-m", "zipfile", "-e", join(temporary, wheel ?? ""), temporary])) return "the wheel is broken";
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
