/**
 * OpenTelemetry's own collector, of the modules that the test needs, which its own builder puts together: Go takes
 * minutes for that, so only `npm run collector-tools` does it. It receives by OTLP and writes what it has understood
 * into a file.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TOOLS_CACHE } from "../../../tools/cache-folder.ts";
import { newFolder } from "../folder.ts";
import type { Found } from "../process/pip-programs.ts";

const VERSION = "v0.161.0";
/** That of the modules of the same release that have left their beginnings. */
const STABLE = "v1.67.0";
const CACHED = join(TOOLS_CACHE, `otelcol-${VERSION}`);
const CORE = "go.opentelemetry.io/collector";

const MANIFEST = `
dist: { name: otelcol, output_path: ./made }
receivers: [{ gomod: "${CORE}/receiver/otlpreceiver ${VERSION}" }]
exporters: [{ gomod: "github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter ${VERSION}" }]
providers: [{ gomod: "${CORE}/confmap/provider/fileprovider ${STABLE}" }]
conf_resolver: { default_uri_scheme: file }
`;

export function findCollector(): Found {
  if (existsSync(CACHED)) return { path: CACHED };
  return { missing: "OpenTelemetry's collector is not here: npm run collector-tools brings it" };
}

/** False where there is no Go, or it could not. */
export function buildCollector(): boolean {
  using folder = newFolder();
  const run = (program: string, ...args: string[]): boolean => {
    const env = { ...process.env, GOBIN: folder.path };
    return spawnSync(program, args, { cwd: folder.path, env, stdio: "ignore" }).status === 0;
  };
  writeFileSync(join(folder.path, "manifest.yaml"), MANIFEST);
  if (!run("go", "install", `${CORE}/cmd/builder@${VERSION}`)) return false;
  if (!run(join(folder.path, "builder"), "--config", "manifest.yaml")) return false;
  mkdirSync(TOOLS_CACHE, { recursive: true });
  const made = `${CACHED}.${process.pid}`;
  if (!run("cp", "made/otelcol", made)) return false;
  renameSync(made, CACHED);
  return true;
}
