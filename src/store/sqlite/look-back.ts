/**
 * Looks at rows of the log one by one where a filter has no index for all that it names, such as one code among the
 * 2xx: from the newest back, only where the counters say that there is something (`../sql/counted-windows.ts`), and at
 * no more than `LOOKED_AT_MAX` rows. Where it stops before the end it says how far it came.
 */
import { hoursMs } from "../../lib/duration.ts";
import type { DeliveryCursor, ListDeliveries } from "../contract/log.ts";
import {
  type CountedPeriod,
  type CountedSegment,
  nextSegment,
  SLACK_MS,
  toRanges,
  toWindows,
  type CountedWindow,
} from "../sql/counted-windows.ts";
import { findAnswers, findStart } from "../sql/log-rows.ts";
import type { LogWay } from "../sql/log-ways.ts";
import { writeAllCounts } from "./count-epochs.ts";
import { reachAlong } from "./delivery-lists.ts";
import type { Ordered, ReadList } from "./newest-first.ts";
import type { Transaction } from "./transaction.ts";

/** Each takes some 4 µs, and the writer waits for it. */
const LOOKED_AT_MAX = 8_000;
/** In one step; a page of what is frequent ends with the first. */
const STEP_ROWS = 2_500;
const ROWS_OF_EACH_MIN = 4;
/** The newest periods have few rows, or none: windows are wider than what they count. */
const FIRST_PAGES = 16;

export interface LookBack<Row> extends Pick<LogWay, "filter" | "index" | "key"> {
  readonly looksFor: NonNullable<LogWay["looksFor"]>;
  readonly ids: readonly string[];
  /** Rows of these destinations that the filter lets through, the newest first. */
  read(filter: ListDeliveries, ids: readonly string[], count: number): readonly Row[];
}

export interface LookedBack<Row> {
  readonly rows: readonly Row[];
  /** Rows that are older were not all looked at; `null` when that is not needed any more. */
  readonly reachedMs: number | null;
}

export function lookBack<Row extends Ordered>(tx: Transaction, params: LookBack<Row>): LookedBack<Row> {
  const { filter, ids } = params;
  if (ids.length === 0) return { rows: [], reachedMs: null };
  const most = filter.lookedAtMax ?? LOOKED_AT_MAX;
  const count = filter.limit + 1;
  const known = { ...loadWindows(tx, params), oldestMs: filter.createdFromMs ?? 0 };
  const rows: Row[] = [];
  const start = findStart(filter);
  let end = start;
  let looked = 0;
  for (let wanted = FIRST_PAGES * count; ; wanted *= 4) {
    // Behind a row there may be others of its millisecond.
    const segment = nextSegment(end.id === "" ? end.createdAtMs : end.createdAtMs + 1, { ...known, rows: wanted });
    if (segment === null) return { rows, reachedMs: null };
    if (segment.toMs <= end.createdAtMs) end = { createdAtMs: segment.toMs, id: "" };
    const among = findCounted(tx, params, segment);
    looked += ids.length;
    for (let hasMore = among.length > 0; hasMore;) {
      // Each page comes further back than the one before, whatever it may look at.
      if (looked >= most && end.createdAtMs < start.createdAtMs) return { rows, reachedMs: end.createdAtMs };
      const reach = findReach(tx, params, { among, end, fromMs: segment.fromMs, most });
      looked += reach.looked;
      const part = { ...filter, before: end, createdFromMs: reach.fromMs };
      rows.push(...params.read(part, among, count - rows.length));
      if (rows.length >= count) return { rows, reachedMs: null };
      end = { createdAtMs: reach.fromMs, id: "" };
      hasMore = reach.fromMs > segment.fromMs;
    }
    end = { createdAtMs: segment.fromMs, id: "" };
  }
}

interface Known {
  readonly windows: readonly CountedWindow[];
  readonly knownFromMs: number;
}

