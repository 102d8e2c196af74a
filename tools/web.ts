/**
 * Builds the page (web/ → web/dist) when its sources have changed since the last build; runs before `npm start`,
 * `npm run demo` and `npm test`, and when npm installs. Prints one line. `--check` builds anyway and holds the budgets
 * against it.
 *
 * Fresh is decided by a hash of the sources, not by times: a checkout or an image may have any. Without Vite, as after
 * `npm ci --omit=dev`, a build that is there is used as it is.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type * as Vite from "vite";
import { readBudgets } from "./web-budgets.ts";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "web", "dist");
/** Inside the build: the hash of what it was built from. */
const STAMP = ".built-from";
/** Of CPU, because the time on the wall is that of whatever else the machine does. Measured: 2.3 s. */
const BUILD_CPU_SECONDS_MAX = 10;

/** Sources of the build. The lock file stands for the packages; the examples are shown on the verification page. */
const SOURCES = [
  "web/**/*.{ts,tsx,css,html,js,svg,json}",
  "src/domain/{chat-addresses,event,success}.ts",
  "examples/verify/**/*.*",
  "package-lock.json",
];
const isNoSource = (path: string): boolean =>
  /(?:^|[\\/])(?:dist|\.build-[\w-]+|node_modules|target|bin|obj|__pycache__)$|\.test\.ts$/.test(path);

const isCheck = process.argv.includes("--check");
const hash = hashSources();
if (isCheck || builtFrom(DIST) !== hash) await build();
else console.log("web: up to date");
if (isCheck) check();

async function build(): Promise<void> {
  const startedMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const vite = await loadVite();
  if (vite === null) return sayWithoutVite();
  const customLogger = vite.createLogger("warn");
  // Beside the old build and then in its place: a service that runs keeps a whole page until the last moment.
  const fresh = join(ROOT, "web", `.build-${process.pid}`);
  try {
    await vite.build({
      configFile: join(ROOT, "web", "vite.config.ts"),
      logLevel: "warn",
      customLogger,
      build: { outDir: fresh, emptyOutDir: true },
    });
    writeFileSync(join(fresh, STAMP), hash);
    replaceBuild(fresh);
  } catch (error) {
    // Its message shows the line of our source; the stack below would be Vite's.
    return fault(`the page cannot be built\n${error instanceof Error ? error.message : String(error)}`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuSeconds = (user + system) / 1e6;
  console.log(`web: built in ${seconds.toFixed(1)} s, with ${cpuSeconds.toFixed(1)} s of CPU`);
  // It would be the first thing that somebody reads who installs this.
  if (isCheck && customLogger.hasWarned) fault("the build warns, see above");
  if (isCheck && cpuSeconds > BUILD_CPU_SECONDS_MAX)
    fault(`the build takes ${cpuSeconds.toFixed(1)} s of CPU of ${BUILD_CPU_SECONDS_MAX} s`);
}

function replaceBuild(fresh: string): void {
  const old = `${fresh}-old`;
  mkdirSync(DIST, { recursive: true });
  renameSync(DIST, old);
  try {
    renameSync(fresh, DIST);
  } catch (error) {
    // Somebody else built at the same time; theirs is as good when it is of the same sources.
    if (builtFrom(DIST) !== hash) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

async function loadVite(): Promise<typeof Vite | null> {
  try {
    return await import("vite");
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_MODULE_NOT_FOUND") return null;
    throw error;
  }
}

/** Never a reason not to start: webhooks are delivered without the page. */
function sayWithoutVite(): void {
  const isBuilt = builtFrom(DIST) !== null;
  console.log(
    isBuilt
      ? "web: Vite is not installed, the page stays as it was built"
      : "web: the page is not built and Vite is not installed; run `npm ci` without --omit=dev once to have it",
  );
}

function check(): void {
  for (const { name, kb, kbMax } of readBudgets(DIST)) {
    console.log(`  ${name.padEnd(34)} ${kb.toFixed(1).padStart(6)} of ${kbMax} KB gzip`);
    if (kb > kbMax) fault(`${name} is over its budget`);
  }
}

function fault(what: string): void {
  console.error(`web: ${what}`);
  process.exitCode = 1;
}

function builtFrom(folder: string): string | null {
  const stamp = join(folder, STAMP);
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : null;
}

function hashSources(): string {
  const sum = createHash("sha256");
  const found = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: isNoSource }));
  for (const path of found.filter((each) => !isNoSource(each)).toSorted()) {
    sum
      .update(`${path.replaceAll("\\", "/")}\0`)
      .update(readSource(path))
      .update("\0");
  }
  return sum.digest("hex");
}

/** Line ends are the checkout's, not the source's. Folders, which a pattern finds too, have no text. */
function readSource(path: string): string {
  try {
    return readFileSync(join(ROOT, path), "utf8").replaceAll("\r\n", "\n");
  } catch (error) {
    if ((error as { code?: string }).code === "EISDIR") return "";
    throw error;
  }
}
