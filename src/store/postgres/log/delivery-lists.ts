/**
 * The statements behind a page of the log: the same columns, filter and order, each along its own index. Destinations
 * are walked inside the statement, each for no more than a page's rows.
 *
 * `$1` to `$7` are what every list has: behind which row (two), not before when, how many, which statuses, and from
 * which to which answer. An answer is its status, 0 for none, -1 before the first attempt.
 */
import { LISTED, namesOf, selected } from "../../columns.ts";
import { SUMMARY_COLUMNS } from "../../sql/log/event-rows.ts";
import { findAnswers, findStart, type LogFilter } from "../../sql/log/log-rows.ts";
import type { DeliveryIndex } from "./list-scans.ts";
import type { Value } from "../connection/connection.ts";
import { hasId, type IdRange, isIn, isInDays } from "../days.ts";

/** A row of the log, from deliveries by the name `page`. Its event is read by itself. */
const SHOWN = `${selected(LISTED, "page")}
  from page
  order by page.created_at desc, page.id desc`;

const COLUMNS = namesOf(LISTED)
  .map((name) => `d.${name}`)
  .join(", ");

const BEHIND = "(d.created_at, d.id) < ($1::bigint, $2::text) and d.created_at >= $3";

export const LETS_THROUGH = `($5::text[] is null or case
          when d.state <> 'pending' then d.state
          when d.attempts_made > d.attempts_before then 'retrying' else 'waiting'
        end = any ($5))
        and ($6::integer is null or case
          when d.last_outcome is null then -1 else coalesce(d.last_status, 0)
        end between $6 and $7::integer)`;

const FILTER = `${BEHIND}
        and ${LETS_THROUGH}`;

/** Its values, `$1` to `$7`. One row more than the page shows whether there is a next one. */
export function commonValues(filter: LogFilter): Value[] {
  const { createdFromMs = 0, statuses = null, limit } = filter;
  const { createdAtMs, id } = findStart(filter);
  return [createdAtMs, id, createdFromMs, limit + 1, statuses, ...findAnswers(filter.response)];
}

const ORDER = `order by d.created_at desc, d.id desc
      limit $4`;

/** The rows of each index; its own key, where it has one, stands at the placeholder. */
const ROWS_OF: Readonly<Record<DeliveryIndex, (key: string) => string>> = {
  all: (key) => `${key}::text is null`,
  unsent: (key) => `d.state = ${key}::text and d.state in ('failed', 'cancelled') and d.is_ended`,
  retrying: (key) =>
    `d.state = 'pending' and not d.is_ended and d.attempts_made > d.attempts_before and ${key}::text is null`,
  refused: (key) => `coalesce(d.last_status, 0) / 100 = ${key}::integer
        and (d.last_outcome <> 'response' or d.last_status not between 200 and 299)`,
  // The queue's own order is another one: these are sorted, so only for few.
  queue: (key) => `d.state = 'pending' and not d.is_ended and ${key}::text is null`,
  backlog: (key) => `not d.is_ended and ${key}::text is null`,
};

/** Where a list looks; each is a select of its own. */
export interface ListParts {
  /** Rows that have ended, of the days from `$11` to `$12`. */
  readonly days: boolean;
  /** Rows that have ended and that no day has a place for: ids below `$13` or from `$14` on. */
  readonly undated: boolean;
  /** The queue, whatever the days. */
  readonly pending: boolean;
}

interface RowsOfOne {
  readonly parts: ListParts;
  /** Its id is a destination's, its due bound whether anything waits there. */
  readonly of: string;
  readonly where: string;
  readonly limit: string;
}

/**
 * Rows of one destination, the newest first of each part. A condition that says `or` between days and queue would be
 * planned for the default partition too, and parts that have no limit would be read whole.
 */
