/**
 * The figures of the charts on PostgreSQL: counters by time, result, answer and bin of the histogram are a row each, of
 * each destination and of each account's destinations together. Settling adds rows apart (`attempt-tallies.ts`), which
 * are added up here later, many at once.
 */
import type { AttemptCount, CountAttempts } from "../contract/log.ts";
import { COUNTERS, type CountScope } from "../sql/count-tiers.ts";
import { TALLIED } from "./attempt-tallies.ts";
import type { Transaction } from "./transaction.ts";

/** `atMs` is the start of a period. */
export interface Counted extends Omit<AttemptCount, "destinationId"> {
  readonly scope: CountScope;
  /** The destination's or account's. */
  readonly id: string;
  readonly bucket: number;
}

/** Counts of a transaction that are not written yet. */
export class Counts {
  readonly #sums = new Map<string, Counted>();

  addCount(added: Counted): void {
    const { scope, id, atMs, kind, result, code, bin } = added;
    const key = [scope, id, atMs, kind, result, code, bin].join(" ");
    const known = this.#sums.get(key);
    this.#sums.set(key, known === undefined ? added : { ...known, count: known.count + added.count });
  }

  /** Before the commit. */
  async write(tx: Transaction): Promise<void> {
    const counts = [...this.#sums.values()];
    await Promise.all([writeTo(tx, "destination", counts), writeTo(tx, "account", counts)]);
  }
}

async function writeTo(tx: Transaction, scope: CountScope, all: readonly Counted[]): Promise<void> {
  const counts = all.filter((counted) => counted.scope === scope);
  if (counts.length === 0) return;
  await tx.db.run(
    ADD_COUNTS[scope],
    counts.map(({ id }) => id),
    counts.map(({ atMs }) => atMs),
    counts.map(({ kind }) => kind),
    counts.map(({ result }) => result),
    counts.map(({ code }) => code),
    counts.map(({ bin }) => bin),
    counts.map(({ count }) => count),
    counts.map(({ bucket }) => bucket),
  );
}

/** Figures some hours old are kept by the quarter, after a day by the hour: they are counted at its start. */
export async function countAttempts(tx: Transaction, params: CountAttempts): Promise<AttemptCount[]> {
  const { accountId, destinationId = null, fromMs, toMs, bucketMs, joined } = params;
  if (joined === "destinations" && destinationId === null) {
    return await tx.db.all<AttemptCount>(LIST_OF_ACCOUNT, accountId, fromMs, toMs, bucketMs);
  }
  const list = listOfDestinations(joined);
  return await tx.db.all<AttemptCount>(list, accountId, fromMs, toMs, bucketMs, destinationId);
}

const addTo = ({ table, column }: (typeof COUNTERS)[CountScope]): string => `-- name: add to ${table}
  insert into ${table} (bucket, ${column}, at, kind, result, code, bin, slot, count)
  select bucket, id, at, kind, result, code, bin, pg_backend_pid(), count
  from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::bigint[], $8::integer[])
    as given (id, at, kind, result, code, bin, count, bucket)
  on conflict (${column}, at, kind, result, code, bin, slot, bucket) do update
  set count = ${table}.count + excluded.count`;

const ADD_COUNTS: Readonly<Record<CountScope, string>> = {
  destination: addTo(COUNTERS.destination),
  account: addTo(COUNTERS.account),
};

/** Exported for the test that reads its plan, like the next one. */
export const LIST_OF_ACCOUNT = `-- name: list counts of account's attempts by bucket
  select '' as "destinationId", at - at % $4::bigint as "atMs", kind, result, code, bin, sum(count)::bigint as count
  from (
    select at, kind, result, code, bin, count
    from account_attempt_counts c
    where c.account_id = $1 and c.at >= $2 and c.at < $3 and c.bucket = any ($buckets)
    union all
    select at, kind, result, code, bin, count
    from ${TALLIED}
    where at >= $2 and at < $3
  ) counted
  group by 2, 3, 4, 5, 6`;

/** Joined columns have the same value everywhere. */
export function listOfDestinations(joined: CountAttempts["joined"]): string {
  const destination = joined === "destinations" ? "''" : "c.destination_id";
  const [code, bin, which] = joined === "answers" ? ["''", "0", "and c.kind = 'attempt'"] : ["c.code", "c.bin", ""];
  return `-- name: list counts of attempts by bucket, joined: ${joined ?? "none"}
  select ${destination} as "destinationId", c.at - c.at % $4::bigint as "atMs", c.kind, c.result, ${code} as code,
    ${bin} as bin, sum(c.count)::bigint as count
  from (
    select c.destination_id, c.at, c.kind, c.result, c.code, c.bin, c.count
    from destinations d
    join attempt_counts c on c.destination_id = d.id and c.bucket = d.bucket
    where d.account_id = $1 and d.bucket = any ($buckets) and ($5::text is null or d.id = $5)
      and c.at >= $2 and c.at < $3 ${which}
    union all
    select t.destination_id, t.at, t.kind, t.result, t.code, t.bin, t.count
    from ${TALLIED}
    where ($5::text is null or t.destination_id = $5) and t.at >= $2 and t.at < $3 ${which.replace("c.", "t.")}
  ) c
  group by 1, 2, 3, 4, 5, 6`;
}
