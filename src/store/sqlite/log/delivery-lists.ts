/**
 * The statements behind a page of the log: the same columns, filter and order, each along its own index. The index is
 * named, so that a statement that could not follow it fails in the tests and not in front of a large table.
 *
 * `?1` to `?7` are what every statement has: behind which row (two), not before when, how many, which statuses, and
 * from which to which answer. Statuses are bits (`STATUS_BITS`): a list of words would cost more than the search. An
 * answer is its status, 0 for none, -1 before the first attempt. Statements along an index also have the type of the
 * event, `?10`, which none of the indexes knows.
 */
import { LISTED, selected } from "../../columns.ts";
import type { ListDeliveries, ListedDelivery } from "../../contract/log.ts";
import type { LogIndex } from "../../sql/log/log-scans.ts";
import { NO_ABOUT } from "../../../domain/event.ts";
import { SUMMARY_COLUMNS, summaryOf, type SummaryRow } from "../../sql/log/event-rows.ts";
import type { ReadTransaction } from "../transaction.ts";

/** A bit for each status; `FILTER` has them too. */
const STATUS_BITS = { waiting: 1, retrying: 2, delivered: 4, failed: 8, cancelled: 16 } as const;

/** `null`: every status. */
export const toStatusBits = (statuses: ListDeliveries["statuses"]): number | null =>
  statuses === undefined ? null : statuses.reduce((sum, status) => sum | STATUS_BITS[status], 0);

const COLUMNS = `${selected(LISTED, "d", { eventId: "e.id" })}, e.type as "eventType"`;

/** The part of a filter that no order helps with. */
export const STATUS_AND_ANSWER = `(?5 is null or ?5 & case d.state
      when 'delivered' then 4 when 'failed' then 8 when 'cancelled' then 16
      else iif(d.attempts_made > d.attempts_before, 2, 1)
    end)
    and (?6 is null or case when d.last_outcome is null then -1 else coalesce(d.last_status, 0) end between ?6 and ?7)`;

const FILTER = `(d.created_at, d.id) < (?1, ?2) and d.created_at >= ?3
    and ${STATUS_AND_ANSWER}`;

/** Of a delivery whose event nothing else asks for. */
export const IS_OF_TYPE = "(?10 is null or (select e.type from events e where e.seq = d.event_seq) = ?10)";

const NEWEST_FIRST = "order by d.created_at desc, d.id desc";

interface Along {
  readonly index: string;
  /** Its rows; `?9` is its own key, where it has one. */
  readonly where: string;
}

export const ALONG: Readonly<Record<LogIndex, Along>> = {
  all: { index: "deliveries_of_destination", where: "?9 is null" },
  unsent: { index: "deliveries_unsent", where: "d.state = ?9 and d.state in ('failed', 'cancelled')" },
  retrying: {
    index: "deliveries_retrying",
    where: "?9 is null and d.state = 'pending' and d.attempts_made > d.attempts_before",
  },
  refused: {
    index: "deliveries_refused",
    where: `coalesce(d.last_status, 0) / 100 = ?9
    and (d.last_outcome <> 'response' or d.last_status not between 200 and 299)`,
  },
  recalled: {
    index: "deliveries_recalled",
    where: `d.state = ?9 and d.state <> 'delivered' and d.last_outcome = 'response'
    and d.last_status between 200 and 299`,
  },
  queue: { index: "deliveries_pending", where: "?9 is null and d.state = 'pending'" },
  backlog: { index: "deliveries_of_destination", where: "?9 is null" },
};

const BEHIND = "(d.created_at, d.id) < (?1, ?2) and d.created_at >= ?3";

/**
 * The newest `?4` of each of the destinations `?8`, without their tests, as keys, which sort as their rows do; `null`
 * where there is none. `place`: in the list of destinations. Where the index lets through what the filter does
 * (`isImplied`) no row is read for it. Exported for the test that reads its plan, as the others.
 */
export const keysAlong = (name: LogIndex, isImplied: boolean): string => `-- name: list keys of deliveries: ${name}
  select t.key as place, (
    select group_concat(key)
    from (
      select (${KEY_TIME} + d.created_at) || d.id as key
      from deliveries d indexed by ${ALONG[name].index}
      where d.destination_id = t.value and d.is_test = 0 and ${ALONG[name].where}
        and ${isImplied ? `${BEHIND} and ?10 is null` : `${FILTER} and ${IS_OF_TYPE}`}
      ${NEWEST_FIRST}
      limit ?4
    )
  ) as keys
  from json_each(?8) t`;

/** Added to an instant, so that each has as many digits: any that JavaScript has. */
const KEY_TIME = 1_000_000_000_000_000;
const TIME_DIGITS = 16;

export const idOfKey = (key: string): string => key.slice(TIME_DIGITS);
export const timeOfKey = (key: string): number => Number(key.slice(0, TIME_DIGITS)) - KEY_TIME;

export const LIST_BY_IDS = `-- name: list deliveries of these ids
  select ${COLUMNS}
  from json_each(?) wanted
  cross join deliveries d on d.id = wanted.value
  cross join events e on e.seq = d.event_seq`;

/**
 * How far back `?4` rows of each of the destinations `?8` reach, whatever the filter says of them, and how many rows
 * that are. A destination's number and time come as one: a subquery has one column.
 */
export const reachAlong = (name: LogIndex): string => `-- name: find reach of rows of destinations: ${name}
  select coalesce(sum(counted % ${REACH_ROWS}), 0) as rows,
    max(iif(counted % ${REACH_ROWS} = ?4, counted / ${REACH_ROWS}, null)) as "reachedMs"
  from (
    select (
      select count(*) + ${REACH_ROWS} * coalesce(min(created_at), 0)
      from (
        select d.created_at
        from deliveries d indexed by ${ALONG[name].index}
        where d.destination_id = t.value and d.is_test = 0 and ${ALONG[name].where} and ${BEHIND}
        ${NEWEST_FIRST}
        limit ?4
      )
    ) as counted
    from json_each(?8) t
  )`;

