/** The doctor's checks of the machine: versions, clock, and whether a sync to disk works and what it costs. */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import type { Config } from "../config/options.ts";
import type { Clock } from "../lib/clock.ts";
import { VERSION } from "../lib/version.ts";
import { assertSqliteIsSafe } from "../store/sqlite/database-file.ts";
import { type DoctorContext, type Finding, bad, fine, warning } from "./doctor-finding.ts";
import { systemCode } from "./read-file.ts";

/** Node got here, so it is not far too old; `package.json` says what is needed exactly. */
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

/** More than this between the two clocks, while the doctor ran, is a clock that was set. Guess. */
const CLOCK_STEP_MS = 200;

/**
 * A clock that is far behind makes receivers refuse every webhook as too old, and one that jumps makes retries early or
 * late. It cannot be compared with the right time without asking somebody; but it cannot be before these files were
 * written, either.
 */
export function checkClock(
  clock: Clock,
  startedAt: { readonly wallMs: number; readonly monotonicMs: number },
): Finding[] {
  const nowMs = clock.nowMs();
  const text = `The clock says ${new Date(nowMs).toISOString()}.`;
  const writtenMs = statSync(new URL("../../package.json", import.meta.url)).mtimeMs;
  const advice = "Receivers refuse webhooks whose time is wrong by five minutes: let NTP keep the clock.";
  if (nowMs < writtenMs) return [bad(`${text} That is before this program was installed.`, advice)];
  const stepMs = nowMs - startedAt.wallMs - (clock.monotonicMs() - startedAt.monotonicMs);
  if (Math.abs(stepMs) <= CLOCK_STEP_MS) return [fine(text)];
  return [warning(`${text} It was set by ${Math.round(stepMs)} ms while this ran.`, advice)];
}

const SYNCS = 20;
const SYNC_BYTES = 8_192;
/** Faster than any device that keeps its data without power. Guess, from 0.1 ms on good NVMe with a capacitor. */
const SYNC_MS_BELIEVABLE = 0.02;
/** Each accept waits for one: slower than this is felt by the product. Guess. */
const SYNC_MS_SLOW = 50;

/**
 * Writes and syncs a small file where the database is, as each commit does, and takes the time. What syncs for a
 * database server is the server's disk, which is not seen from here.
 */
export function checkSync({ database, dataDir }: Config, { clock }: DoctorContext): Finding[] {
  if (database.kind !== "sqlite" || database.path === ":memory:") return [];
  const folder = existingFolder(existsSync(database.path) ? dirname(database.path) : dataDir);
  const path = join(folder, `.bellwire-doctor-${process.pid}`);
  try {
    return [judgeSync(timeSyncs(path, clock))];
  } catch (error) {
    return [
      bad(`A file in ${folder} cannot be written and synced (${systemCode(error)}).`, "Check disk and permissions."),
    ];
  }
}

/** The nearest folder above that there is: the data folder itself may only be made by the first start. */
export function existingFolder(path: string): string {
  const full = resolve(path);
  return existsSync(full) || full === dirname(full) ? full : existingFolder(dirname(full));
}

/** Milliseconds of each sync, sorted. */
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
