/** The doctor's checks of the machine: versions, the clock, and whether a sync to disk works and how long it takes. */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import type { Config } from "../../config/options.ts";
import type { Clock } from "../../lib/clock.ts";
import { VERSION } from "../../lib/version.ts";
import { assertSqliteIsSafe } from "../../store/sqlite/writer/database-file.ts";
import { type DoctorContext, type Finding, bad, fine, warning } from "./finding.ts";
import { explainFileFault } from "../../lib/file-fault.ts";

/** Node could run this, so it is not far too old; `package.json` has the exact requirement. */
export function checkVersions(): Finding[] {
  const { node, sqlite = "unknown" } = process.versions;
  const text = `Bellwire ${VERSION} on Node ${node} with SQLite ${sqlite}.`;
  const needed = packageJson.engines.node.replace(">=", "");
  if (isOlder(node, needed))
    return [bad(text, `Node ${needed} or newer is needed: run it through npm, which brings one.`)];
  const fault = sqliteFault(sqlite);
  return [fault === null ? fine(text) : bad(text, fault)];
}

function isOlder(version: string, needed: string): boolean {
  return version.localeCompare(needed, "en", { numeric: true }) < 0;
}

function sqliteFault(version: string): string | null {
  try {
    assertSqliteIsSafe(version);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Guess. A difference above this between the two clocks, while the doctor ran, means that a clock was set. */
const CLOCK_STEP_MS = 200;

/**
 * A clock that is far behind makes receivers refuse every webhook as too old, and one that jumps makes retries early or
 * late. Without asking another machine, the doctor cannot know the right time; but the clock cannot be right when it is
 * behind the date of these files.
 */
export function checkClock(
  clock: Clock,
  startedAt: { readonly wallMs: number; readonly monotonicMs: number },
): Finding[] {
  const nowMs = clock.nowMs();
  const text = `The clock says ${new Date(nowMs).toISOString()}.`;
  const writtenMs = statSync(new URL("../../../package.json", import.meta.url)).mtimeMs;
  const advice = "Receivers refuse webhooks whose time is wrong by five minutes: let NTP keep the clock.";
  if (nowMs < writtenMs) return [bad(`${text} That is before this program was installed.`, advice)];
  const stepMs = nowMs - startedAt.wallMs - (clock.monotonicMs() - startedAt.monotonicMs);
  if (Math.abs(stepMs) <= CLOCK_STEP_MS) return [fine(text)];
  return [warning(`${text} It was set by ${Math.round(stepMs)} ms while this ran.`, advice)];
}

const SYNCS = 20;
const SYNC_BYTES = 8_192;
/** Guess. Faster than any device that keeps its data without power, where good NVMe with a capacitor takes 0.1 ms. */
const SYNC_MS_BELIEVABLE = 0.02;
/** Guess. Each accept waits for one sync: the product notices one that is slower than this. */
const SYNC_MS_SLOW = 50;

/**
 * Writes and syncs a small file beside the database, as each commit does, and measures it. A database server syncs on
 * its own disk, which the doctor cannot see.
 */
export function checkSync({ database, dataDir }: Config, { clock }: DoctorContext): Finding[] {
  if (database.kind !== "sqlite" || database.path === ":memory:") return [];
  const folder = existingFolder(existsSync(database.path) ? dirname(database.path) : dataDir);
  const path = join(folder, `.bellwire-doctor-${process.pid}`);
  try {
    return [judgeSync(timeSyncs(path, clock))];
  } catch (error) {
    return [bad(`A file in ${folder} cannot be written and synced: ${explainFileFault(path, error)}.`)];
  }
}

/** The nearest existing folder above: the first start may have to make the data folder itself. */
export function existingFolder(path: string): string {
  const full = resolve(path);
  return existsSync(full) || full === dirname(full) ? full : existingFolder(dirname(full));
}

/** The duration of each sync in milliseconds, sorted. */
function timeSyncs(path: string, clock: Clock): number[] {
  const file = openSync(path, "wx", 0o600);
  const block = Buffer.alloc(SYNC_BYTES, 1);
  const times: number[] = [];
  try {
    for (let count = 0; count < SYNCS; count += 1) {
      writeSync(file, block);
      const startedMs = clock.monotonicMs();
      fsyncSync(file);
      times.push(clock.monotonicMs() - startedMs);
    }
  } finally {
    closeSync(file);
    rmSync(path);
  }
  return times.toSorted((a, b) => a - b);
}

function judgeSync(times: readonly number[]): Finding {
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const slowest = times.at(-1) ?? 0;
  const text = `Syncing to disk takes ${median.toFixed(2)} ms (median of ${SYNCS}; slowest ${slowest.toFixed(2)} ms).`;
  if (median < SYNC_MS_BELIEVABLE) {
    return warning(text, "That is too fast for a disk: after a power cut, what was accepted may be gone.");
  }
  if (median <= SYNC_MS_SLOW) return fine(text);
  return warning(text, "Every accepted record waits for this: a faster disk is felt at once.");
}