/** More than a reach has rows; with an instant before them it fits into 64 bits. */
export const REACH_ROWS = 100_000;

/** How many wait at each of the destinations `?1`, up to `?2`. */
export const COUNT_PENDING = `-- name: count pending deliveries of destinations up to a limit
  select t.value as id, (
      select count(*)
      from (select 1 from deliveries where destination_id = t.value and state = 'pending' limit ?2)
    ) as count
  from json_each(?1) t`;

/** Destinations of an account, only one of them or all of owners of these kinds. */
export const LIST_DESTINATION_IDS = `-- name: list ids of destinations of account
  select id
  from destinations
  where account_id = ?1 and (?2 is null or id = ?2) and owner_kind in (select value from json_each(?3))`;

/** Tests of an account, `?8`, of one destination or type. `?9` is not used, so that all lists take the same places. */
export const LIST_TESTS = `-- name: list tests of account
  select ${COLUMNS}
  from deliveries d indexed by deliveries_tested
  cross join events e on e.seq = d.event_seq
  where d.account_id = ?8 and d.is_test = 1 and ?9 is null and (?10 is null or d.destination_id = ?10)
    and (?11 is null or e.type = ?11) and ${FILTER}
  ${NEWEST_FIRST}
  limit ?4`;

/** Deliveries of an account, `?8`, of the events `?9`: few, so they are sorted. */
export const LIST_OF_EVENTS = `-- name: list deliveries of events
  select ${COLUMNS}
  from json_each(?9) wanted
  cross join events e on e.id = wanted.value
  cross join json_each(e.deliveries) n
  cross join deliveries d on d.id = n.key
  where d.account_id = ?8 and (?12 = 1 or d.is_test = 0) and (?10 is null or d.destination_id = ?10)
    and (?11 is null or e.type = ?11) and ${FILTER}
  ${NEWEST_FIRST}
  limit ?4`;

/** Events of an account, `?1`, of the type `?2`, up to `?3` of them. */
export const COUNT_EVENTS_OF_TYPE = `-- name: count events of type up to a limit
  select count(*) as count
  from (
    select 1
    from events indexed by events_listed
    where account_id = ?1 and type = ?2 and source_id is not null
    limit ?3
  )`;

/** The deliveries that these events name, up to `?3` of them. */
export const COUNT_NAMED_OF_TYPE = `-- name: count deliveries of type up to a limit
  select count(*) as count
  from (
    select 1
    from events e indexed by events_listed
    cross join json_each(e.deliveries) n
    where e.account_id = ?1 and e.type = ?2 and e.source_id is not null
    limit ?3
  )`;

/** Deliveries of an account, `?8`, of its events of the type `?9`, to the destination `?10` or to all: few. */
const OF_TYPE = `from events e indexed by events_listed
  cross join json_each(e.deliveries) n
  cross join deliveries d on d.id = n.key
  where e.account_id = ?8 and e.type = ?9 and e.source_id is not null and (?10 is null or n.value = ?10)`;

export const LIST_OF_TYPE = `-- name: list deliveries of type
  select ${COLUMNS}
  ${OF_TYPE} and ${FILTER}
  ${NEWEST_FIRST}
  limit ?4`;

export const COUNT_OF_TYPE = `-- name: count deliveries of type
  select count(*) as found
  ${OF_TYPE} and d.created_at >= ?3 and d.created_at < ?1 and ${STATUS_AND_ANSWER}`;

/** Deliveries of an account, `?8`, of the delivery, event, session or conversation `?9`: few, so they are sorted. */
export const LIST_BY_ID = `-- name: list deliveries by the id of anything
  select ${COLUMNS}
  from deliveries d
  cross join events e on e.seq = d.event_seq
  where d.id in (
      select ?9
      union
      select x.id
      from events v
      cross join json_each(v.deliveries) n
      cross join deliveries x on x.id = n.key
      where v.id = ?9 or v.seq in (select value from json_each(?12))
    )
    and d.account_id = ?8 and (?13 = 1 or d.is_test = 0) and (?10 is null or d.destination_id = ?10)
    and (?11 is null or e.type = ?11) and ${FILTER}
  ${NEWEST_FIRST}
  limit ?4`;

/* The subjects of a page of events, for rows that name them. */

type Subject = Pick<ListedDelivery, "sourceId" | "about">;

export function withSubjects<Row extends { readonly eventId: string }>(
  tx: ReadTransaction,
  rows: readonly Row[],
): (Row & Subject)[] {
  const ids = [...new Set(rows.map(({ eventId }) => eventId))];
  const found = tx.db.all<SummaryRow & Pick<Subject, "sourceId"> & { readonly id: string }>(
    LIST_SUMMARIES,
    JSON.stringify(ids),
  );
  const subjects = new Map(
    found.map(({ sourceId, ...row }): [string, Subject] => [
      row.id,
      { sourceId, about: summaryOf(tx.types.read(row.type), row).about },
    ]),
  );
  return rows.map((row) => ({ ...row, ...(subjects.get(row.eventId) ?? { sourceId: null, about: NO_ABOUT }) }));
}

const LIST_SUMMARIES = `-- name: list what events are about
  select e.id, e.type, e.source_id as "sourceId", ${SUMMARY_COLUMNS}
  from json_each(?) wanted
  cross join events e on e.id = wanted.value
  left join search_entries s on s.event_id = e.id`;
