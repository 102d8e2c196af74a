/**
 * How many deliveries a filter of the log lets through. It follows the indexes that a page follows, in no order, and
 * ends behind a bounded number of their rows, because the path waits for the writer meanwhile.
 */
import type { CountDeliveries, CountedDeliveries, ListDeliveries } from "../../contract/log.ts";
import { asPage, type CountedRows, type CountIndex, createSum, planCounts } from "../../sql/log/log-scans.ts";
import { findAnswers } from "../../sql/log/log-rows.ts";
import { ALONG, STATUS_AND_ANSWER, toStatusBits } from "./delivery-lists.ts";
import { listDestinationIds } from "./list-deliveries.ts";
import { listInMemory } from "./list-in-memory.ts";
import type { Transaction } from "../transaction.ts";

export function countDeliveries(tx: Transaction, params: CountDeliveries): CountedDeliveries {
  const sum = createSum(params.rowsMax);
  const inMemory = listInMemory(tx, asPage(params))(null, params.rowsMax).length;
  sum.add({ looked: inMemory, found: inMemory });
  const ids = JSON.stringify(listDestinationIds(tx, params));
  for (const { index, key, isImplied, filter } of planCounts(params)) {
    if (sum.left() <= 0) break;
    const values = [...valuesOf(filter, sum.left()), ids, key];
    sum.add(countRows(tx, countAlong(index, isImplied), values));
  }
  if (params.withTests && sum.left() > 0) {
    const { accountId, destinationId = null, type = null } = params;
    const values = [...valuesOf(asPage(params), sum.left()), accountId, destinationId, type];
    sum.add(countRows(tx, COUNT_TESTS, values));
  }
  return sum.end();
}

type Value = string | number | null;

const countRows = (tx: Transaction, sql: string, values: readonly Value[]): CountedRows =>
  tx.db.get<CountedRows>(sql, ...values) ?? { looked: 0, found: 0 };

/** In the places of the lists' statements, of which the second is not used. */
function valuesOf(filter: ListDeliveries, rows: number): Value[] {
  const { createdFromMs = 0, createdToMs = Number.MAX_SAFE_INTEGER, statuses, response } = filter;
  return [createdToMs, "", createdFromMs, rows, toStatusBits(statuses), ...findAnswers(response)];
}

const IN_TIME = "d.created_at >= ?3 and d.created_at < ?1";

/** Deliveries of the destinations `?8`, without their tests. Exported for the test that reads its plan. */
export const countAlong = (index: CountIndex, isImplied: boolean): string => `-- name: count deliveries: ${index}
  select count(*) as looked, coalesce(sum(is_found), 0) as found
  from (
    select ${isImplied ? "1" : STATUS_AND_ANSWER} as is_found
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
