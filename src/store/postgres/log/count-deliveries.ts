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
  rowsCounted,
} from "../../sql/log/log-scans.ts";
import { findAnswers } from "../../sql/log/log-rows.ts";
import type { Value } from "../connection/connection.ts";
import { EVERY_ID, type IdRange, isIn, isInDays, spansBack, toPlaceholders, withOlder } from "../days.ts";
import { listLeases } from "../path/in-memory.ts";
import { COUNT_OF_EVENTS, isOfTypeAt, LETS_THROUGH } from "./delivery-lists.ts";
import { askOfEvents, listFewEvents } from "./list-deliveries.ts";
import { type ListDays, loadListDays } from "./list-days.ts";
import { listRowsInMemory } from "./list-in-memory.ts";
import type { Transaction } from "../transaction.ts";

export async function countDeliveries(tx: Transaction, params: CountDeliveries): Promise<CountedDeliveries> {
  const { type = null, destinationId = null, withTests } = params;
  const days = await loadListDays(tx, asPage(params));
  const few = await listFewEvents(tx, asPage(params), days);
  const sum = createSum(few === null ? rowsCounted(params) : params.rowsMax);
  const add = async (sql: string, filter: ListDeliveries, more: readonly Value[]): Promise<void> => {
    if (sum.left() <= 0) return;
    const counted = await tx.db.get<CountedRows>(sql, ...commonValues(filter, sum.left()), destinationId, ...more);
    if (counted !== undefined) sum.add(counted);
  };
  // Before any row is read: one that gets its row meanwhile is left out there.
  const inMemory = (await listRowsInMemory(tx, asPage(params), await listLeases(tx))).map(({ id }) => id);
  sum.add({ looked: inMemory.length, found: inMemory.length });
  if (few !== null) sum.add(await countOfFew(tx, { params, events: few, inMemory }));
  const owners = type === null ? OWNER_KINDS : tx.types.read(type).owners;
  const addAlong = async ({ index, key, filter }: CountScan, { deliveries, events }: PartOfLog): Promise<void> => {
    const ofType = type === null ? [] : [type, ...toPlaceholders(events)];
    const values = [owners, key, inMemory, ...toPlaceholders(deliveries), ...ofType];
    await add(countAlong(index, key, type !== null), filter, values);
  };
  const scans = few === null ? planCounts(params) : [];
  for (const scan of scans.filter(isOfQueue)) await addAlong(scan, EVERY_DAY);
  for (const part of listParts(params, days)) {
    const { deliveries, events } = part;
    for (const scan of scans.filter((each) => !isOfQueue(each))) await addAlong(scan, part);
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

const EVERY_DAY: PartOfLog = { deliveries: EVERY_ID, events: EVERY_ID };

interface CountOfFew {
  readonly params: CountDeliveries;
  readonly events: readonly string[];
  readonly inMemory: readonly string[];
}

/** All of them, so that none is left to be looked at. */
async function countOfFew(tx: Transaction, { params, events, inMemory }: CountOfFew): Promise<CountedRows> {
  const filter = { ...asPage(params), limit: params.rowsMax };
  const counted = await askOfEvents(filter, events, (values) =>
    tx.db.get<{ count: number }>(COUNT_OF_EVENTS, ...values, inMemory),
  );
  const found = counted.reduce((sum, each) => sum + (each?.count ?? 0), 0);
  return { looked: found, found };
}

/** Some days at once, back to the first that has a table. The last one has what waits and is older. */
function listParts(params: CountDeliveries, { nowMs, newestMs, endedFromMs }: ListDays): PartOfLog[] {
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
function countAlong(index: CountIndex, key: string | number | null, isOfType: boolean): string {
  const statements = isOfType ? COUNT_OF_TYPE_ALONG : COUNT_ALONG;
  if (index !== "recalled") return statements[index];
  return key === "pending" ? statements.recalled : statements.unsent;
}

/**
 * Rows of the account's destinations, `$8` and `$9`, without their tests and what is in memory, of `$12` to `$15`, and
 * where only one type counts, `$16`, with events of `$17` to `$20`.
 */
const along = (
  index: string,
  where: string,
  isOfType: boolean,
): string => `-- name: count ${isOfType ? "a type" : "deliveries"} along ${index}
  select count(*) as looked, count(*) filter (where is_found) as found
  from (
    select d.is_found
    from destinations t
    cross join lateral (
      select ${LETS_THROUGH}${isOfType ? ` and ${isOfTypeAt(16)}` : ""} as is_found
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

const countsAlong = (isOfType: boolean): Readonly<Record<CountIndex, string>> => ({
  all: along("deliveries_of_destination", "$10::text is null", isOfType),
  unsent: along(
    "deliveries_unsent",
    "d.state = $10::text and d.state in ('failed', 'cancelled') and d.is_ended",
    isOfType,
  ),
  retrying: along("deliveries_retrying", `${WAITS} and d.attempts_made > d.attempts_before`, isOfType),
  queue: along("deliveries_queue", WAITS, isOfType),
  recalled: along("deliveries_queue", WAITS, isOfType),
  refused: along(
    "deliveries_refused",
    `coalesce(d.last_status, 0) / 100 = $10::integer
        and (d.last_outcome <> 'response' or d.last_status not between 200 and 299)`,
    isOfType,
  ),
});

/** Exported for the test that reads their plans, like the next ones. */
export const COUNT_ALONG = countsAlong(false);

export const COUNT_OF_TYPE_ALONG = countsAlong(true);

/** Tests of an account, of one destination, `$8`, or type, of days, `$10` to `$13`, with events, `$14` to `$17`. */
export const COUNT_TESTS = `-- name: count tests of account
  select count(*) as looked, count(*) filter (where is_found) as found
  from (
    select ${LETS_THROUGH} as is_found
    from deliveries d
    join events v on v.id = d.event_id and ${isIn("v.id", 14)}
    where d.account_id = $1 and d.is_test and d.is_ended and ($8::text is null or d.destination_id = $8)
      and ($9::text is null or v.type = $9) and d.created_at >= $2 and d.created_at < $3
      and ${isInDays("d", 10)}
    limit $4
  ) looked_at`;
