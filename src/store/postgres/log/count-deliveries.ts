/**
 * How many deliveries a filter of the log lets through. It follows the indexes that a page follows, in no order, some
 * days at once, and ends behind a bounded number of their rows.
 */
import { OWNER_KINDS } from "../../../domain/event.ts";
import type { CountDeliveries, CountedDeliveries, ListDeliveries } from "../../contract/log.ts";
import {
  asPage,
  type CountedRows,
  type CountIndex,
  type CountScan,
  createSum,
  planCounts,
} from "../../sql/log/log-scans.ts";
import { findAnswers } from "../../sql/log/log-rows.ts";
import type { Value } from "../connection/connection.ts";
import { EVERY_ID, type IdRange, isIn, isInDays, spansBack, toPlaceholders, withOlder } from "../days.ts";
import { listLeases } from "../path/in-memory.ts";
import { loadListDays } from "./list-days.ts";
import { listRowsInMemory } from "./list-in-memory.ts";
import type { Transaction } from "../transaction.ts";

export async function countDeliveries(tx: Transaction, params: CountDeliveries): Promise<CountedDeliveries> {
  const { type = null, destinationId = null, withTests } = params;
  const sum = createSum(params.rowsMax);
  const add = async (sql: string, filter: ListDeliveries, more: readonly Value[]): Promise<void> => {
    if (sum.left() <= 0) return;
    const counted = await tx.db.get<CountedRows>(sql, ...commonValues(filter, sum.left()), destinationId, ...more);
    if (counted !== undefined) sum.add(counted);
  };
  // Before any row is read: one that gets its row meanwhile is left out there.
  const inMemory = (await listRowsInMemory(tx, asPage(params), await listLeases(tx))).map(({ id }) => id);
  sum.add({ looked: inMemory.length, found: inMemory.length });
  const owners = type === null ? OWNER_KINDS : tx.types.read(type).owners;
  const addAlong = async ({ index, key, filter }: CountScan, ids: IdRange): Promise<void> =>
    await add(countAlong(index, key), filter, [owners, key, inMemory, ...toPlaceholders(ids)]);
  const scans = planCounts(params);
  for (const scan of scans.filter(isOfQueue)) await addAlong(scan, EVERY_ID);
  for (const { deliveries, events } of await loadParts(tx, params)) {
    for (const scan of scans.filter((each) => !isOfQueue(each))) await addAlong(scan, deliveries);
    if (withTests)
      await add(COUNT_TESTS, asPage(params), [type, ...toPlaceholders(deliveries), ...toPlaceholders(events)]);
  }
  return sum.end();
}

/** The queue is one table, whatever the days: it is looked through once. */
const isOfQueue = ({ index, key }: CountScan): boolean =>
  index === "queue" || index === "retrying" || (index === "recalled" && key === "pending");

interface PartOfLog {
  readonly deliveries: IdRange;
  readonly events: IdRange;
}

/** Some days at once, back to the first that has a table. The last one has what waits and is older. */
async function loadParts(tx: Transaction, params: CountDeliveries): Promise<PartOfLog[]> {
  const { nowMs, newestMs, endedFromMs } = await loadListDays(tx, asPage(params));
  const spans = spansBack({ newestMs, oldestMs: Math.max(params.createdFromMs ?? 0, endedFromMs), nowMs });
  return spans.map(({ ids }, place) => ({
    deliveries: place === spans.length - 1 ? withOlder("dlv", ids("dlv")) : ids("dlv"),
    events: ids("evt"),
  }));
}

function commonValues(filter: ListDeliveries, rows: number): Value[] {
  const { accountId, createdFromMs = 0, createdToMs = Number.MAX_SAFE_INTEGER, statuses = null, response } = filter;
  return [accountId, createdFromMs, createdToMs, rows, statuses, ...findAnswers(response)];
}

/** No index here has what was sent again after a 2xx: it is looked for among all that waits, or was not sent. */
function countAlong(index: CountIndex, key: string | number | null): string {
  if (index !== "recalled") return COUNT_ALONG[index];
  return key === "pending" ? COUNT_ALONG.recalled : COUNT_ALONG.unsent;
}

const IS_FOUND = `($5::text[] is null or case
          when d.state <> 'pending' then d.state
          when d.attempts_made > d.attempts_before then 'retrying' else 'waiting'
        end = any ($5)) and ($6::integer is null or case
          when d.last_outcome is null then -1 else coalesce(d.last_status, 0)
        end between $6 and $7::integer)`;

/** Rows of the account's destinations, `$8` and `$9`, without their tests and what is in memory, of `$12` to `$15`. */
const along = (index: string, where: string): string => `-- name: count deliveries along ${index}
  select count(*) as looked, count(*) filter (where is_found) as found
  from (
    select d.is_found
    from destinations t
    cross join lateral (
      select ${IS_FOUND} as is_found
      from deliveries d
      where d.destination_id = t.id and not d.is_test and ${where} and d.created_at >= $2 and d.created_at < $3
        and ${isInDays("d", 12)}
        and d.id <> all ($11::text[])
      limit $4
    ) d
    where t.account_id = $1 and ($8::text is null or t.id = $8) and t.owner_kind = any ($9::text[])
    limit $4
  ) looked_at`;

const WAITS = "d.state = 'pending' and not d.is_ended and $10::text is not distinct from $10";

/** Exported for the test that reads their plans, like the next one. */
export const COUNT_ALONG: Readonly<Record<CountIndex, string>> = {
  all: along("deliveries_of_destination", "$10::text is null"),
  unsent: along("deliveries_unsent", "d.state = $10::text and d.state in ('failed', 'cancelled') and d.is_ended"),
  retrying: along("deliveries_retrying", `${WAITS} and d.attempts_made > d.attempts_before`),
  queue: along("deliveries_queue", WAITS),
  recalled: along("deliveries_queue", WAITS),
  refused: along(
    "deliveries_refused",
    `coalesce(d.last_status, 0) / 100 = $10::integer
        and (d.last_outcome <> 'response' or d.last_status not between 200 and 299)`,
  ),
};

/** Tests of an account, of one destination, `$8`, or type, of days, `$10` to `$13`, with events, `$14` to `$17`. */
export const COUNT_TESTS = `-- name: count tests of account
  select count(*) as looked, count(*) filter (where is_found) as found
  from (
    select ${IS_FOUND} as is_found
    from deliveries d
    join events v on v.id = d.event_id and ${isIn("v.id", 14)}
    where d.account_id = $1 and d.is_test and d.is_ended and ($8::text is null or d.destination_id = $8)
      and ($9::text is null or v.type = $9) and d.created_at >= $2 and d.created_at < $3
      and ${isInDays("d", 10)}
    limit $4
  ) looked_at`;
