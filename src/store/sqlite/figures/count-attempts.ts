/**
 * Reading the figures of the charts: those of an account together, of each destination, or of some. Histograms are
 * added up here and not by the database: to unfold each of them into rows took four times as long.
 */
import { daysMs } from "../../../lib/duration.ts";
import type { AttemptCount, CountAttempts } from "../../contract/log.ts";
import { parseBins } from "./attempt-counts.ts";
import { HOUR_MS } from "../../sql/figures/kept-hours.ts";
import type { ReadTransaction } from "../transaction.ts";
import type { CountIncident, IncidentFigures } from "../../contract/incidents.ts";
import { findIncidentSpan, type LookedAt, sumIncident, toLookedAt } from "../../sql/figures/incident-figures.ts";

/** Figures some hours old are kept by the quarter, after a day by the hour: they are counted at its start. */
export async function countAttempts(tx: ReadTransaction, params: CountAttempts): Promise<AttemptCount[]> {
  const { accountId, destinationIds, fromMs, toMs, bucketMs, joined } = params;
  if (joined === "answers") return addDeltas(await countResults(tx, params), listResultsOfDeltas(tx, params));
  const isOfAll = joined === "destinations" && destinationIds === undefined;
  const rows = isOfAll
    ? tx.db.each<CountedRow>(LIST_OF_ACCOUNT, accountId, fromMs, toMs)
    : tx.db.each<CountedRow>(LIST_OF_DESTINATIONS, accountId, fromMs, toMs, printIds(destinationIds));
  return addUp(rows, { bucketMs, isJoined: joined === "destinations" });
}

/** `null`: all of the account. */
const printIds = (ids: readonly string[] | undefined): string | null =>
  ids === undefined ? null : JSON.stringify(ids);

interface CountedRow extends Omit<AttemptCount, "bin" | "count"> {
  readonly bins: string;
}

interface Sum {
  readonly of: CountedRow;
  readonly atMs: number;
  readonly bins: Map<number, number>;
}

function addUp(
  rows: Iterable<CountedRow>,
  { bucketMs, isJoined }: { readonly bucketMs: number; readonly isJoined: boolean },
): AttemptCount[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const atMs = row.atMs - (row.atMs % bucketMs);
    const key = `${isJoined ? "" : row.destinationId} ${atMs} ${row.kind} ${row.result} ${row.code}`;
    let sum = sums.get(key);
    if (sum === undefined) sums.set(key, (sum = { of: row, atMs, bins: new Map() }));
    for (const [bin, count] of parseBins(row.bins)) sum.bins.set(bin, (sum.bins.get(bin) ?? 0) + count);
  }
  return Array.from(sums.values()).flatMap(({ of: { destinationId, kind, result, code }, atMs, bins }) =>
    Array.from(bins, ([bin, count]) => ({
      destinationId: isJoined ? "" : destinationId,
      atMs,
      kind,
      result,
      code,
      bin,
      count,
    })),
  );
}

/** Without deltas. Whole hours of all destinations come from memory. */
async function countResults(tx: ReadTransaction, params: CountAttempts): Promise<readonly AttemptCount[]> {
  const { accountId, destinationIds, fromMs, toMs, bucketMs } = params;
  const isOfHours = bucketMs === HOUR_MS && fromMs % HOUR_MS === 0 && toMs % HOUR_MS === 0;
  if (destinationIds !== undefined || !isOfHours || toMs - fromMs > KEPT_SPAN_MS) return readResults(tx, params);
  const hours = Array.from({ length: (toMs - fromMs) / HOUR_MS }, (_, place) => fromMs + place * HOUR_MS);
  const sums = tx.db.all<{ atMs: number; count: number }>(SUM_HOURS, accountId, fromMs, toMs);
  const read = (changed: readonly number[]) =>
    readResults(tx, { ...params, fromMs: Math.min(...changed), toMs: Math.max(...changed) + HOUR_MS });
  return await tx.db.keptHours.findOrRead(hours, { accountId, sums, read });
}

/** Only the newest buckets have deltas: the results of all others stay as they were read. */
function addDeltas(read: readonly AttemptCount[], deltas: readonly AttemptCount[]): AttemptCount[] {
  const changed = new Set(deltas.map(({ atMs }) => atMs));
  const sums = new Map<string, AttemptCount>();
  const add = (result: AttemptCount): void => {
    const key = `${result.destinationId} ${result.atMs} ${result.result}`;
    sums.set(key, { ...result, count: result.count + (sums.get(key)?.count ?? 0) });
  };
  for (const result of read) if (changed.has(result.atMs)) add(result);
  for (const delta of deltas) add(delta);
  return [...read.filter(({ atMs }) => !changed.has(atMs)), ...sums.values()];
}

/** The bars of a day are asked for, and nothing longer. */
const KEPT_SPAN_MS = daysMs(2);