function rowsOfOne(index: DeliveryIndex, { parts, of, where, limit }: RowsOfOne): string {
  const among = [
    ...(parts.days ? ["d.is_ended and d.id >= $11 and d.id < $12"] : []),
    ...(parts.undated ? ["d.is_ended and d.id < $13", "d.is_ended and d.id >= $14"] : []),
    ...(parts.pending ? [`not d.is_ended and ${of}.next_due_at is not null`] : []),
  ];
  const selects = among.map(
    (partitions) => `(
        select ${COLUMNS}
        from deliveries d
        where d.destination_id = ${of}.id and not d.is_test and ${ROWS_OF[index]("$9")} and ${partitions}
          and ${where}
        order by d.created_at desc, d.id desc
        limit ${limit}
      )`,
  );
  return selects.join(" union all ");
}

const PARTS = ["days", "undated", "pending"] as const;

const toName = (what: string, index: DeliveryIndex, parts: ListParts): string =>
  `-- name: ${what} along ${index}: ${PARTS.filter((part) => parts[part]).join(", ")}`;

/**
 * Rows of the destinations `$8`, without their tests, of some parts; `$9` is the index's own key. First the newest
 * `$10` of each destination, which is one: when as many others have something newer than a page has rows, it cannot be
 * on that page, and nothing that is older than the last of those. Exported for the test that reads their plans, like
 * the next ones.
 */
export const listAlong = (index: DeliveryIndex, parts: ListParts): string => `${toName("list deliveries", index, parts)}
  with heads as materialized (
    select t.id, t.next_due_at, newest.created_at
    from destinations t
    cross join lateral (
      select d.created_at, d.id
      from (${rowsOfOne(index, { parts, of: "t", where: FILTER, limit: "$10" })}) d
      order by d.created_at desc, d.id desc
      limit $10
    ) newest
    where t.id = any ($8::text[])
    order by newest.created_at desc, newest.id desc
    limit $4
  ), enough as materialized (
    select case when count(1) = $4 then min(created_at) else 0 end as at
    from heads
  ), page as materialized (
    select ${COLUMNS}
    from heads
    cross join lateral (${rowsOfOne(index, {
      parts,
      of: "heads",
      where: `d.created_at >= (select at from enough) and ${FILTER}`,
      limit: "$4",
    })}) d
    ${ORDER}
  )
  select ${SHOWN}`;

/**
 * A step of a look back: at most `$10` rows of each of the destinations, whatever the filter says of them, as far back
 * as all of those reach. One row has where that is and how many rows were looked at; beside it stand the rows of the
 * page, `null` where there is none. Their type, and where their events lie, stand at the last five placeholders.
 */
export const stepAlong = (
  index: DeliveryIndex,
  parts: ListParts,
  isOfType: boolean,
): string => `${toName(isOfType ? "look at a type" : "look at deliveries", index, parts)}
  with seen as materialized (
    select ${COLUMNS}, d.place
    from destinations t
    cross join lateral (
      select ${COLUMNS}, row_number() over (order by d.created_at desc, d.id desc) as place
      from (${rowsOfOne(index, { parts, of: "t", where: BEHIND, limit: "$10" })}) d
      order by d.created_at desc, d.id desc
      limit $10
    ) d
    where t.id = any ($8::text[])
  ), reach as materialized (
    select created_at, id
    from seen
    where place = $10
    order by created_at desc, id desc
    limit 1
  ), passed as materialized (
    select ${COLUMNS}
    from seen d
    where (d.created_at, d.id) >= (
        coalesce((select created_at from reach), 0), coalesce((select id from reach), '')
      )
  ), page as materialized (
    select ${COLUMNS}
    from passed d
    where ${LETS_THROUGH}${isOfType ? ` and ${isOfTypeAt(placesOf(parts))}` : ""}
    ${ORDER}
  )
  select (select count(1) from seen) as looked, (select count(1) from passed) as passed,
    (select created_at from reach) as "reachedMs",
    (select id from reach) as "reachedId", shown.*
  from (select 1) as always
  left join (select ${SHOWN}) shown on true`;

/** The first placeholder behind those of `placeValues`. */
const placesOf = ({ days, undated }: ListParts): number => 11 + (days ? 2 : 0) + (undated ? 2 : 0);

/** An event by itself, in its day: a join would read whole days. The type stands at `$place`, its days behind it. */
export const isOfTypeAt = (place: number): string =>
  `(
        select e.type
        from events e
        where e.id = d.event_id and ${isIn("e.id", place + 1)}
      ) = $${place}`;

