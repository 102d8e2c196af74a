/**
 * The program moto_server, which speaks SQS's protocol: the one that `BELLWIRE_TEST_SQS` names, or out of PyPI into a
 * cache folder beside the packages. `BELLWIRE_TEST_SQS=none` asks for nothing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
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
    const wheels = [`moto==${MOTO_VERSION}`, "flask", "flask-cors"];
    const isDone =
      runs("python3", ["-m", "venv", CACHE]) &&
      runs(join(CACHE, "bin", "pip"), ["install", "--quiet", "--no-compile", ...wheels]);
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
