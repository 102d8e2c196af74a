/**
 * The statements behind a page of the log: the same columns, filter and order, each along its own index. Destinations
 * are walked inside the statement, each for no more than a page's rows.
 *
 * `$1` to `$7` are what every list has: behind which row (two), not before when, how many, which statuses, and from
 * which to which answer. An answer is its status, 0 for none, -1 before the first attempt.
 */
import { GIST_COLUMNS } from "../sql/gist-rows.ts";
import { hasId, isIn, isInDays } from "./days.ts";

/** A row of the log, from deliveries by the name `page`. Its event's type is read by itself. */
const SHOWN = `page.id, page.event_id as "eventId", page.destination_id as "destinationId", page.is_test as "isTest",
    page.state, page.attempts_made as "attemptsMade", page.attempts_made - page.attempts_before as "attemptsInSchedule",
    page.due_at as "dueAtMs", page.created_at as "createdAtMs", page.last_outcome as "lastOutcome",
    page.last_status as "lastStatus", page.last_ms as "lastMs"
  from page
  order by page.created_at desc, page.id desc`;

const COLUMNS = `d.id, d.event_id, d.destination_id, d.is_test, d.state, d.attempts_made, d.attempts_before, d.due_at,
      d.created_at, d.last_outcome, d.last_status, d.last_ms`;

const FILTER = `(d.created_at, d.id) < ($1::bigint, $2::text) and d.created_at >= $3 and d.bucket = any ($buckets)
        and ($5::text[] is null or case
          when d.state <> 'pending' then d.state
          when d.attempts_made > d.attempts_before then 'retrying' else 'waiting'
        end = any ($5))
        and ($6::integer is null or case
          when d.last_outcome is null then -1 else coalesce(d.last_status, 0)
        end between $6 and $7::integer)`;

const ORDER = `order by d.created_at desc, d.id desc
      limit $4`;

/**
 * Rows of the destinations `$8`, without their tests, of the days `$10` to `$13`. `$9` is the index's own key, where it
 * has one. First the newest of each destination: when as many others have something newer than a page has rows, it
 * cannot be on that page.
 */
const alongIndex = (index: string, where: string): string => `-- name: list deliveries along ${index}
  with heads as materialized (
    select t.id
    from unnest($8::text[]) as t (id)
    cross join lateral (
      select d.created_at, d.id
      from deliveries d
      where d.destination_id = t.id and not d.is_test and ${where}
        and ${isInDays("d", 10)}
        and ${FILTER}
      order by d.created_at desc, d.id desc
      limit 1
    ) newest
    order by newest.created_at desc, newest.id desc
    limit $4
  ), page as materialized (
    select ${COLUMNS}
    from heads
    cross join lateral (
      select ${COLUMNS}
      from deliveries d
      where d.destination_id = heads.id and not d.is_test and ${where}
        and ${isInDays("d", 10)}
        and ${FILTER}
      ${ORDER}
    ) d
    ${ORDER}
  )
  select ${SHOWN}`;

export type DeliveryIndex = "all" | "pending" | "retrying" | "refused" | "unsent";

/** Exported for the test that reads their plans, like the next ones. */
export const LIST_BY_INDEX: Readonly<Record<DeliveryIndex, string>> = {
  all: alongIndex("deliveries_of_destination", "$9::text is null"),
  unsent: alongIndex("deliveries_unsent", "d.state = $9::text and d.state in ('failed', 'cancelled') and d.is_ended"),
  retrying: alongIndex(
    "deliveries_retrying",
    "d.state = 'pending' and not d.is_ended and d.attempts_made > d.attempts_before and $9::text is null",
  ),
  // The queue's own order is another one: these are sorted, so only for few.
  pending: alongIndex("deliveries_queue", "d.state = 'pending' and not d.is_ended and $9::text is null"),
  refused: alongIndex(
    "deliveries_refused",
    `coalesce(d.last_status, 0) / 100 = $9::integer
        and (d.last_outcome <> 'response' or d.last_status not between 200 and 299)`,
  ),
};

/** Tests of an account, `$8`, of one destination or type, of days, `$11` to `$14`, and their events, `$15` to `$18`. */
export const LIST_TESTS = `-- name: list tests of account
  with page as materialized (
    select ${COLUMNS}
    from deliveries d
    join events v on v.id = d.event_id and ${isIn("v.id", 15)} and v.bucket = d.bucket
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
 * Deliveries of an account, `$8`, of the events `$11`, each between `$12` and `$13`, of one day, `$14` to `$17`. Each
 * event has a handful.
 */
export const LIST_OF_EVENTS = `-- name: list deliveries of events
  with page as materialized (
    select d.id, d.event_id, d.destination_id, d.is_test, d.state, d.attempts_made, d.attempts_before, d.due_at,
      d.created_at, d.last_outcome, d.last_status, d.last_ms
    from unnest($11::text[], $12::text[], $13::text[]) as given (event_id, first, behind)
    cross join lateral (
      select ${COLUMNS}
      from deliveries d
      where d.event_id = given.event_id and d.id >= given.first and d.id < given.behind and ${isInDays("d", 14)}
        and d.account_id = $8 and ($9 or not d.is_test) and ($10::text is null or d.destination_id = $10)
        and ${FILTER}
    ) d
    ${ORDER}
  )
  select ${SHOWN}`;

/** Events of a session or conversation. */
export const LIST_EVENTS_OF_SOURCE = `-- name: list events of source
  select event_id as id
  from event_keys k
  where k.account_id = $1 and k.type in ('demo_viewed', 'chat_conversation_completed') and k.source_id = $2::uuid
    and k.bucket = any ($buckets)`;

/** Exported for the test that reads its plan, and for the list. */
export const LIST_EVENTS_SHOWN = `-- name: list events of a page
  select e.id, e.type, ${GIST_COLUMNS}
  from events e
  left join search_entries s on s.event_id = e.id and s.event_id = any ($1::text[]) and s.bucket = e.bucket
  where e.id = any ($1::text[]) and e.bucket = any ($buckets)`;
