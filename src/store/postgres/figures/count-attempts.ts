/**
 * Reading the figures of the charts: those of an account together, of each destination, or of some. Each answer has
 * one row with its histogram: a row for each bin cost the server and the node more than to add them up.
 *
 * Every statement reads counters and deltas at once, so it sees each count in one of the two places.
 */
import { daysMs } from "../../../lib/duration.ts";
import type { AttemptCount, CountAttempts } from "../../contract/log.ts";
import { HOUR_MS } from "../../sql/figures/kept-hours.ts";
import { loadHours } from "./account-hours.ts";
import { DELTA_COUNTS } from "./attempt-deltas.ts";
import type { Transaction } from "../transaction.ts";

/** Figures some hours old are kept by the quarter, after a day by the hour: they are counted at its start. */
export async function countAttempts(tx: Transaction, params: CountAttempts): Promise<AttemptCount[]> {
  const { accountId, destinationIds = null, fromMs, toMs, bucketMs, joined } = params;
  if (joined === "answers") return await countResults(tx, params);
  const values = [accountId, fromMs, toMs, bucketMs] as const;
  const rows =
    joined === "destinations" && destinationIds === null
      ? await tx.db.all<BinnedRow>(LIST_OF_ACCOUNT, ...values)
      : await tx.db.all<BinnedRow>(listOfDestinations(joined), ...values, destinationIds);
  return rows.flatMap(toCounts);
}

interface BinnedRow extends Omit<AttemptCount, "bin" | "count"> {
  readonly bins: Readonly<Record<string, number>>;
}

const toCounts = ({ bins, destinationId, atMs, kind, result, code }: BinnedRow): AttemptCount[] =>
  Object.entries(bins).map(([bin, count]) => ({ destinationId, atMs, kind, result, code, bin: Number(bin), count }));

/** The bars of a day are asked for, and nothing longer. */
const KEPT_SPAN_MS = daysMs(2);

/** Whole hours of all destinations come from memory, or from the row that housekeeping has made of one. */
async function countResults(tx: Transaction, params: CountAttempts): Promise<AttemptCount[]> {
  const { accountId, destinationIds = null, fromMs, toMs, bucketMs } = params;
  const isOfHours = bucketMs === HOUR_MS && fromMs % HOUR_MS === 0 && toMs % HOUR_MS === 0;
  if (destinationIds !== null || !isOfHours || toMs - fromMs > KEPT_SPAN_MS) {
    return await readResults(tx, { accountId, destinationIds, bucketMs, runs: [[fromMs, toMs]] });
  }
  const { keptHours } = tx.node;
  const hours = Array.from({ length: (toMs - fromMs) / HOUR_MS }, (_, place) => fromMs + place * HOUR_MS);
  const [sums, written] = await Promise.all([
    tx.db.all<{ atMs: number; count: number }>(SUM_HOURS, accountId, fromMs, toMs),
    loadHours(
      tx,
      accountId,
      hours.filter((hourMs) => keptHours.find(accountId, hourMs) === null),
    ),
  ]);
  for (const [hourMs, results] of written) keptHours.keep(accountId, hourMs, results);
  const read = (changed: readonly number[]) =>
    readResults(tx, { accountId, destinationIds, bucketMs, runs: toRuns(changed) });
  return await keptHours.findOrRead(hours, { accountId, sums, read });
}

type Run = readonly [fromMs: number, toMs: number];

/** Hours that follow one another are read as one. */
export function toRuns(hours: readonly number[]): Run[] {
  const runs: [number, number][] = [];
  for (const hourMs of hours) {
    const last = runs.at(-1);
    if (last?.[1] === hourMs) last[1] += HOUR_MS;
    else runs.push([hourMs, hourMs + HOUR_MS]);
  }
  return runs;
}

interface ReadResults extends Pick<CountAttempts, "accountId" | "bucketMs"> {
  readonly destinationIds: readonly string[] | null;
  readonly runs: readonly Run[];
}

async function readResults(
  tx: Transaction,
  { accountId, destinationIds, bucketMs, runs }: ReadResults,
): Promise<AttemptCount[]> {
  if (runs.length === 0) return [];
  const [starts, ends] = [runs.map(([fromMs]) => fromMs), runs.map(([, toMs]) => toMs)];
  const rows = await tx.db.all<ResultsRow>(LIST_RESULTS, accountId, starts, ends, bucketMs, destinationIds);
  return rows.flatMap(toResults);
}

interface ResultsRow {
  readonly destinationId: string;
  readonly results: readonly (readonly [atMs: number, result: AttemptCount["result"], count: number])[];
}

