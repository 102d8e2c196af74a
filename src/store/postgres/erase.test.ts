/** Erasing a person from an outbox, whatever nodes do with its records meanwhile. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Cluster, startCluster } from "../../../test/kit/servers/postgres.ts";
import { administer, openNode } from "../../../test/kit/servers/shards.ts";
import { eventually } from "../../../test/kit/wait.ts";
import { problem } from "../../domain/problem.ts";
import { systemClock } from "../../lib/clock.ts";
import { ACCEPTED, ACCOUNT, accept, LEASE_MS, makeEvent, setUp, uuid } from "../conformance/world.ts";
import type { Store } from "../contract/store.ts";
import { addShard } from "./shards/admin.ts";

const accountId = ACCOUNT.id;
const jane = JSON.stringify({ lead: { email: "jane@example.com" } });

let cluster: Cluster;
let url: string;
let store: Store;

before(async () => {
  cluster = await startCluster();
  url = await cluster.createDatabase();
  store = await openNode(url);
});
beforeEach(() => cluster.emptyStore(url));
after(async () => {
  await store[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

async function emit(record: string, database = url): Promise<number> {
  const sql = `select bellwire.emit_demo_session('${accountId}', '${record}') as seq`;
  return Number((await cluster.query(database, sql))[0]?.["seq"]);
}

/** After everything that has been emitted by now. */
const soonMs = (): number => systemClock.nowMs() + 1_000;

async function claim(token = "token"): Promise<number[]> {
  const limits = { recordsMax: 100, bytesMax: 10 ** 6 };
  const nowMs = soonMs();
  const { records } = await store.claimInboxRecords({ nowMs, claim: { token, untilMs: nowMs + LEASE_MS }, ...limits });
  return records.map(({ seq }) => seq);
}

const refuse = (seq: number, claimToken: string) =>
  store.refuseInboxRecordsIfClaimed({
    claimToken,
    nowMs: soonMs(),
    refusals: [{ seq, problem: problem("invalid_record", "The record is not valid.") }],
  });

describe("erasing a person", () => {
  const erase = (place = { waiting: 0, refused: 0 }, recordsMax = 100, nowMs = soonMs()) =>
    store.eraseFromInbox({ accountId, email: "jane@example.com", after: place, recordsMax, nowMs });

  test("leaves a record that a node has in hand, and says so: its event would come afterwards", async () => {
    await emit(jane);
    await claim();
    const nothing = { waiting: 0, refused: 0, next: null };
    assert.deepEqual(await erase(), { ...nothing, inFlight: 1 });
    assert.equal((await store.countInbox({ refusedFromMs: 0 })).waiting, 1);
    assert.deepEqual(await erase(undefined, 100, soonMs() + 2 * LEASE_MS), { ...nothing, waiting: 1, inFlight: 0 });
  });

  test("a node whose claim has run out makes no event of what was erased, waiting or refused", async () => {
    const configVersion = await setUp(store, []);
    const waiting = await emit(jane);
    const refused = await emit(jane);
    await claim();
    await refuse(refused, "token");
    await erase(undefined, 100, soonMs() + 2 * LEASE_MS);
    const late = [waiting, refused].map((inboxSeq, n) => makeEvent(n, { configVersion, inboxSeq }));
    const answers = await accept(store, late);
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ["duplicate", "duplicate"],
    );
    assert.deepEqual(await cluster.query(url, "select id from bellwire.events"), []);
    // Nor is it known now: the product may emit it anew.
    assert.deepEqual(await accept(store, [makeEvent(0, { configVersion })]), [ACCEPTED]);
  });

  test("finds one that is refused between two steps", async () => {
    await emit(jane);
    const [mine = 0] = await claim("first");
    await emit("{}");
    await emit(jane);
    const [, last = 0] = await claim("second");
    await refuse(last, "second");
    const { next } = await erase({ waiting: 0, refused: 0 }, 1);
    assert.ok(next !== null);
    await refuse(mine, "first");
    let [refused, place]: [number, typeof next | null] = [0, next];
    for (let steps = 0; place !== null && steps < 10; steps += 1) {
      const part = await erase(place, 1);
      refused += part.refused;
      place = part.next;
    }
    assert.equal(refused, 2);
  });

  test("waits for a record whose event another shard is accepting, and finds that event", async () => {
    const inShards = await cluster.createDatabase();
    await (await openNode(inShards))[Symbol.asyncDispose]();
    await addShard(administer(inShards), { url: inShards, schema: "shard_1", takesAccounts: true });
    await using sharded = await openNode(inShards);
    await cluster.query(inShards, `insert into bellwire.accounts_at (account_id, shard) values ('${accountId}', '1')`);
    const configVersion = await setUp(sharded, []);
    const inboxSeq = await emit(jane, inShards);
    await cluster.query(
      inShards,
      `begin; insert into shard_1.event_keys values ('${accountId}', 'demo_viewed', '${uuid(0)}', 'evt_x', 0)`,
    );
    const accepting = accept(sharded, [makeEvent(0, { configVersion, body: jane, inboxSeq })]);
    await untilWaiting(1);
    const person = { accountId, email: "jane@example.com", nowMs: soonMs() };
    const erasing = sharded.eraseFromInbox({ ...person, after: { waiting: 0, refused: 0 }, recordsMax: 9 });
    await untilWaiting(2);
    await cluster.query(inShards, "rollback");
    assert.deepEqual(await erasing, { waiting: 0, refused: 0, inFlight: 1, next: null });
    assert.deepEqual(await accepting, [ACCEPTED]);
    const erased = await sharded.erasePerson({ ...person, after: "", eventsMax: 9, bytesMax: 999 });
    assert.equal(erased.events, 1);
  });
});

/** Asked in another session than the one that holds the lock, which sees one moment only. */
const untilWaiting = (sessions: number): Promise<unknown> =>
  eventually(`${sessions} statements to wait for a lock`, async () => {
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
    return (await cluster.query(cluster.toUrl("postgres"), waiting)).length === sessions;
  });
