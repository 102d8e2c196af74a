/**
 * The figures of the charts on PostgreSQL: counters by time, result, answer and bin of the histogram are a row each, of
 * each destination and of each account's destinations together.
 *
 * They are counted off the path: a settling commit adds one row (a delta) with what it counted, and changes none. Nodes
 * add deltas to the counters later, in a transaction that takes the row and counts it. Deltas lie in two tables, of
 * which one is active: the other one is added up on the server under a lock and truncated, so that a busy node leaves
 * no dead row for each of its commits. A few rows are taken out and counted by the node instead, and so are all of them
 * while a backup reads the table for long.
 *
 * Invariant: the statements that read deltas begin when their table is locked or its rows are gone, and both commit
 * with the counters. So each row is added once, whatever crashes, and a reader that reads both in one statement sees
 * each count in one of the two places.
 */
import type { AttemptCount } from "../../contract/log.ts";
import { COUNTERS, type CountScope } from "../../sql/figures/count-tiers.ts";
import { type SettledAttempt, toFigures } from "../../sql/path/settled-rows.ts";
import { withoutQueueing } from "../connection/without-queueing.ts";
import type { Transaction } from "../transaction.ts";

/** A destination's count: as it stands in the row's JSON. */
export type Delta = readonly [
  destinationId: string,
  accountId: string,
  atMs: number,
  kind: AttemptCount["kind"],
  result: AttemptCount["result"],
  code: string,
  bin: number,
  count: number,
];

/** It belongs to one transaction. */
export class Deltas {
  readonly #sums = new Map<string, Delta>();

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
    await tx.db.run(INSERT_DELTAS, accountIds, JSON.stringify(counts));
  }
}

/**
 * What deltas have counted, by the names of the columns of `COUNTERS`; the table stands between the two, as `delta`.
 * Many commits count the same, and to read a text costs the server more than all else here: so alike ones are put
 * together first, and each is read once (every field of `json` reads it again, and without `offset 0` so would every
 * field of `jsonb`).
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
        cross join lateral json_array_elements(delta.counts::json) one
        group by cast(one as text)
      ) alike
      offset 0
    ) read`;

/** Counts of account `$1` that are not added up yet, as `t`. */
export const DELTA_COUNTS = `(
    select ${COUNTED}
        from (
          select counts
          from attempt_deltas
          where account_ids @> array[$1]
        ) delta
    ${BY_TEXT}
    where one ->> 1 = $1
  ) t`;

const INSERT_DELTAS = `-- name: insert delta of attempts
  insert into attempt_deltas (account_ids, counts)
  values ($1, $2)`;

/** To truncate a table writes some rows of the server's own catalogue and a new file. Guess. */
const DELETED_MAX = 100;

/** A transaction's share where a table cannot be truncated. */
const DELETED_AT_ONCE = 1_000;

/** Adds up the table that is not active. True: there may be more. */
export async function rollUpInactive(tx: Transaction): Promise<boolean> {
  const over = await tx.db.get<{ turn: number }>(FIND_INACTIVE);
  return await rollUpTable(tx, TABLES[over?.turn ?? 0] ?? TABLES[0]);
}

/** Exported for tests, during which the active table may change. */
export async function rollUpTable(tx: Transaction, table: DeltaTable): Promise<boolean> {
  const found = await tx.db.get<{ count: number }>(countUpTo(table), DELETED_MAX + 1);
  const count = found?.count ?? 0;
  if (count === 0) return false;
  if (count > DELETED_MAX && (await withoutQueueing(tx.db, () => addAndTruncate(tx, table)))) return false;
  return (await addAndDelete(tx, table, DELETED_AT_ONCE)) === DELETED_AT_ONCE;
}

/** A few of both tables, for a system without traffic. */
export async function rollUpFew(tx: Transaction): Promise<void> {
  for (const table of TABLES) await addAndDelete(tx, table, DELETED_MAX);
}

async function addAndTruncate(tx: Transaction, table: DeltaTable): Promise<true> {
  await tx.db.exec(`lock table ${table} in access exclusive mode`);
  await Promise.all([tx.db.run(addAll("destination", table)), tx.db.run(addAll("account", table))]);
  await tx.db.exec(`truncate ${table}`);
  return true;
}

