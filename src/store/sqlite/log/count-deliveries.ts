/**
 * How many deliveries a filter of the log lets through. It follows the indexes that a page follows, in no order, and
 * ends behind a bounded number of their rows, because others who read wait meanwhile.
 */
import type { CountDeliveries, CountedDeliveries, ListDeliveries } from "../../contract/log.ts";
import {
  asPage,
  type CountedRows,
  type CountIndex,
  createSum,
  planCounts,
  rowsCounted,
} from "../../sql/log/log-scans.ts";
import { findAnswers } from "../../sql/log/log-rows.ts";
import { ALONG, COUNT_OF_TYPE, IS_OF_TYPE, STATUS_AND_ANSWER, toStatusBits } from "./delivery-lists.ts";
import { isTypeOfFew, listDestinationIds } from "./list-deliveries.ts";
import { listRowsInMemory } from "./list-in-memory.ts";
import type { ReadTransaction } from "../transaction.ts";

export function countDeliveries(tx: ReadTransaction, params: CountDeliveries): CountedDeliveries {
  const isFew = isTypeOfFew(tx, asPage(params));
  const sum = createSum(isFew ? params.rowsMax : rowsCounted(params));
  const inMemory = listRowsInMemory(tx, asPage(params)).length;
  sum.add({ looked: inMemory, found: inMemory });
  for (const rows of isFew ? countOfType(tx, params) : countAlongAll(tx, params, sum.left)) {
    sum.add(rows);
  }
  const { accountId, destinationId = null, type = null } = params;
  if (params.withTests && sum.left() > 0) {
    const values = [...valuesOf(asPage(params), sum.left()), accountId, destinationId, type];
    sum.add(countRows(tx, COUNT_TESTS, values));
  }
  return sum.end();
}

/** All of the type's, of which there are few. */
function countOfType(tx: ReadTransaction, params: CountDeliveries): CountedRows[] {
  const { accountId, type = null, destinationId = null } = params;
  const counted = countRows(tx, COUNT_OF_TYPE, [...valuesOf(asPage(params), 0), accountId, type, destinationId]);
  return [{ looked: counted.found, found: counted.found }];
}

/** Each only when it is asked for: what is left depends on those before. */
function* countAlongAll(tx: ReadTransaction, params: CountDeliveries, left: () => number): Generator<CountedRows> {
  const ids = JSON.stringify(listDestinationIds(tx, params));
  for (const { index, key, isImplied, filter } of planCounts(params)) {
    if (left() <= 0) break;
    const values = [...valuesOf(filter, left()), ids, key, params.type ?? null];
    yield countRows(tx, countAlong(index, isImplied), values);
  }
}

type Value = string | number | null;

const countRows = (tx: ReadTransaction, sql: string, values: readonly Value[]): CountedRows =>
  tx.db.get<CountedRows>(sql, ...values) ?? { looked: 0, found: 0 };

/** In the places of the lists' statements, of which the second is not used. */
function valuesOf(filter: ListDeliveries, rows: number): Value[] {
  const { createdFromMs = 0, createdToMs = Number.MAX_SAFE_INTEGER, statuses, response } = filter;
  return [createdToMs, "", createdFromMs, rows, toStatusBits(statuses), ...findAnswers(response)];
}

const IN_TIME = "d.created_at >= ?3 and d.created_at < ?1";

/**
 * Deliveries of the destinations `?8`, without their tests, of the type `?10`, which is null where all count. Exported
 * for the test that reads its plan.
 */
export const countAlong = (index: CountIndex, isImplied: boolean): string => `-- name: count deliveries: ${index}
  select count(*) as looked, coalesce(sum(is_found), 0) as found
  from (
    select ${isImplied ? "?10 is null" : `${STATUS_AND_ANSWER} and ${IS_OF_TYPE}`} as is_found
    from json_each(?8) t
    cross join deliveries d indexed by ${ALONG[index].index}
    where d.destination_id = t.value and d.is_test = 0 and ${ALONG[index].where} and ${IN_TIME}
    limit ?4
  )`;

/** Tests of an account, `?8`, of one destination or type. */
export const COUNT_TESTS = `-- name: count tests of account
  select count(*) as looked, coalesce(sum(is_found), 0) as found
  from (
    select ${STATUS_AND_ANSWER} as is_found
    from deliveries d indexed by deliveries_tested
    cross join events e on e.seq = d.event_seq
    where d.account_id = ?8 and d.is_test = 1 and (?9 is null or d.destination_id = ?9)
      and (?10 is null or e.type = ?10) and ${IN_TIME}
    limit ?4
  )`;
