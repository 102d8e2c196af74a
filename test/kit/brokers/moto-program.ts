/**
 * The program moto_server, which speaks SQS's protocol: the one that `BELLWIRE_TEST_SQS` names, or out of PyPI into a
 * cache folder beside the packages. `BELLWIRE_TEST_SQS=none` asks for nothing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../wait.ts";

export const MOTO_VERSION = "5.2.5";
const CACHE = join(import.meta.dirname, "..", "..", "..", "node_modules", ".cache", `moto-${MOTO_VERSION}`);
/** A script of the environment would name the folder in which it was made; this does not. */
const COMMAND = [join(CACHE, "bin", "python3"), "-m", "moto.server"] as const;
/** Written last: a folder without it is not complete. */
const MARK = join(CACHE, "complete");
/** 106 MB take 15 s. */
const FETCH_MS_MAX = 90_000;

/** Of what it needs: a newer one of any of them is not run unseen. */
const VERSIONS = `
  flask==3.1.3 flask-cors==6.0.5 blinker==1.9.0 boto3==1.44.8 botocore==1.44.8 certifi==2026.10.19.post1 cffi==2.1.1
  charset-normalizer==3.5.3 click==8.5.1 cryptography==50.0.2 idna==3.20 itsdangerous==2.2.0 jinja2==3.1.6
  jmespath==1.1.0 markupsafe==3.0.4 pycparser==3.12 python-dateutil==2.9.0.post0 pyyaml==6.0.4 requests==2.34.2
  responses==0.26.3 s3transfer==0.19.3 six==1.17.0 urllib3==2.8.0 werkzeug==3.1.9 xmltodict==1.0.4`;

type Command = readonly [program: string, ...args: string[]];

/** The program with its first arguments, or the line that says why there is none. */
export async function findMoto(): Promise<{ readonly command: Command } | { readonly missing: string }> {
  const given = process.env["BELLWIRE_TEST_SQS"];
  if (given === "none") return { missing: "SQS was not tested: BELLWIRE_TEST_SQS says none" };
  if (given !== undefined) return { command: [given] };
  if (existsSync(MARK) || (await fetchOnce())) return { command: COMMAND };
  return { missing: "SQS was not tested: there is no python3 with venv and pip here to bring moto" };
}

/** Made in place by one process; others wait for it. */
async function fetchOnce(): Promise<boolean> {
  const lock = `${CACHE}.lock`;
  mkdirSync(join(CACHE, ".."), { recursive: true });
  if (!tryLock(lock)) {
    for (let waitedMs = 0; waitedMs < FETCH_MS_MAX && existsSync(lock); waitedMs += 200) await pause(200);
    return existsSync(MARK);
  }
  try {
    rmSync(CACHE, { recursive: true, force: true });
    if (!runs("python3", ["-m", "venv", CACHE])) return false;
    const versions = join(CACHE, "versions.txt");
    writeFileSync(versions, VERSIONS.trim().replaceAll(/\s+/g, "\n"));
    const wheels = [`moto==${MOTO_VERSION}`, "flask", "flask-cors"];
    const how = ["--quiet", "--no-compile", "--only-binary=:all:", "--constraint", versions];
    const isDone = runs(join(CACHE, "bin", "pip"), ["install", ...how, ...wheels]);
    if (isDone) mkdirSync(MARK);
    return isDone;
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function tryLock(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

const runs = (program: string, args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: "ignore", timeout: FETCH_MS_MAX }).status === 0;
