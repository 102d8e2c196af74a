/**
 * The figures of the charts on PostgreSQL: counters by time, result, answer and bin of the histogram are a row each, of
 * each destination and of each account's destinations together. Settling adds rows apart (`attempt-tallies.ts`), which
 * are added up here later, many at once.
 */
import type { AttemptCount } from "../../contract/log.ts";
import { COUNTERS, type CountScope } from "../../sql/figures/count-tiers.ts";
import type { Transaction } from "../transaction.ts";

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