function readResults(tx: ReadTransaction, params: CountAttempts): AttemptCount[] {
  return tx.db.all<ResultsRow>(LIST_RESULTS, ...toValues(params)).flatMap(toResults);
}

function listResultsOfDeltas(tx: ReadTransaction, params: CountAttempts): AttemptCount[] {
  const rows = tx.db.all<DeltaRow>(LIST_RESULTS_OF_DELTAS, ...toValues(params));
  return rows.map(({ destinationId: id, atMs, result, count }) => toResult(id, [atMs, result, count]));
}

const toValues = ({ accountId, destinationIds, fromMs, toMs, bucketMs }: CountAttempts) =>
  [accountId, fromMs, toMs, bucketMs, printIds(destinationIds)] as const;

type DeltaRow = Pick<AttemptCount, "destinationId" | "atMs" | "result" | "count">;

interface ResultsRow {
  readonly destinationId: string;
  /** JSON: a list of bucket, result and count, one after another. */
  readonly results: string;
}

function toResults({ destinationId, results }: ResultsRow): AttemptCount[] {
  const listed = JSON.parse(results) as readonly Result[];
  return listed.map((result) => toResult(destinationId, result));
}

type Result = readonly [atMs: number, result: AttemptCount["result"], count: number];

function toResult(destinationId: string, [atMs, result, count]: Result): AttemptCount {
  return { destinationId, atMs, kind: "attempt", result, code: "", bin: 0, count };
}

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_OF_ACCOUNT = `-- name: list counts of account's attempts
  select '' as "destinationId", at as "atMs", kind, result, code, bins
  from account_attempt_counts
  where account_id = ?1 and at >= ?2 and at < ?3
  union all
  select '', at, kind, result, code, bins
  from attempt_deltas
  where account_id = ?1 and at >= ?2 and at < ?3`;

export const LIST_OF_DESTINATIONS = `-- name: list counts of destinations' attempts
  select c.destination_id as "destinationId", c.at as "atMs", c.kind, c.result, c.code, c.bins
  from destinations d
  cross join attempt_counts c on c.destination_id = d.id
  where d.account_id = ?1 and (?4 is null or d.id in (select value from json_each(?4))) and c.at >= ?2 and c.at < ?3
  union all
  select destination_id, at, kind, result, code, bins
  from attempt_deltas
  where account_id = ?1 and (?4 is null or destination_id in (select value from json_each(?4)))
    and at >= ?2 and at < ?3`;

/** Grouped by themselves, each destination's are few; a row for each would cost more than to read them. */
export const LIST_RESULTS = `-- name: list counts of destinations' results by bucket
  select d.id as "destinationId", (
      select json_group_array(json_array("atMs", result, count))
      from (
        select c.at - c.at % ?4 as "atMs", c.result, sum(c.count) as count
        from attempt_counts c
        where c.destination_id = d.id and c.at >= ?2 and c.at < ?3 and c.kind = 'attempt'
        group by 1, 2
      )
    ) as results
  from destinations d
  where d.account_id = ?1 and (?5 is null or d.id in (select value from json_each(?5)))`;

const SUM_HOURS = `-- name: sum account's attempts by hour
  select at - at % ${HOUR_MS} as "atMs", sum(count) as count
  from account_attempt_counts
  where account_id = ? and at >= ? and at < ? and kind = 'attempt'
  group by 1`;

const LIST_RESULTS_OF_DELTAS = `-- name: list deltas of destinations' results by bucket
  select destination_id as "destinationId", at - at % ?4 as "atMs", result, sum(count) as count
  from attempt_deltas
  where account_id = ?1 and (?5 is null or destination_id in (select value from json_each(?5)))
    and at >= ?2 and at < ?3 and kind = 'attempt'
  group by 1, 2, 3`;

/*
 * An incident's deliveries, counted by what became of them: the newest of its time first, as many as the
 * caller lets it look at.
 */

export async function countIncident(tx: ReadTransaction, params: CountIncident): Promise<IncidentFigures | null> {
  const span = await findIncidentSpan(tx, params);
  if (span === null) return null;
  const { destinationId, fromMs, toMs, oldestMs } = span;
  const rows = tx.db.all<LookedAt>(LOOK_AT, destinationId, oldestMs, toMs, params.rowsMax, fromMs);
  return sumIncident(rows, span, params.rowsMax);
}

/** Exported for the test that reads its plan. */
export const LOOK_AT = `-- name: look at deliveries of incident
  with looked_at as materialized (
    select id, state, created_at, settled_at, attempts_made, last_outcome, last_status
    from deliveries indexed by deliveries_of_destination
    where destination_id = ?1 and is_test = 0 and created_at >= ?2 and created_at < ?3
    order by created_at desc
    limit ?4
  )
  select ${toLookedAt("?5")}
  from looked_at d
  group by 1, 2`;
