/**
 * The figures of the charts on SQLite: a counter by time, result and answer is one row with its histogram, of each
 * destination and of each account's destinations together. A transaction's counts are added up first, so that a batch
 * of a thousand settlements writes a few dozen rows.
 */
import { COUNTERS, type CountScope } from "../../sql/figures/count-tiers.ts";
import { type SettledAttempt, toFigures } from "../../sql/path/settled-rows.ts";
import { type Addition, addToBin, type Counts, sumBins } from "./counters.ts";
import type { Transaction } from "../transaction.ts";

export function noteCounts(counts: Counts, settled: SettledAttempt): void {
  const { accountId, destinationId: id } = settled;
  for (const { bin, atMs, kind, result, code } of toFigures(settled)) {
    addToBin(counts.findOrAdd({ scope: "destination", id, accountId, atMs, kind, result, code }), bin, 1);
  }
}

/** Writes what the transaction has counted: before its commit, and before it reads counts itself. */
export function flushCounts(tx: Transaction): void {
  // Those of accounts come in behind, and have nothing to pass on.
  for (const { accountId, bins, ...counter } of tx.counts.values()) {
    if (accountId === null) continue;
    const ofAccount = tx.counts.findOrAdd({ ...counter, scope: "account", id: accountId, accountId: null });
    for (const [bin, count] of bins) addToBin(ofAccount, bin, count);
  }
  for (const addition of tx.counts.values()) write(tx, addition);
  tx.counts.clear();
}

function write(tx: Transaction, addition: Addition): void {
  const { scope, id, atMs, kind, result, code, bins } = addition;
  tx.db.keptHours.forget(atMs);
  const kept = tx.db.get<{ bins: string }>(FIND_BINS[scope], id, atMs, kind, result, code);
  for (const [bin, count] of kept === undefined ? [] : parseBins(kept.bins)) addToBin(addition, bin, count);
  tx.db.run(
    SAVE_COUNT[scope],
    id,
    atMs,
    kind,
    result,
    code,
    sumBins(addition),
    JSON.stringify(Object.fromEntries(bins)),
  );
}

export function parseBins(json: string): [bin: number, count: number][] {
  return Object.entries(JSON.parse(json) as Record<string, number>).map(([bin, count]) => [Number(bin), count]);
}

type Table = (typeof COUNTERS)[CountScope];

const toFindBins = ({ table, column }: Table): string => `-- name: find bins in ${table}
  select bins
  from ${table}
  where ${column} = ? and at = ? and kind = ? and result = ? and code = ?`;

const toSaveCount = ({ table, column }: Table): string => `-- name: save count in ${table}
  insert into ${table} (${column}, at, kind, result, code, count, bins)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict do update
  set count = excluded.count, bins = excluded.bins`;

const FIND_BINS = { destination: toFindBins(COUNTERS.destination), account: toFindBins(COUNTERS.account) } as const;

const SAVE_COUNT = { destination: toSaveCount(COUNTERS.destination), account: toSaveCount(COUNTERS.account) } as const;
