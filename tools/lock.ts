/**
 * `npm run lock`: names every platform's package in `package-lock.json`, after `npm install` changed it. A registry
 * that lacks a platform's package makes npm leave it out of the lock file, and `npm ci` then refuses the whole file: it
 * happened. An entry without a checksum is enough; only that platform ever installs it.
 *
 * With `--again` such entries are taken out first and npm is asked for them anew: from a registry that has the packages
 * they come with their checksums, from one that has not they stay as they were.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { dirname, join } from "node:path";

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const PATH = join(import.meta.dirname, "..", "package-lock.json");
const PLATFORM = /(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-([a-z0-9]+))?$/;

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

if (process.argv.includes("--again")) askAgain();
const lock = readLock();
const missing = Object.values(lock.packages).flatMap((parent) =>
  Object.entries(parent.optionalDependencies ?? {})
    .filter(([name]) => lock.packages[`node_modules/${name}`] === undefined)
    .map(([name, version]) => [`node_modules/${name}`, makeEntry(name, version, parent)] as const),
);
const sorted = [...Object.entries(lock.packages), ...missing].toSorted(([a], [b]) => (a < b ? -1 : 1));
writeLock({ ...lock, packages: Object.fromEntries(sorted) });
const unchecked = sorted.filter(([path, { integrity }]) => path !== "" && integrity === undefined).length;
console.log(missing.length === 0 ? "nothing was missing" : `added ${missing.length} platforms' packages`);
console.log(`${unchecked} of ${sorted.length - 1} packages have no checksum`);

function readLock(): Lock {
  return JSON.parse(readFileSync(PATH, "utf8")) as Lock;
}

function writeLock(written: Lock): void {
  writeFileSync(PATH, `${JSON.stringify(written, null, 2)}\n`);
}

function askAgain(): void {
  const before = readLock();
  const checked = Object.entries(before.packages).filter(([path, { integrity }]) => path === "" || integrity);
  writeLock({ ...before, packages: Object.fromEntries(checked) });
  const args = ["install", "--package-lock-only", "--ignore-scripts"];
  const { status } = spawnSync("npm", args, { cwd: dirname(PATH), stdio: "inherit", shell: platform() === "win32" });
  if (status === 0) return;
  writeLock(before);
  throw new Error("npm could not be asked again; package-lock.json is as it was");
}

function makeEntry(name: string, version: string, parent: LockedPackage): LockedPackage {
  // No system is named "wasi": its package goes by the processor alone.
  if (name.endsWith("-wasm32-wasi")) return { version, cpu: ["wasm32"], ...toDev(parent), optional: true };
  const [, os, cpu, abi = ""] = PLATFORM.exec(name) ?? [];
  if (os === undefined || cpu === undefined || !/^\d/.test(version)) {
    throw new Error(`${name}@${version} is not named as platforms' packages are: add its entry by hand`);
  }
  return { version, cpu: [cpu], ...toDev(parent), ...toLibc(os, abi), optional: true, os: [os] };
}

function toDev(parent: LockedPackage): { dev?: boolean } {
  return parent.dev === true ? { dev: true } : {};
}

function toLibc(os: string, abi: string): { libc?: readonly string[] } {
  if (os !== "linux" || abi === "") return {};
  return { libc: [abi.startsWith("musl") ? "musl" : "glibc"] };
}