const toResults = ({ destinationId, results }: ResultsRow): AttemptCount[] =>
  results.map(([atMs, result, count]) => ({ destinationId, atMs, kind: "attempt", result, code: "", bin: 0, count }));

/** One row for each answer, with its histogram. */
const BINNED = `summed.destination_id as "destinationId", summed.at as "atMs", summed.kind, summed.result, summed.code,
    json_object_agg(summed.bin, summed.count) as bins`;

/** The counts `c` by buckets of `$4`. */
const SUMMED = `c.at - c.at % $4::bigint as at, c.kind, c.result, c.code, c.bin, sum(c.count)::bigint as count`;

const COUNTS_OF_ACCOUNT = `(
      select c.at, c.kind, c.result, c.code, c.bin, c.count
      from account_attempt_counts c
      where c.account_id = $1 and c.at >= $2 and c.at < $3
      union all
      select t.at, t.kind, t.result, t.code, t.bin, t.count
      from ${DELTA_COUNTS}
      where t.at >= $2 and t.at < $3
    ) c`;

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_OF_ACCOUNT = `-- name: list counts of account's attempts by bucket
  select ${BINNED}
  from (
    select '' as destination_id, ${SUMMED}
    from ${COUNTS_OF_ACCOUNT}
    group by 1, 2, 3, 4, 5, 6
  ) summed
  group by 1, 2, 3, 4, 5`;

const COUNTS_OF_DESTINATIONS = `(
      select c.destination_id, c.at, c.kind, c.result, c.code, c.bin, c.count
      from destinations d
      join attempt_counts c on c.destination_id = d.id
      where d.account_id = $1 and ($5::text[] is null or d.id = any ($5::text[]))
        and c.at >= $2 and c.at < $3
      union all
      select t.destination_id, t.at, t.kind, t.result, t.code, t.bin, t.count
      from ${DELTA_COUNTS}
      where ($5::text[] is null or t.destination_id = any ($5::text[])) and t.at >= $2 and t.at < $3
    ) c`;

/** Joined columns have the same value everywhere. */
export function listOfDestinations(joined: CountAttempts["joined"]): string {
  const destination = joined === "destinations" ? "''" : "c.destination_id";
  return `-- name: list counts of attempts by bucket, joined: ${joined ?? "none"}
  select ${BINNED}
  from (
    select ${destination} as destination_id, ${SUMMED}
    from ${COUNTS_OF_DESTINATIONS}
    group by 1, 2, 3, 4, 5, 6
  ) summed
  group by 1, 2, 3, 4, 5`;
}

/**
 * Sums results in the runs from `$2` to `$3`, by buckets of `$4`. Each destination has one row, as its results are
 * few. The query searches for each destination by itself: a plain join would read the whole table.
 */
export const LIST_RESULTS = `-- name: list counts of destinations' results by bucket
  select summed.destination_id as "destinationId",
    json_agg(json_build_array(summed.at, summed.result, summed.count)) as results
  from (
    select c.destination_id, c.at, c.result, sum(c.count)::bigint as count
    from (
      select d.id as destination_id, counted.at, counted.result, counted.count
      from unnest($2::bigint[], $3::bigint[]) as run (from_at, to_at)
      cross join destinations d
      cross join lateral (
        select c.at - c.at % $4::bigint as at, c.result, sum(c.count)::bigint as count
        from attempt_counts c
        where c.destination_id = d.id and c.at >= run.from_at and c.at < run.to_at and c.kind = 'attempt'
        group by 1, 2
      ) counted
      where d.account_id = $1 and ($5::text[] is null or d.id = any ($5::text[]))
      union all
      select t.destination_id, t.at - t.at % $4::bigint as at, t.result, t.count
      from unnest($2::bigint[], $3::bigint[]) as run (from_at, to_at)
      join ${DELTA_COUNTS} on t.at >= run.from_at and t.at < run.to_at
      where ($5::text[] is null or t.destination_id = any ($5::text[])) and t.kind = 'attempt'
    ) c
    group by 1, 2, 3
  ) summed
  group by 1`;

/** Attempts of an account in each hour. */
const SUM_HOURS = `-- name: sum counts of account's attempts by hour
  select c.at - c.at % 3600000 as "atMs", sum(c.count)::bigint as count
  from (
    select c.at, c.count
    from account_attempt_counts c
    where c.account_id = $1 and c.at >= $2 and c.at < $3 and c.kind = 'attempt'
    union all
    select t.at, t.count
    from ${DELTA_COUNTS}
    where t.at >= $2 and t.at < $3 and t.kind = 'attempt'
  ) c
  group by 1`;
