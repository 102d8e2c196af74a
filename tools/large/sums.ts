/** The sums of docs/large.md: figures in, numbers out. */
import { of } from "./figures.ts";

/** A guess of ours: a node that delivers two fifths of what one did, five times its average. */
export const PEAK_PER_NODE = 2_000;
const PEAK_TO_AVERAGE = 5;

export const BUCKETS = 256;
export const GROUPS = 32;

const SECONDS_A_DAY = 86_400;

/** What nodes cost the server by being there, in cores. */
export function sumNodes(nodes: number) {
  const heardPerSecond = of("hints") * nodes * nodes;
  const cores = (micros: number): number => micros / 1e6;
  return {
    connections: nodes * of("connections"),
    pooledSessions: nodes * of("pooled"),
    idleCores: (nodes * of("idleMs")) / 1_000,
    looksCores: cores(nodes * of("hintedLooks") * of("lookMicros")),
    pooledLooksCores: cores(nodes * of("pooledLooks") * of("lookMicros")),
    heardPerSecond,
    hintsCores: cores(heardPerSecond * (of("hintMicros") + of("lookMicros"))),
    renewalsPerSecond: nodes / of("renewSeconds"),
    versionsCores: cores(nodes * of("versionQuestions") * of("viewsMax") * of("versionMicros")),
  };
}

/** What webhooks cost, when every node has its peak at once. */
export function sumLoad(nodes: number) {
  const peak = nodes * PEAK_PER_NODE;
  const perDay = (peak / PEAK_TO_AVERAGE) * SECONDS_A_DAY;
  return {
    peak,
    perDay,
    nodeCores: (peak * of("nodeMicros")) / 1e6,
    serverCores: (peak * of("serverMicros")) / 1e6,
    serverCoresAlone: (peak * of("aloneMicros")) / 1e6,
    logBytesPerSecond: peak * of("logBytes"),
    diskBytes: perDay * (30 * of("wholeBytes") + 60 * of("restBytes")),
    keyBytesPerYear: perDay * 365 * of("keyBytes"),
  };
}

/** Accounts that all have webhooks all the time, and whose records come to any node. */
export function sumAccounts(accounts: number) {
  const held = Math.min(accounts, of("viewsMax"));
  const missing = 1 - held / accounts;
  return {
    heldBytes: held * of("viewBytes"),
    missing,
    nodeMicros: of("nodeMicros") + missing * of("viewNodeMicros"),
    serverMicros: of("serverMicros") + missing * of("viewServerMicros"),
    perBucket: accounts / BUCKETS,
    perGroup: accounts / GROUPS,
  };
}

export function sumTables(retentionDays: number, shards: number) {
  // The oldest day is dropped once all of it is too old.
  const days = retentionDays + of("daysAhead") + 1;
  return { days, tables: days * of("tablesOfADay") * shards };
}
