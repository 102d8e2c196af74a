/** How `../../sql/log/look-back.ts` reads counters and rows on SQLite. */
import type { ListDeliveries } from "../../contract/log.ts";
import { COUNTERS, type CountScope } from "../../sql/figures/count-tiers.ts";
import { type CountedPeriod, type CountedSegment, toRanges } from "../../sql/log/counted-windows.ts";
import { findAnswers } from "../../sql/log/log-rows.ts";
import type { LogScan } from "../../sql/log/log-scans.ts";
import {
  type CountedFilter,
  EARLIER_MS,
  lookBack,
  type LookedBack,
  type Step,
  type Stepped,
} from "../../sql/log/look-back.ts";
import { reachAlong } from "./delivery-lists.ts";
import type { ReadTransaction } from "../transaction.ts";

export interface LookBackAlong<Row> extends LogScan {
  readonly looksFor: NonNullable<LogScan["looksFor"]>;
  readonly ids: readonly string[];
  /** Rows of these destinations that the filter lets through, the newest first. */
  read(filter: ListDeliveries, ids: readonly string[], count: number): readonly Row[];
}

/** Each costs a search at each destination. */
const PERIODS_MAX = 24;

export const lookBackAlong = <Row>(tx: ReadTransaction, params: LookBackAlong<Row>): Promise<LookedBack<Row>> =>
  lookBack(params, {
    loadCounted: () => loadCounted(tx, params),
    findCounted: (segment) => findCounted(tx, params, segment),
    step: (step) => takeStep(tx, params, step),
    guessedFromMs: isFrequent(params) ? 0 : null,
    newestMs: Infinity,
    keptFromMs: 0,
    periodsMax: PERIODS_MAX,
  });

/** What arrived, whatever its code: most deliveries of an account do, though one destination may have none. */
function isFrequent({ index, filter: { type, response }, ids }: LookBackAlong<unknown>): boolean {
  const isOfAnyCode = response === undefined || (response !== "none" && "hundreds" in response);
  return index === "all" && type === undefined && isOfAnyCode && ids.length > 1;
}

function loadCounted(tx: ReadTransaction, { filter, looksFor }: LookBackAlong<unknown>): CountedFilter {
  const { accountId, destinationId, createdFromMs = 0 } = filter;
  const fromMs = createdFromMs - EARLIER_MS;
  const statements = destinationId === undefined ? LIST_OF_ACCOUNT : LIST_OF_DESTINATION;
  const oldestMs = tx.db.get<{ atMs: number | null }>(FIND_OLDEST, accountId)?.atMs ?? null;
  const values = [destinationId ?? accountId, fromMs, looksFor, ...findAnswers(filter.response)];
  return { periods: tx.db.all<CountedPeriod>(statements, ...values), oldestMs };
}

function findCounted(
  tx: ReadTransaction,
  { filter, ids, looksFor }: LookBackAlong<unknown>,
  { periods }: CountedSegment,
): readonly string[] {
  if (periods === null || periods.length > 2 * PERIODS_MAX) return ids;
  const ranges = toRanges(periods);
  const values = [JSON.stringify(ids), JSON.stringify(ranges), looksFor, ...findAnswers(filter.response)];
  const counted = new Set(tx.db.all<{ id: string }>(LIST_COUNTED, ...values).map(({ id }) => id));
  return ids.filter((id) => counted.has(id));
}

function takeStep<Row>(
  tx: ReadTransaction,
  { filter, index, key, read }: LookBackAlong<Row>,
  { among, behind, fromMs, each, count }: Step,
): Stepped<Row> {
  const values = [behind.createdAtMs, behind.id, fromMs, each, null, null, null, JSON.stringify(among), key];
  const found = tx.db.get<{ rows: number; reachedMs: number | null }>(reachAlong(index), ...values);
  const looked = found?.rows ?? 0;
  const reachedMs = Math.max(fromMs, found?.reachedMs ?? fromMs);
  const part = { ...filter, before: behind, createdFromMs: reachedMs };
  return { rows: looked === 0 ? [] : read(part, among, count), looked, behind: { createdAtMs: reachedMs, id: "" } };
}

/** Outcomes without an answer have words as their codes, which are 0 as a number. */
const IS_ASKED = "(?4 is null or cast(code as integer) between ?4 and ?5)";

function toListPeriods(scope: CountScope): string {
  const { table, column } = COUNTERS[scope];
  return `-- name: list periods with answers in ${table}
  select at as "atMs", kind, count, bins
  from ${table}
  where ${column} = ?1 and at >= ?2 and kind = ?3 and ${IS_ASKED}
  union all
  select at, kind, count, bins
  from attempt_deltas
  where ${column} = ?1 and at >= ?2 and kind = ?3 and ${IS_ASKED}`;
}

const LIST_OF_ACCOUNT = toListPeriods("account");
const LIST_OF_DESTINATION = toListPeriods("destination");

const FIND_OLDEST = `-- name: find oldest period of account
  select min(at) as "atMs"
  from (
    select min(at) as at
    from account_attempt_counts
    where account_id = ?1
    union all
    select min(at) as at
    from attempt_deltas
    where account_id = ?1
  )`;

/** A few too many do no harm, so deltas are taken whatever their time. */
export const LIST_COUNTED = `-- name: list destinations with answers in periods
  select t.value as id
  from json_each(?1) t
  where exists (
    select 1
    from json_each(?2) p
    cross join attempt_counts c
    where c.destination_id = t.value and c.at >= p.value ->> 0 and c.at < p.value ->> 1 and c.kind = ?3
      and ${IS_ASKED}
  )
  union all
  select destination_id
  from attempt_deltas
  where destination_id in (select value from json_each(?1)) and kind = ?3 and ${IS_ASKED}`;
