/** How `../../sql/log/look-back.ts` reads counters and rows on PostgreSQL. */
import type { DeliveryCursor, ListDeliveries } from "../../contract/log.ts";
import { COUNTERS, type CountScope } from "../../sql/figures/count-tiers.ts";
import { type CountedPeriod, type CountedSegment, toRanges } from "../../sql/log/counted-windows.ts";
import { findAnswers, type ListedRow } from "../../sql/log/log-rows.ts";
import type { LogScan } from "../../sql/log/log-scans.ts";
import {
  type CountedFilter,
  EARLIER_MS,
  lookBack,
  type LookedBack,
  type Step,
  type Stepped,
} from "../../sql/log/look-back.ts";
import { findBin } from "../../../domain/histogram.ts";
import { AT_ONCE_MS } from "../../sql/log/counted-windows.ts";
import { DELTA_COUNTS } from "../figures/attempt-deltas.ts";
import { commonValues, placeValues, stepAlong } from "./delivery-lists.ts";
import { type Dated, toPlaceholders } from "../days.ts";
import type { ListDays } from "./list-days.ts";
import type { DeliveryScan } from "./list-scans.ts";
import type { Transaction } from "../transaction.ts";

export interface LookBackAlong extends DeliveryScan {
  readonly looksFor: NonNullable<LogScan["looksFor"]>;
  readonly ids: readonly string[];
}

/**
 * Each costs a search at each destination, some 6 µs. That is as much as to look there for what has an index of nearly
 * all of its filter.
 */
const PERIODS_MAX = 6;

/** The first days are looked at before the counters are asked: most filters name something that is frequent. */
export const lookBackAlong = (tx: Transaction, scan: LookBackAlong, days: ListDays): Promise<LookedBack<ListedRow>> =>
  lookBack(scan, {
    loadCounted: () => loadCounted(tx, scan),
    findCounted: (segment) => findCounted(tx, scan, segment),
    step: (step) => takeStep(tx, { scan, days }, step),
    // A type is seldom that frequent, and what is looked at in vain counts.
    guessedFromMs: scan.filter.type === undefined ? (days.spans[0]?.fromMs ?? 0) : null,
    newestMs: days.newestMs,
    // The queue may have older rows than any day.
    keptFromMs: scan.withPending ? 0 : days.endedFromMs,
    periodsMax: scan.index === "all" ? PERIODS_MAX : Infinity,
  });

interface Reached {
  readonly looked: number;
  readonly passed: number;
  readonly reachedMs: number | null;
  readonly reachedId: string | null;
}

/** One stands there alone where the step found nothing. */
type SteppedRow = Reached & (ListedRow | { readonly id: null });

const isListed = (row: SteppedRow): row is Reached & ListedRow => row.id !== null;

function toListedRow(stepped: Reached & ListedRow): ListedRow {
  const { looked: _, passed: __, reachedMs: ___, reachedId: ____, ...row } = stepped;
  return row;
}

/** A step reads the days of one span, however far back it may go. */
async function takeStep(
  tx: Transaction,
  { scan, days }: { readonly scan: LookBackAlong; readonly days: ListDays },
  { among, behind, each, count, ...step }: Step,
): Promise<Stepped<ListedRow>> {
  const { index, key, filter, withEnded, withPending } = scan;
  const fromMs = Math.max(step.fromMs, days.endOfStep(behind.createdAtMs));
  const common = commonValues({ ...filter, before: behind, createdFromMs: fromMs, limit: count - 1 });
  const isOfDays = withEnded && behind.createdAtMs > days.endedFromMs;
  const parts = { days: isOfDays, undated: withEnded && days.hasUndated, pending: withPending };
  if (!parts.days && !parts.undated && !parts.pending)
    return { rows: [], ...NOTHING, behind: { createdAtMs: fromMs, id: "" } };
  const between = (prefix: Dated) => days.idsBetween(prefix, fromMs, behind.createdAtMs);
  const places = placeValues({ ids: among, key, each }, parts, between("dlv"));
  const ofType = filter.type === undefined ? [] : [filter.type, ...toPlaceholders(between("evt"))];
  const sql = stepAlong(index, parts, filter.type !== undefined);
  const rows = await tx.db.all<SteppedRow>(sql, ...common, ...places, ...ofType);
  const [{ looked, passed, reachedMs, reachedId } = NOTHING] = rows;
  const end: DeliveryCursor =
    reachedMs === null ? { createdAtMs: fromMs, id: "" } : { createdAtMs: reachedMs, id: reachedId ?? "" };
  return { rows: rows.filter(isListed).map(toListedRow), looked, passed, behind: end };
}

