/**
 * The days that a page of the log can come from. Days before the first table have nothing, and what no day has a place
 * for is looked for only where there is any: each table that a plan leaves out is a search less for each destination.
 *
 * The queue is a table of its own, whatever the days are: the first span has all of it.
 */
import type { ListDeliveries } from "../../contract/log.ts";
import { findStart } from "../../sql/log/log-rows.ts";
import { type Dated, dayOfName, type IdRange, idsAround, SLACK_MS, type Span, spansBack } from "../days.ts";
import type { Transaction } from "../transaction.ts";

export interface ListDays {
  /** By the database's clock. */
  readonly nowMs: number;
  readonly hasUndated: boolean;
  /** Nothing is newer, of what is asked for. */
  readonly newestMs: number;
  /** Back in time; what is not pending. */
  readonly spans: readonly Span[];
  /** Nothing that has ended is older. */
  readonly endedFromMs: number;
  /** Where a step from there ends: it reads the days of one span, and the last one all that is older. */
  endOfStep(behindMs: number): number;
  /** Of deliveries that have ended, or of the events of any. */
  idsBetween(prefix: Dated, fromMs: number, toMs: number): IdRange;
  /** Of events, back in time. */
  readonly eventSpans: readonly Span[];
}

/** All of it is asked at once. */
export async function loadListDays(tx: Transaction, params: ListDeliveries): Promise<ListDays> {
  const [time, undated] = await Promise.all([
    tx.db.get<{ nowMs: number; oldest: string | null }>(ASK_DAYS),
    tx.db.get(FIND_UNDATED),
  ]);
  const nowMs = time?.nowMs ?? 0;
  const hasUndated = undated !== undefined;
  const dayMs = hasUndated ? null : dayOfName(time?.oldest ?? "");
  const endedFromMs = dayMs === null ? 0 : dayMs - SLACK_MS;
  const newestMs = Math.min(findStart(params).createdAtMs, nowMs);
  const oldestMs = Math.max(params.createdFromMs ?? 0, endedFromMs);
  const spans = spansBack({ newestMs, oldestMs, nowMs, hasUndated });
  return {
    nowMs,
    hasUndated,
    newestMs,
    spans,
    endedFromMs,
    endOfStep(behindMs) {
      const fromMs = spans.find((span) => span.fromMs < behindMs)?.fromMs ?? 0;
      return fromMs <= endedFromMs ? 0 : fromMs;
    },
    eventSpans: spansBack({ newestMs, oldestMs: params.createdFromMs ?? 0, nowMs }),
    // An event without an instant may have nothing but what waits.
    idsBetween: (prefix, fromMs, toMs) =>
      idsAround(prefix, {
        oldestMs: fromMs,
        newestMs: Math.min(toMs, newestMs),
        nowMs,
        hasUndated: hasUndated || prefix === "evt",
      }),
  };
}

/** The names of days sort as the days do. */
const ASK_DAYS = `-- name: ask for the database's time and first day
  select (extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs", (
      select min(c.relname::text)
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'deliveries'::regclass and c.relname ~ '_[0-9]{8}$'
    ) as oldest`;

const FIND_UNDATED = `-- name: find any delivery that no day has a place for
  select 1
  from deliveries_default d
  where d.is_ended
  limit 1`;
