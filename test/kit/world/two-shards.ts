/** An installation over two shards, with an account that is moved between them, and the death of who moves it. */
import assert from "node:assert/strict";
import { fillInstallation } from "../../../src/store/conformance/installation.ts";
import { ACCOUNT } from "../../../src/store/conformance/world.ts";
import type { Store } from "../../../src/store/contract/store.ts";
import { HOME_SCHEMA } from "../../../src/store/postgres/connection/connections.ts";
import { rollUpTable } from "../../../src/store/postgres/figures/attempt-deltas.ts";
import { addShard } from "../../../src/store/postgres/shards/admin.ts";
import { loadOwners, NO_OWNERS } from "../../../src/store/postgres/shards/move/arriving.ts";
import { loadCatalogue } from "../../../src/store/postgres/shards/move/catalogue.ts";
import { openMoveDatabase } from "../../../src/store/postgres/shards/move/databases.ts";
import { moveAccount, type Step } from "../../../src/store/postgres/shards/move/move-account.ts";
import type { MovesOver, Place } from "../../../src/store/postgres/shards/move/over.ts";
import { findPlace } from "../../../src/store/postgres/shards/move/places.ts";
import { overDatabases } from "../../../src/store/postgres/shards/move/steps.ts";
import { HISTORY, LIVE } from "../../../src/store/postgres/shards/move/tables.ts";
import { commit, type Database } from "../../../src/store/postgres/transaction.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { SharedCluster } from "../servers/postgres.ts";
import { administer, openNode } from "../servers/shards.ts";

const accountId = ACCOUNT.id;

export interface TwoShards extends MovesOver, AsyncDisposable {
  /** As another process has them, whose sessions are known by their name. */
  connect(name: string): MovesOver & AsyncDisposable;
  /** A node of the installation. */
  openStore(): Promise<Store>;
  /** Its home database's. */
  readonly url: string;
  readonly cluster: SharedCluster;
}

/** An installation in shard 0, and an empty shard 1. */
export async function openTwoShards(
  cluster: SharedCluster,
  { isApart }: { readonly isApart: boolean },
): Promise<TwoShards> {
  const url = await cluster.createStoreDatabase();
  const store = await openNode(url);
  await fillInstallation(store, { events: 200 });
  for (let round = 0; round < 5; round += 1) {
    await store.indexEvents({ nowMs: systemClock.nowMs(), eventsMax: 50, bytesMax: 10 ** 6 });
  }
  await store[Symbol.asyncDispose]();
  await addUpCounts(url);
  const second = isApart ? await cluster.createDatabase() : url;
  const schema = isApart ? HOME_SCHEMA : "bellwire_1";
  await addShard(administer(url), { url: second, schema, takesAccounts: false });
  const places = { "0": { url, schema: HOME_SCHEMA }, "1": { url: second, schema } };
  const connect = (name: string) => connectTo(places, name);
  return { ...connect("bellwire move"), connect, openStore: () => openNode(url), url, cluster };
}

type Places = Readonly<Record<"0" | "1", { readonly url: string; readonly schema: string }>>;

function connectTo(places: Places, name: string): MovesOver & AsyncDisposable {
  const open = (place: keyof Places): Database =>
    openMoveDatabase({ ...places[place], name, pooler: "none", forcesSync: false });
  const directory = open("0");
  const shards = new Map([
    ["0", open("0")],
    ["1", open("1")],
  ]);
  async function shard(wanted: string): Promise<Database> {
    const found = shards.get(wanted);
    assert.ok(found !== undefined);
    return found;
  }
  return {
    ...overDatabases({ directory, shard }),
    async [Symbol.asyncDispose]() {
      await Promise.all([directory, ...shards.values()].map(({ pool }) => pool.end()));
    },
  };
}

/** A move does it too, and then its rows would differ from before. */
async function addUpCounts(url: string): Promise<void> {
  const home = openMoveDatabase({ url, pooler: "none", forcesSync: false });
  for (const table of ["attempt_deltas_0", "attempt_deltas_1"] as const) {
    await commit(home, "nothing", async (tx) => void (await rollUpTable(tx, table)));
  }
  await home.pool.end();
}

export type Dump = Readonly<Record<string, readonly string[]>>;