const NOTHING: Reached = { looked: 0, passed: 0, reachedMs: null, reachedId: null };

/** Periods first: when an old one is dropped meanwhile, the oldest that is kept says so. */
async function loadCounted(tx: Transaction, { filter, looksFor }: LookBackAlong): Promise<CountedFilter> {
  const { accountId, destinationId, createdFromMs = 0 } = filter;
  const values = [accountId, createdFromMs - EARLIER_MS, looksFor, ...findCodes(filter), AT_ONCE_BIN];
  const [periods, oldest] = await Promise.all([
    destinationId === undefined
      ? tx.db.all<CountedPeriod>(listPeriods("account"), ...values)
      : tx.db.all<CountedPeriod>(listPeriods("destination"), ...values, destinationId),
    tx.db.get<{ atMs: number | null }>(FIND_OLDEST_PERIOD, accountId),
  ]);
  return { periods, oldestMs: oldest?.atMs ?? null };
}

/** Deliveries that arrived sooner are one window, whatever their bin. */
const AT_ONCE_BIN = findBin(AT_ONCE_MS) - 1;

async function findCounted(
  tx: Transaction,
  { filter, ids, looksFor }: LookBackAlong,
  { periods }: CountedSegment,
): Promise<readonly string[]> {
  if (periods === null || periods.length > PERIODS_MAX) return ids;
  const ranges = toRanges(periods);
  const starts = ranges.map(([fromMs]) => fromMs);
  const ends = ranges.map(([, toMs]) => toMs);
  const values = [filter.accountId, ids, looksFor, ...findCodes(filter), starts, ends];
  const found = await tx.db.all<{ id: string }>(LIST_COUNTED, ...values);
  return found.map(({ id }) => id);
}

/** From which to which code is counted. Outcomes without an answer have words, which sort behind all numbers. */
function findCodes({ response }: ListDeliveries): readonly [min: string | null, max: string | null] {
  if (response === "none") return ["a", "~"];
  const [min, max] = findAnswers(response);
  return [min?.toString() ?? null, max?.toString() ?? null];
}

/** Bins up to `$6` are added up. Exported for the test that reads its plan, like the next one. */
export function listPeriods(scope: CountScope): string {
  const { table, column } = COUNTERS[scope];
  const place = scope === "account" ? "$1" : "$7";
  return `-- name: list periods with answers in ${table}
  select summed.at as "atMs", $3::text as kind, sum(summed.count)::bigint as count,
    coalesce(json_object_agg(summed.bin, summed.count) filter (where summed.bin >= 0), '{}')::text as bins
  from (
    select counted.at, counted.bin, sum(counted.count) as count
    from (
      select c.at, case when c.bin > $6 then c.bin else -1 end as bin, c.count
      from ${table} c
      where c.${column} = ${place} and c.at >= $2 and c.kind = $3
        and ($4::text is null or c.code between $4 and $5::text)
      union all
      select t.at, case when t.bin > $6 then t.bin else -1 end as bin, t.count
      from ${DELTA_COUNTS}
      where t.${column} = ${place} and t.at >= $2 and t.kind = $3
        and ($4::text is null or t.code collate "C" between $4 and $5::text)
    ) counted
    group by counted.at, counted.bin
  ) summed
  group by summed.at`;
}

const FIND_OLDEST_PERIOD = `-- name: find oldest period of account
  select min(counted.at) as "atMs"
  from (
    select min(c.at) as at
    from account_attempt_counts c
    where c.account_id = $1
    union all
    select min(t.at) as at
    from ${DELTA_COUNTS}
  ) counted`;

/** A few too many do no harm, so what is not added up yet is taken whatever its time. */
export const LIST_COUNTED = `-- name: list destinations with answers in periods
  select given.id
  from unnest($2::text[]) as given (id)
  cross join lateral (
    select 1
    from unnest($6::bigint[], $7::bigint[]) as period (from_at, to_at)
    cross join lateral (
      select 1
      from attempt_counts c
      where c.destination_id = given.id and c.at >= period.from_at and c.at < period.to_at and c.kind = $3
        and ($4::text is null or c.code between $4 and $5::text)
      limit 1
    ) counted
    limit 1
  ) found
  union
  select t.destination_id
  from ${DELTA_COUNTS}
  where t.destination_id = any ($2) and t.kind = $3
    and ($4::text is null or t.code collate "C" between $4 and $5::text)`;
