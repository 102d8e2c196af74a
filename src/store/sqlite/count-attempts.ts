/** Reading the figures of the charts: those of an account together, of each destination, or of one. */
import type { AttemptCount, CountAttempts } from "../contract/log.ts";
import { writeAllCounts } from "./count-epochs.ts";
import type { Transaction } from "./transaction.ts";

/** Figures some hours old are kept by the quarter, after a day by the hour: they are counted at its start. */
export function countAttempts(tx: Transaction, params: CountAttempts): AttemptCount[] {
  writeAllCounts(tx);
  const { accountId, destinationId = null, fromMs, toMs, bucketMs, joined } = params;
  const span = [accountId, fromMs, toMs, bucketMs] as const;
  const isOfAll = joined === "destinations" && destinationId === null;
  const rows = isOfAll
    ? tx.db.all<AttemptCount>(LIST_OF_ACCOUNT, ...span)
    : tx.db.all<AttemptCount>(LIST_OF_DESTINATIONS[joined ?? "nothing"], ...span, destinationId);
  return rows.map((row) => ({ ...row }));
}

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_OF_ACCOUNT = `-- name: list counts of account's attempts by bucket
  select '' as "destinationId", c.at - c.at % ?4 as "atMs", c.kind, c.result, c.code, cast(b.key as integer) as bin,
    sum(b.value) as count
  from account_attempt_counts c
  cross join json_each(c.bins) b
  where c.account_id = ?1 and c.at >= ?2 and c.at < ?3
  group by 2, 3, 4, 5, 6`;

const listOfDestinations = (destinationId: string): string => `-- name: list counts of destinations' attempts by bucket
  select ${destinationId} as "destinationId", c.at - c.at % ?4 as "atMs", c.kind, c.result, c.code,
    cast(b.key as integer) as bin, sum(b.value) as count
  from destinations d
  cross join attempt_counts c on c.destination_id = d.id
  cross join json_each(c.bins) b
  where d.account_id = ?1 and (?5 is null or d.id = ?5) and c.at >= ?2 and c.at < ?3
  group by 1, 2, 3, 4, 5, 6`;

const LIST_WITHOUT_ANSWERS = `-- name: list counts of destinations' results by bucket
  select c.destination_id as "destinationId", c.at - c.at % ?4 as "atMs", c.kind, c.result, '' as code, 0 as bin,
    sum(c.count) as count
  from destinations d
  cross join attempt_counts c on c.destination_id = d.id
  where d.account_id = ?1 and (?5 is null or d.id = ?5) and c.at >= ?2 and c.at < ?3 and c.kind = 'attempt'
  group by 1, 2, 3, 4`;

/** By what is joined: that has the same value everywhere. */
export const LIST_OF_DESTINATIONS = {
  nothing: listOfDestinations("c.destination_id"),
  destinations: listOfDestinations("''"),
  answers: LIST_WITHOUT_ANSWERS,
} as const;
