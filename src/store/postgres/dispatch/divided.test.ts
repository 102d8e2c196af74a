/** A database whose accounts are divided into groups goes on, and one group that fails keeps nothing of the others. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "../../../../test/kit/wait.ts";
import { createVirtualClock } from "../../../../test/kit/world/virtual-clock.ts";
import { type SharedCluster, shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { minutesMs, secondsMs } from "../../../lib/duration.ts";
import { systemClock } from "../../../lib/clock.ts";
import { ACCOUNT, ADA, accept, due, makeEvent, setUp, T0 } from "../../conformance/world.ts";
import type { Store } from "../../contract/store.ts";
import { madeUpGroups } from "../buckets/groups.ts";
import { openPostgresStore } from "../open.ts";

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

/** One in each of four groups; the last one's buckets have the remainder 0. */
const ACCOUNTS = ["acc_1", "acc_2", "acc_3", "acc_a"];

async function open(url: string, isDivided = true): Promise<Store> {
  const groups = madeUpGroups(4);
  const locate = async () => new Map(groups.map(([first = 0]) => [first, `server ${first}`]));
  const divided = isDivided ? { groups, locate } : {};
  return (await openPostgresStore({ url, clock: systemClock, ...divided })).store;
}

/** The next event of each account. */
async function acceptRound(store: Store, round: number): Promise<void> {
  for (const [n, accountId] of ACCOUNTS.entries()) {
    const configVersion = await setUp(store, [`dst_${accountId}_${round}`], { ...ACCOUNT, id: accountId });
    const deliveries = [due(`dlv_${accountId}_${round}`, `dst_${accountId}_${round}`)];
    await accept(store, [makeEvent(10 * round + n, { accountId, configVersion, deliveries })], T0 + round);
  }
}

async function index(store: Store, nowMs: number): Promise<number> {
  let all = 0;
  for (let hasMore = true; hasMore;) {
    const step = await store.indexEvents({ nowMs, eventsMax: 32, bytesMax: 100_000 });
    all += step.indexed;
    ({ hasMore } = step);
  }
  return all;
}

/** As a worker that is killed fails what is written there. */
const failIn = (url: string, table: string, remainder: number) =>
  cluster.query(
    url,
    `create function bellwire.fail() returns trigger language plpgsql as $$
     begin
       if new.bucket % 4 = ${remainder} then raise exception 'gone' using errcode = '08006'; end if;
       return new;
     end $$;
     create trigger failing before insert or update on bellwire.${table} for each row execute function bellwire.fail()`,
  );

const mend = (url: string) => cluster.query(url, "drop function bellwire.fail cascade");

test("search's index goes on in each group where it was, and is made anew in all of them", async () => {
  const url = await cluster.createStoreDatabase();
  const one = await open(url, false);
  await acceptRound(one, 1);
  assert.equal(await index(one, T0 + secondsMs(10)), 4);
  await acceptRound(one, 2);
  await one[Symbol.asyncDispose]();
  await using divided = await open(url);
  assert.equal(await index(divided, T0 + secondsMs(20)), 4, "those that were indexed are not taken in again");
  await cluster.query(url, "truncate bellwire.search_blocks, bellwire.search_entries, bellwire.search_cursors");
  assert.equal(await index(divided, T0 + minutesMs(2)), 8);
});

test("search's index goes on in other groups while one fails, and comes to it afterwards", async () => {
  const url = await cluster.createStoreDatabase();
  await using store = await open(url);
  await acceptRound(store, 1);
  await failIn(url, "search_entries", 0);
  assert.equal(await index(store, T0 + secondsMs(10)), 3);
  await mend(url);
  await eventually("the group to be indexed", async () => (await index(store, T0 + secondsMs(20))) === 1);
});

test("messages of other groups are given out while one fails", async () => {
  const url = await cluster.createStoreDatabase();
  await using store = await open(url);
  for (const accountId of ACCOUNTS) {
    await store.putAccount({ account: { ...ACCOUNT, id: accountId }, newSealedSecret: "s", nowMs: T0 });
    const address = `${accountId}@example.com`;
    const stop = { stopHash: accountId, sealedStop: "s" };
    const link = { secretHash: accountId, sealedSecret: "s" };
    const given = { id: `adr_${accountId}`, address, ...stop };
    await store.addMailAddress({ accountId, address: given, link, by: ADA, nowMs: T0 });
  }
  const claim = (nowMs: number) =>
    store.claimMessages({ route: "email", nowMs, claimToken: `claim ${nowMs}`, messagesMax: 10, linesMax: 9 });
  await failIn(url, "messages", 0);
  assert.equal((await claim(T0 + 1)).length, 3);
  await mend(url);
  await eventually("the last one to be given out", async () => (await claim(T0 + 2)).length === 1);
});

test("what waits is counted by server, under the name that it has now", async () => {
  const url = await cluster.createStoreDatabase();
  const clock = createVirtualClock(T0);
  const groups = madeUpGroups(4);
  let names = ["a", "a", "a", "b"];
  const locate = async () => new Map(groups.map(([first = 0], at) => [first, names[at] ?? ""]));
  const { store, workers } = await openPostgresStore({ url, clock, groups, locate });
  await acceptRound(store, 1);
  await store.countWaiting({ nowMs: T0 + 5 });
  const figures = () => workers?.list().map(({ name, groups: own, waits }) => [name, own, waits?.waiting]);
  assert.deepEqual(figures(), [
    ["a", 3, 3],
    ["b", 1, 1],
  ]);
  names = ["a", "c", "c", "c"];
  await clock.advance(secondsMs(15));
  assert.deepEqual(figures(), [
    ["a", 1, 1],
    ["c", 3, 3],
  ]);
  await store[Symbol.asyncDispose]();
});
