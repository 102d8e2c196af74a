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

/**
 * What tallies have counted, by the names of the columns of `COUNTERS`; the table stands between the two, as `tally`.
 * Many commits count the same, and to read a text costs the server more than all else here: so alike ones are put
 * together first, and each is read once (every field of `json` reads it again, and without `offset 0` so would every
 * field of `jsonb`). On a Citus counts are text (`citus/row-identity.ts`).
 */
export const COUNTED = `
      one ->> 0 as destination_id, one ->> 1 as account_id, cast(one ->> 2 as bigint) as at, one ->> 3 as kind,
      one ->> 4 as result, one ->> 5 as code, cast(one ->> 6 as integer) as bin,
      cast(one ->> 7 as bigint) * times as count
    from (
      select cast(text as jsonb) as one, times
      from (
        select cast(one as text) as text, count(1) as times`;
export const BY_TEXT = `
        cross join lateral json_array_elements(tally.counts::json) one
        group by cast(one as text)
      ) alike
      offset 0
    ) read`;

/** Counts of account `$1` that are not added up yet, as `t`. */
export const TALLIED = `(
    select ${COUNTED}
        from (
          select counts
          from attempt_tallies
          where account_ids @> array[$1] and bucket = $group
        ) tally
    ${BY_TEXT}
    where one ->> 1 = $1
  ) t`;

const INSERT_TALLY = `-- name: insert tally of attempts
  insert into attempt_tallies (bucket, account_ids, counts)
  values ($group, $1, $2::json)`;
