/** Search's index on PostgreSQL: fed by several nodes, and beside transactions that commit out of order. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { shareCluster, untilSomeoneWaits } from "../../../../test/kit/servers/postgres.ts";
import { openDatabase } from "../../../../test/kit/servers/store-database.ts";
import { systemClock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import { ACCOUNT, accept, makeEvent, purgeNow, setUp, T0, uuid } from "../../conformance/world.ts";
import type { Store } from "../../contract/store.ts";
import { commitCalls } from "../commit-calls.ts";
import { Batch } from "../connection/batch.ts";
import { SIDE_POOL } from "../connection/connections.ts";
import { openPostgresStore } from "../open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();

const openNode = async (): Promise<Store> => (await openPostgresStore({ url, clock: systemClock })).store;
await (await openNode())[Symbol.asyncDispose]();

const step = (store: Store, nowMs: number, bytesMax = 10 ** 9) => store.indexEvents({ nowMs, eventsMax: 10, bytesMax });

/** A node whose steps of the index tell which statements they made, on one connection. */
function openWatched() {
  let names: string[] = [];
  const database = openDatabase(url, { ...SIDE_POOL, connectionsMax: 1 });
  database.pool.on("connect", (client) => {
    const query = client.query.bind(client) as (asked: Batch) => unknown;
    const noting = (asked: Batch): unknown => {
      if (asked instanceof Batch) names.push(...asked.statements.map(({ name = "" }) => name));
      return query(asked);
    };
    Object.assign(client, { query: noting });
  });
  return {
    async listStatements(nowMs: number): Promise<readonly string[]> {
      names = [];
      const params = { nowMs, eventsMax: 10, bytesMax: 10 ** 9 };
      const [answer] = await commitCalls(database, [{ verb: "indexEvents", params }]);
      assert.equal(answer?.kind, "done");
      return names;
    },
    [Symbol.asyncDispose]: () => database.pool.end(),
  };
}

async function find(store: Store, word: string): Promise<string[]> {
  const wanted = { accountId: ACCOUNT.id, type: "demo_viewed", phrases: [[word]], before: null, limit: 500 } as const;
  return (await store.searchEvents({ ...wanted, nowMs: T0 })).events.map(({ sourceId }) => sourceId);
}

const NOTE_SYNCS = `
  create table public.syncs (of text, sync text);
  create function public.note_sync() returns trigger language plpgsql as $$
    begin
      insert into public.syncs values (tg_argv[0], current_setting('synchronous_commit'));
      return null;
    end $$;
  create trigger note_sync after insert on bellwire.events
    for each statement execute function public.note_sync('events');
  create trigger note_sync after insert on bellwire.search_entries
    for each statement execute function public.note_sync('search_entries')`;

const body = (name: string): string => JSON.stringify({ name });

test("an event whose transaction commits after the mark went by is found with the next look back", async () => {
  await cluster.emptyStore(url);
  await using store = await openNode();
  const configVersion = await setUp(store, []);
  const late = new pg.Client(url);
  await late.connect();
  await late.query("begin");
  await late.query(
    `insert into bellwire.events (id, account_id, type, accepted_at, source_id, body)
     values ($1, $2, $3, $4, $5, $6)`,
    ["evt_1", ACCOUNT.id, "demo_viewed", T0 + 1, uuid(1), body("late")],
  );
  await accept(store, [makeEvent(2, { configVersion, body: body("early") })], T0 + 2);
  while ((await step(store, T0 + 100)).hasMore);
  assert.deepEqual(await find(store, "early"), [uuid(2)]);
  await late.query("commit");
  await late.end();
  await step(store, T0 + 1_100);
  await step(store, T0 + 2_200);
  assert.deepEqual(await find(store, "late"), [uuid(1)]);
});

test("long after the last event nothing is looked for behind the mark any more", async () => {
  await cluster.emptyStore(url);
  await using store = await openNode();
  const configVersion = await setUp(store, []);
  await accept(store, [makeEvent(1, { configVersion })], T0);
  while ((await step(store, T0)).hasMore);
  await using node = openWatched();
  const countLooks = async (atMs: number): Promise<number> =>
    (await node.listStatements(T0 + atMs)).filter((name) => name.includes("came late")).length;
  const atMs = [0, secondsMs(2), secondsMs(7), secondsMs(9), secondsMs(60), secondsMs(301), secondsMs(400)];
  const counted: number[] = [];
  for (const ms of atMs) counted.push(await countLooks(ms));
  // Of five minutes, five seconds, five seconds for the last time, none, five minutes, five minutes for the last time.
  assert.deepEqual(counted, [1, 1, 1, 0, 1, 1, 0]);
});

test("large events whose transaction commits late are all found, also by the last look back", async () => {
  await cluster.emptyStore(url);
  await using store = await openNode();
  const configVersion = await setUp(store, []);
  await accept(store, [makeEvent(9, { configVersion, body: body("early") })], T0 + 2);
  while ((await step(store, T0 + 100)).hasMore);
  const large = JSON.stringify({ name: "late", notes: "a".repeat(40_000) });
  for (const n of [1, 2, 3, 4, 5, 6, 7]) {
    await cluster.query(
      url,
      `insert into bellwire.events (id, account_id, type, accepted_at, source_id, body)
       values ('evt_${n}', '${ACCOUNT.id}', 'demo_viewed', ${T0 + 1}, '${uuid(n)}', '${large}')`,
    );
  }
  while ((await step(store, T0 + secondsMs(301), 64 * 1024)).hasMore);
  assert.deepEqual((await find(store, "late")).toSorted(), [1, 2, 3, 4, 5, 6, 7].map(uuid));
});