/** The values of both from `$8` on. */
export const placeValues = (
  { ids, key, each }: { readonly ids: readonly string[]; readonly key: string | number | null; readonly each: number },
  parts: ListParts,
  { from, to, below, above }: IdRange,
): Value[] => [ids, key, each, ...(parts.days ? [from, to] : []), ...(parts.undated ? [below, above] : [])];

/** Tests of an account, `$8`, of one destination or type, of days, `$11` to `$14`, and their events, `$15` to `$18`. */
export const LIST_TESTS = `-- name: list tests of account
  with page as materialized (
    select ${COLUMNS}
    from deliveries d
    join events v on v.id = d.event_id and ${isIn("v.id", 15)}
    where d.account_id = $8 and d.is_test and d.is_ended and ($9::text is null or d.destination_id = $9)
        and ($10::text is null or v.type = $10)
        and ${isInDays("d", 11)}
        and ${FILTER}
      ${ORDER}
  )
  select ${SHOWN}`;

const named = (what: string, where: string): string => `-- name: list delivery by the id of ${what}
  with page as materialized (
    select ${COLUMNS}
    from deliveries d
    where ${where} and d.account_id = $8 and ($10 or not d.is_test) and ($11::text is null or d.destination_id = $11)
        and ${FILTER}
      ${ORDER}
  )
  select ${SHOWN}`;

/** Deliveries of an account, `$8`, of the delivery or the event `$9`: few, so they are sorted. */
export const LIST_BY_ID = {
  delivery: named("itself", hasId("d", 9)),
  event: named("its event", `d.event_id = $9 and ${isInDays("d", 12)}`),
} as const;

/**
 * Deliveries of an account, `$8`, of the events `$11`, each between `$12` and `$13`, of some days, `$14` to `$17`. Each
 * event has a handful. `offset 0` keeps the search of each event apart: a plan that joins them reads whole days. A
 * destination is compared so that no index serves it: a plan would read all that the destination had for each event.
 */
const OF_EVENTS = `from unnest($11::text[], $12::text[], $13::text[]) as given (event_id, first, behind)
    cross join lateral (
      select ${COLUMNS}
      from deliveries d
      where d.event_id = given.event_id and d.id >= given.first and d.id < given.behind and ${isInDays("d", 14)}
        and d.account_id = $8 and ($9 or not d.is_test)
        and ($10::text is null or d.destination_id is not distinct from $10)
        and ${FILTER}
      offset 0
    ) d`;

export const LIST_OF_EVENTS = `-- name: list deliveries of events
  with page as materialized (
    select ${COLUMNS}
    ${OF_EVENTS}
    ${ORDER}
  )
  select ${SHOWN}`;

/** Those in memory, `$18`, are left out; `$4` is the most that are counted. */
export const COUNT_OF_EVENTS = `-- name: count deliveries of few events
  select count(1) as count
  from (
    select 1
    ${OF_EVENTS}
    where d.id <> all ($18::text[])
    limit $4
  ) counted`;

/** Events of an account, of a type, of some days, `$4` to `$7`, in no order. */
export const LIST_EVENTS_OF_TYPE = `-- name: list events of type
  select e.id
  from events e
  where e.account_id = $1 and e.type = $2 and e.source_id is not null and ${isIn("e.id", 4)}
  limit $3`;

/** Their keys say it, and stay when a delivery is gone. */
export const COUNT_NAMED = `-- name: count deliveries of events by their keys
  select coalesce(sum(k.deliveries), 0)::bigint as count
  from events e
  join event_keys k on k.account_id = $1 and k.type = $2 and k.source_id = e.source_id
  where e.id = any ($3::text[])`;

/** Exported for the test that reads its plan, and for the list. */
export const LIST_EVENTS_SHOWN = `-- name: list events of a page
  select e.id, e.type, e.source_id as "sourceId", ${SUMMARY_COLUMNS}
  from events e
  left join search_entries s on s.event_id = e.id and s.event_id = any ($1::text[])
  where e.id = any ($1::text[])`;
