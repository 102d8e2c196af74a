/**
 * A real Chromium for tests: the machine's own where there is one, else the one that npm brought. The package unpacks
 * its binary into the temporary folder when first asked; several test processes may ask at once, so one at a time does.
 */
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import packaged from "@sparticuz/chromium";

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Its own processes and pages only: no updates, no telemetry, no sandbox (tests also run as root). */
export const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];

/** Where the browser's binary is. */
export async function findChromium(): Promise<string> {
  const installed = INSTALLED.find((path) => existsSync(path));
  return installed ?? (await unpackOnce());
}

const LOCK = join(tmpdir(), "bellwire-test-chromium.lock");
/** Unpacking takes two seconds; a lock that is older belongs to a process that has died. */
const LOCK_MS_MAX = 60_000;

async function unpackOnce(): Promise<string> {
  while (!tryLock()) await sleep(100);
  try {
    return await packaged.executablePath();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

/** Making a folder is atomic: the process that makes it holds the lock. */
function tryLock(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > LOCK_MS_MAX) rmSync(LOCK, { recursive: true, force: true });
    return false;
  }
}