test("a step of the index makes the same few statements for one account and for many", async () => {
  await cluster.emptyStore(url);
  await using node = openWatched();
  const put = (atMs: number, toAccount: string) =>
    cluster.query(
      url,
      `insert into bellwire.events (id, account_id, type, accepted_at, source_id, body)
       select 'evt_${atMs}_' || n, 'acc_' || ${toAccount}, 'demo_viewed', ${T0 + atMs}, n::text, '{"name":"Ada"}'
       from generate_series(1, 8) n`,
    );
  const listSteps = async (atMs: number, toAccount: string): Promise<readonly string[]> => {
    await put(atMs, toAccount);
    const names = await node.listStatements(T0 + atMs);
    return names.slice(names.lastIndexOf("move cursor of search"));
  };
  const one = await listSteps(1, "1");
  assert.ok(one.includes("insert entries of search"), one.join());
  assert.deepEqual(await listSteps(2, "n"), one);
  assert.deepEqual(await listSteps(3, "n"), one);
  const [counted] = await cluster.query(
    url,
    "select count(*)::integer as blocks, sum(events)::integer as events from bellwire.search_blocks",
  );
  assert.deepEqual(counted, { blocks: 8, events: 24 });
});

test("a step of the index waits for no disk, and an accept does", async () => {
  await cluster.emptyStore(url);
  await using store = await openNode();
  await cluster.query(url, NOTE_SYNCS);
  const configVersion = await setUp(store, []);
  await accept(store, [makeEvent(1, { configVersion })], T0);
  await step(store, T0);
  const noted = await cluster.query(url, "select of, sync from public.syncs order by of");
  assert.deepEqual(noted, [
    { of: "events", sync: "on" },
    { of: "search_entries", sync: "off" },
  ]);
  await cluster.query(url, "drop function public.note_sync cascade");
});

test("what is taken in beside retention is found, though a text leaves its block meanwhile", async () => {
  await cluster.emptyStore(url);
  await using store = await openNode();
  const configVersion = await setUp(store, []);
  await accept(store, [makeEvent(1, { configVersion, body: body("old") })], T0);
  await accept(store, [makeEvent(2, { configVersion, body: body("kept") })], T0 + 10);
  await step(store, T0 + 20);
  await accept(store, [makeEvent(3, { configVersion, body: body("fresh") })], T0 + 30);
  const other = new pg.Client(url);
  await other.connect();
  // The rows of a step that has not committed.
  await other.query("begin; select 1 from bellwire.search_cursors for update");
  await other.query(
    `insert into bellwire.search_entries
       (event_id, block_id, type, is_test, assistant_id, accepted_at, intent_level, words)
     select e.id, b.id, e.type, false, '', e.accepted_at, '', ' fresh'
     from bellwire.events e cross join bellwire.search_blocks b where e.source_id = $1`,
    [uuid(3)],
  );
  await other.query("update bellwire.search_blocks set events = 3, newest_at = $1", [T0 + 30]);
  const forgetting = purgeNow(store, T0 + 40, T0 + 5);
  await untilSomeoneWaits(cluster, url);
  await other.query("commit");
  await other.end();
  await forgetting;
  // A search reads the newest blocks without their words, and all others by them.
  const [sealed] = await cluster.query(url, "select words::text from bellwire.search_blocks");
  assert.match(String(sealed?.["words"]), /_fresh'.*_kept'/);
  assert.deepEqual([await find(store, "old"), await find(store, "fresh")], [[], [uuid(3)]]);
});

test("a block that retention is sealing takes nothing more in", async () => {
  await cluster.emptyStore(url);
  await using store = await openNode();
  const configVersion = await setUp(store, []);
  await accept(store, [makeEvent(1, { configVersion, body: body("kept") })], T0);
  await step(store, T0);
  await accept(store, [makeEvent(2, { configVersion, body: body("fresh") })], T0 + 10);
  const other = new pg.Client(url);
  await other.connect();
  await other.query("begin; update bellwire.search_blocks set words = array_to_tsvector(array['x_kept'])");
  const taking = step(store, T0 + 20);
  await untilSomeoneWaits(cluster, url);
  await other.query("commit");
  await other.end();
  assert.equal((await taking).indexed, 1);
  const blocks = await cluster.query(
    url,
    `select b.events, b.words is null as "isOpen", s.words
     from bellwire.search_blocks b join bellwire.search_entries s on s.block_id = b.id
     order by b.id`,
  );
  assert.deepEqual(blocks, [
    { events: 1, isOpen: false, words: " kept" },
    { events: 1, isOpen: true, words: " fresh" },
  ]);
});

test("nodes that feed the index at the same time take each event in once", async () => {
  await cluster.emptyStore(url);
  await using one = await openNode();
  await using other = await openNode();
  const configVersion = await setUp(one, []);
  for (let n = 0; n < 200; n += 1) await accept(one, [makeEvent(n, { configVersion, body: body("both") })], T0 + n);
  let isDone = false;
  while (!isDone) {
    const steps = await Promise.all([one, other, one, other].map((node) => step(node, T0 + 1_000)));
    isDone = steps.every(({ hasMore, indexed }) => !hasMore && indexed === 0);
  }
  assert.equal((await find(one, "both")).length, 200);
  const [counted] = await cluster.query(
    url,
    `select sum(events)::integer as taken, (select count(*)::integer from bellwire.search_entries) as kept
    from bellwire.search_blocks`,
  );
  assert.deepEqual(counted, { taken: 200, kept: 200 });
});

test("an index that somebody has emptied is made again", async () => {
  await using store = await openNode();
  await cluster.query(url, "truncate bellwire.search_blocks, bellwire.search_entries, bellwire.search_cursors");
  assert.equal((await find(store, "both")).length, 0);
  while ((await step(store, T0 + 1_000)).hasMore);
  assert.equal((await find(store, "both")).length, 200);
});
