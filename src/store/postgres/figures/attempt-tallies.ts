/**
 * Counters off the path: a settling commit adds one row with what it counted, and changes none. Nodes add those rows up
 * later (`fold-tallies.ts`), in a transaction that takes the row and counts it, so each is counted once whatever
 * crashes. A reader of counters reads both in one statement, which sees each count in one of the two places.
 */
import { type SettledAttempt, toFigures } from "../../sql/path/settled-rows.ts";
import type { AttemptCount } from "../../contract/log.ts";
import type { Transaction } from "../transaction.ts";

/** A destination's count: as it stands in the row's JSON. */
export type Tallied = readonly [
  destinationId: string,
  accountId: string,
  atMs: number,
  kind: AttemptCount["kind"],
  result: AttemptCount["result"],
  code: string,
  bin: number,
  count: number,
];

/** The tally belongs to one transaction. */
export class Tally {
  readonly #sums = new Map<string, Tallied>();

  add(settled: SettledAttempt): void {
    const { destinationId, accountId } = settled;
    for (const { atMs, kind, result, code, bin } of toFigures(settled)) {
      const key = `${destinationId} ${atMs} ${kind} ${result} ${code} ${bin}`;
      const count = (this.#sums.get(key)?.[7] ?? 0) + 1;
      this.#sums.set(key, [destinationId, accountId, atMs, kind, result, code, bin, count]);
    }
  }

  /** Before the commit. */
  async write(tx: Transaction): Promise<void> {
    const counts = [...this.#sums.values()];
    if (counts.length === 0) return;
    const accountIds = [...new Set(counts.map(([, accountId]) => accountId))];
    await tx.db.run(INSERT_TALLY, accountIds, JSON.stringify(counts));
  }
}

/** What stands in the JSON of a count, `one`, by the names of the columns of `COUNTERS`. */
export const TALLY_FIELDS = `one ->> 0 as destination_id, one ->> 1 as account_id, cast(one ->> 2 as bigint) as at,
      one ->> 3 as kind, one ->> 4 as result, one ->> 5 as code, cast(one ->> 6 as integer) as bin,
      cast(one ->> 7 as bigint) as count`;

/** Counts of account `$1` that are not added up yet, as `t`. On a Citus they are text (`citus/row-identity.ts`). */
export const TALLIED = `(
    select ${TALLY_FIELDS}
    from attempt_tallies tally
    cross join lateral json_array_elements(tally.counts::json) one
    where tally.account_ids @> array[$1] and one ->> 1 = $1 and tally.bucket = $group
  ) t`;

const INSERT_TALLY = `-- name: insert tally of attempts
  insert into attempt_tallies (bucket, account_ids, counts)
  values ($group, $1, $2::json)`;