/** Of the one destination that is asked for, or of the account. */
function loadWindows(tx: Transaction, { filter, looksFor }: LookBack<Ordered>): Known {
  if (looksFor === "uncounted") return { windows: [], knownFromMs: Infinity };
  writeAllCounts(tx);
  const { accountId, destinationId, createdFromMs = 0 } = filter;
  const statements = destinationId === undefined ? OF_ACCOUNT : OF_DESTINATION;
  const oldest = tx.db.get<{ atMs: number }>(OF_ACCOUNT.oldest, accountId);
  if (oldest === undefined) return { windows: [], knownFromMs: Infinity };
  const values = [destinationId ?? accountId, createdFromMs - EARLIER_MS, looksFor];
  const periods = tx.db.all<CountedPeriod>(statements.periods, ...values, ...findAnswers(filter.response));
  return { windows: toWindows(periods), knownFromMs: oldest.atMs + SLACK_MS };
}

/** The destinations that the segment's periods count something for. */
function findCounted(
  tx: Transaction,
  { filter, ids, looksFor }: LookBack<Ordered>,
  { periods }: CountedSegment,
): readonly string[] {
  const ranges = periods === null || ids.length < 2 ? null : toRanges(periods);
  if (ranges === null) return ids;
  const values = [JSON.stringify(ids), JSON.stringify(ranges), looksFor, ...findAnswers(filter.response)];
  return tx.db.all<{ id: string }>(LIST_COUNTED, ...values).map(({ id }) => id);
}

interface Reach {
  readonly among: readonly string[];
  readonly end: DeliveryCursor;
  readonly fromMs: number;
  readonly most: number;
}

/** How far back one step comes: to the segment's start, or to where the busiest destination has had its share. */
function findReach(
  tx: Transaction,
  { index, key }: LookBack<Ordered>,
  { among, end, fromMs, most }: Reach,
): { readonly looked: number; readonly fromMs: number } {
  const each = Math.max(ROWS_OF_EACH_MIN, Math.ceil(Math.min(STEP_ROWS, most) / among.length));
  const values = [end.createdAtMs, end.id, fromMs, each, null, null, null, JSON.stringify(among), key];
  const found = tx.db.get<{ rows: number; reachedMs: number | null }>(reachAlong(index), ...values);
  return { looked: (found?.rows ?? 0) + among.length, fromMs: Math.max(fromMs, found?.reachedMs ?? fromMs) };
}

/** As one of the lists of a page. */
export const toList =
  <Row extends Ordered>(rows: readonly Row[]): ReadList<Row> =>
  (before, limit) => {
    const first = before === null ? 0 : rows.findIndex(({ id }) => id === before.id) + 1;
    return rows.slice(first, first + limit);
  };

/** Counts of an hour that begins before the oldest row may be of its end. */
const EARLIER_MS = hoursMs(1) + SLACK_MS;

const toStatements = (table: string, column: string) => ({
  periods: `-- name: list periods with answers in ${table}
  select at as "atMs", kind, count, bins
  from ${table}
  where ${column} = ?1 and at >= ?2 and kind = ?3 and (?4 is null or cast(code as integer) between ?4 and ?5)`,
  oldest: `-- name: find oldest period in ${table}
  select at as "atMs"
  from ${table}
  where ${column} = ?
  order by at
  limit 1`,
});

const OF_ACCOUNT = toStatements("account_attempt_counts", "account_id");
const OF_DESTINATION = toStatements("attempt_counts", "destination_id");

/** Outcomes without an answer have words as their codes, which are 0 as a number. */
export const LIST_COUNTED = `-- name: list destinations with answers in periods
  select t.value as id
  from json_each(?1) t
  where exists (
    select 1
    from json_each(?2) p
    cross join attempt_counts c
    where c.destination_id = t.value and c.at >= p.value ->> 0 and c.at < p.value ->> 1 and c.kind = ?3
      and (?4 is null or cast(c.code as integer) between ?4 and ?5)
  )`;