async function addAndDelete(tx: Transaction, table: DeltaTable, limit: number): Promise<number> {
  const taken = await tx.db.all<{ counts: readonly Delta[] }>(takeSome(table), limit);
  if (taken.length === 0) return 0;
  const counts = new Counts();
  const deltas = taken.flatMap((row) => row.counts);
  const deleted = await listDeleted(tx, new Set(deltas.map(([, accountId]) => accountId)));
  for (const [destinationId, accountId, atMs, kind, result, code, bin, count] of deltas) {
    if (deleted.has(accountId)) continue;
    const figure = { atMs, kind, result, code, bin, count };
    counts.addCount({ ...figure, scope: "destination", id: destinationId });
    counts.addCount({ ...figure, scope: "account", id: accountId });
  }
  await counts.write(tx);
  return taken.length;
}

/** Their destinations may be gone. */
async function listDeleted(tx: Transaction, accountIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const deleted = await tx.db.all<{ id: string }>(LIST_DELETED, [...accountIds]);
  return new Set(deleted.map(({ id }) => id));
}

const TABLES = ["attempt_deltas_0", "attempt_deltas_1"] as const;
type DeltaTable = (typeof TABLES)[number];

/** By the column's default. */
const FIND_INACTIVE = `-- name: find table of deltas that is not active
  select (1 - extract(epoch from clock_timestamp())::bigint / 10 % 2)::integer as turn`;

const countUpTo = (table: DeltaTable): string => `-- name: count ${table} up to a maximum
  select count(1) as count
  from (select 1 from ${table} t where t.turn >= 0 limit $1) delta`;

/** A deleted account gets no figures any more: what it has goes in steps, and none would take what comes later. */
const IS_DELETED = "from account_states s where s.state = 'deleted' and s.account_id";

const LIST_DELETED = `-- name: list deleted accounts among those with deltas
  select s.account_id as id
  ${IS_DELETED} = any ($1::text[])`;

/** Whoever has locked the table counts alone in its slot, which is no process's number. */
const addAll = (scope: CountScope, turn: DeltaTable): string => {
  const { table, column } = COUNTERS[scope];
  return `-- name: add ${turn} to ${table}
  insert into ${table} (${column}, at, kind, result, code, bin, slot, count)
  select ${column}, at, kind, result, code, bin, ${TABLES.indexOf(turn)}, sum(count)
  from (
    select ${COUNTED}
        from ${turn} delta
    ${BY_TEXT}
  ) counted
  where not exists (select 1 ${IS_DELETED} = counted.account_id)
  group by ${column}, at, kind, result, code, bin
  on conflict (${column}, at, kind, result, code, bin, slot) do update
  set count = ${table}.count + excluded.count`;
};

/** By place in the table, the shortest name of a row that is locked. */
const takeSome = (table: DeltaTable): string => `-- name: take some of ${table}
  with old as materialized (
    select o.ctid as place
    from ${table} o
    where o.turn >= 0
    limit $1
    for update skip locked
  )
  delete from ${table} t
  using old
  where t.ctid = old.place
  returning t.counts::json`;

/** `atMs` is the start of a period. */
export interface Counted extends Omit<AttemptCount, "destinationId"> {
  readonly scope: CountScope;
  /** The destination's or account's. */
  readonly id: string;
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
  );
}

const addTo = ({ table, column }: (typeof COUNTERS)[CountScope], isKept: string): string => `-- name: add to ${table}
  insert into ${table} (${column}, at, kind, result, code, bin, slot, count)
  select id, at, kind, result, code, bin, pg_backend_pid(), count
  from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::bigint[])
    as given (id, at, kind, result, code, bin, count)
  where ${isKept}
  on conflict (${column}, at, kind, result, code, bin, slot) do update
  set count = ${table}.count + excluded.count`;

const ADD_COUNTS: Readonly<Record<CountScope, string>> = {
  destination: addTo(
    COUNTERS.destination,
    `not exists (select 1 ${IS_DELETED} in (select d.account_id from destinations d where d.id = given.id))`,
  ),
  account: addTo(COUNTERS.account, `not exists (select 1 ${IS_DELETED} = given.id)`),
};