/** All rows of an account in a shard, without what is a shard's own. */
export async function dump(over: MovesOver, shard: string, account: string): Promise<Dump> {
  return await (
    await over.shard(shard)
  ).commit(async (tx) => {
    const { db } = tx;
    const catalogue = await loadCatalogue(db);
    const mine = await loadOwners(tx, account);
    const owners = mine.destinations.length > 0 ? mine : (lastOwners.get(account) ?? NO_OWNERS);
    lastOwners.set(account, owners);
    const rows: Record<string, string[]> = {};
    const history = HISTORY.map(({ name, owner, from, own = [] }) => ({
      name,
      owner,
      from: (columns: readonly string[]) => `${from(columns)} where`,
      own,
    }));
    const live = LIVE.map(({ name, owner, where }) => ({
      name,
      owner,
      from: () => `${name} t where ${where} and`,
      own: ["seq"],
    }));
    for (const { name, owner, from, own } of [...history, ...live]) {
      const columns = (catalogue.get(name)?.all ?? []).filter((column) => !own.includes(column));
      const isNumbered = own.includes("seq") && catalogue.get(name)?.all.includes("seq") === true;
      const found = await db.all<{ line: string }>(
        `-- name: dump ${name}
        select row(${columns.map((column) => `t.${column}`).join(", ")})::text as line
        from ${from(catalogue.get(name)?.all ?? [])} $1::text is not null and $2::text[] is not null
        order by ${isNumbered ? "t.seq" : "1"}`,
        account,
        owner === null ? [] : owners[owner],
      );
      rows[name] = found.map(({ line }) => line);
    }
    const blocks = await db.all<{ line: string }>(DUMP_SEARCH, account);
    rows["search"] = blocks.map(({ line }) => line);
    rows["accounts"] = (rows["accounts"] ?? []).map((line) => line.replace(/,\d+,\d+,\d*,(\d+,\d+\))$/, ",_,$1"));
    return rows;
  });
}

/** Each statement is about the account `$1` and changes one row. */
export async function runIn(over: TwoShards, name: string, ...statements: readonly string[]): Promise<void> {
  await (
    await over.shard(name)
  ).commit(async ({ db }) => {
    for (const sql of statements) assert.equal(await db.run(sql, accountId), 1, sql);
  });
}

/** To find what is left where the live rows are gone. */
const lastOwners = new Map<string, typeof NO_OWNERS>();

const DUMP_SEARCH = `-- name: dump search
  select concat(b.oldest_at, b.newest_at, b.events, b.bytes, b.words, string_agg(row(s.event_id, s.words, s.who)::text,
    ',' order by s.event_id)) as line
  from search_blocks b
  left join search_entries s on s.block_id = b.id
  where b.account_id = $1
  group by b.id
  order by b.id`;

export async function assertIsOnlyIn(over: MovesOver, shard: string, expected: Dump): Promise<void> {
  const other = shard === "0" ? "1" : "0";
  assert.deepEqual(await dump(over, shard, accountId), expected);
  const left = await dump(over, other, accountId);
  const filled = Object.entries(left).filter(([, rows]) => rows.length > 0);
  assert.deepEqual(filled, []);
  assert.deepEqual(await findPlaceOf(over), { shard, movingTo: null, leaving: null });
  for (const name of ["0", "1"]) {
    const rows = await (await over.shard(name)).read(({ db }) => db.all(LIST_MARKS));
    assert.deepEqual(rows, []);
    const lost = await (await over.shard(name)).read(({ db }) => db.all(LIST_LOST_ATTEMPTS));
    assert.deepEqual(lost, []);
  }
}

export const findPlaceOf = async ({ directory }: MovesOver): Promise<Place> => {
  const { changes: _, ...place } = await directory.read((tx) => findPlace(tx, accountId));
  return place;
};

/** Nothing leads to them. */
const LIST_LOST_ATTEMPTS = `-- name: list attempts of no delivery
  select a.delivery_id
  from attempts a
  where not exists (select 1 from deliveries d where d.id = a.delivery_id)`;

const LIST_MARKS = `-- name: list marks of moves
  select account_id from arriving_accounts
  union all
  select account_id from departed_accounts`;

export const options = { accountId, nowMs: systemClock.nowMs };

export const STEPS: readonly Step[] = [
  "noted",
  "copied",
  "fenced",
  "arrived",
  "departed",
  "landed",
  "directed",
  "cleaned",
];

/** A process that moves the account and dies at a step: its sessions end. */
export async function moveAndDie(world: TwoShards, to: string, step: Step): Promise<void> {
  await using process = world.connect(DYING);
  const reached: Step[] = [];
  const onStep = async (at: Step): Promise<void> => {
    reached.push(at);
    if (at !== step) return;
    await world.cluster.query(world.cluster.toUrl("postgres"), KILL);
    throw new Error("the mover died");
  };
  await assert.rejects(moveAccount(process, { ...options, to, onStep }), /died|terminat/);
  assert.equal(reached.at(-1), step);
}

/** Other files have movers on the same server, which must not die of this one's end. */
export const inThisFile = (name: string): string => `${name} (${process.pid})`;

const DYING = inThisFile("bellwire move that dies");
const KILL = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${DYING}'`;
