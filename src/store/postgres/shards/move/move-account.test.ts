/** Accounts moved between shards: each row goes along, once, and writers that come meanwhile lose nothing. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { shareCluster } from "../../../../../test/kit/servers/postgres.ts";
import {
  assertIsOnlyIn,
  type Dump,
  dump,
  findPlaceOf,
  moveAndDie,
  openTwoShards,
  options,
  runIn,
  type TwoShards,
} from "../../../../../test/kit/world/two-shards.ts";
import { eventually } from "../../../../../test/kit/wait.ts";
import { createSeededRandom } from "../../../../../test/kit/world/seeded-random.ts";
import { newId } from "../../../../domain/id.ts";
import { systemClock } from "../../../../lib/clock.ts";
import {
  ACCOUNT,
  accept,
  claimDue,
  due,
  held,
  LEASE_MS,
  loadVersion,
  makeAttempt,
  makeEvent,
  makeSettlement,
} from "../../../conformance/world.ts";
import { eraseAll } from "../../../conformance/erasing.ts";
import { type Store, StoreUnavailable } from "../../../contract/store.ts";
import { loadCatalogue } from "./catalogue.ts";
import { moveAccount } from "./move-account.ts";
import { MoveOvertaken } from "./over.ts";
import { HISTORY, LIVE, OF_SHARD, SEARCH } from "./tables.ts";
import { takeBack } from "./take-back.ts";

const { accountId } = options;
const OTHER = "acc_2";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

for (const isApart of [false, true]) {
  describe(`a move between ${isApart ? "two databases" : "two schemas of one database"}`, () => {
    let over: TwoShards;
    let all: Dump;
    let others: Dump;
    before(async () => {
      over = await openTwoShards(cluster, { isApart });
      all = await dump(over, "0", accountId);
      others = await dump(over, "0", OTHER);
    });
    after(() => over[Symbol.asyncDispose]());

    test("takes each row along and leaves none, nor touches another account's", async () => {
      const filled = Object.entries(all).filter(([, rows]) => rows.length > 0);
      assert.ok(filled.length > 18, `only ${filled.map(([name]) => name).join(", ")} have rows`);
      assert.equal((await moveAccount(over, { ...options, to: "1" })).kind, "moved");
      await assertIsOnlyIn(over, "1", all);
      assert.deepEqual(await dump(over, "0", OTHER), others);
      assert.equal((await moveAccount(over, { ...options, to: "0" })).kind, "moved");
      await assertIsOnlyIn(over, "0", all);
    });

    test("closes the account before it locks it, and the new shard has it open", async () => {
      const from = (await findPlaceOf(over)).shard;
      const to = from === "0" ? "1" : "0";
      const isClosed = async (name: string) =>
        await (await over.shard(name)).read(({ db }) => db.get<{ isClosed: boolean }>(FIND_CLOSED, accountId));
      let underFence: unknown = null;
      const onStep = async (step: string): Promise<void> => {
        if (step === "fenced") underFence = await isClosed(from);
      };
      await moveAccount(over, { ...options, to, onStep });
      assert.deepEqual([underFence, await isClosed(to)], [{ isClosed: true }, { isClosed: false }]);
    });

    test("stops between batches, and goes on", async () => {
      const from = (await findPlaceOf(over)).shard;
      const to = from === "0" ? "1" : "0";
      let batches = 0;
      let runs = 0;
      for (let kind = "stopped"; kind === "stopped"; runs += 1) {
        batches = 0;
        ({ kind } = await moveAccount(over, { ...options, to, isStopping: () => (batches += 1) === 2 }));
      }
      assert.ok(runs > 3, `${runs} runs`);
      await assertIsOnlyIn(over, to, all);
    });

    test("refuses what is not there, and another move of the same account", async () => {
      const from = (await findPlaceOf(over)).shard;
      const to = from === "0" ? "1" : "0";
      assert.deepEqual(await moveAccount(over, { ...options, accountId: "acc_nobody", to: "1" }), { kind: "missing" });
      await moveAndDie(over, to, "noted");
      assert.deepEqual(await moveAccount(over, { ...options, to: "7" }), { kind: "moving", to });
      assert.equal(await takeBack(over, { accountId }), "took back");
      await assertIsOnlyIn(over, from, all);
    });

    test("says that it was overtaken, and not that the account is missing, when another mover is quicker", async () => {
      const from = (await findPlaceOf(over)).shard;
      const to = from === "0" ? "1" : "0";
      for (const [wanted, quicker] of [
        [to, to],
        [to, from],
      ] as const) {
        let isFirst = true;
        async function shard(name: string) {
          const isBefore = isFirst;
          isFirst = false;
          if (isBefore) assert.equal((await moveAccount(over, { ...options, to: quicker })).kind, "moved");
          return await over.shard(name);
        }
        await assert.rejects(moveAccount({ ...over, shard }, { ...options, to: wanted }), MoveOvertaken);
        await assertIsOnlyIn(over, quicker, all);
      }
    });

    test("a person who is erased meanwhile is in neither shard at its end, and is in flight until then", async () => {
      const from = (await findPlaceOf(over)).shard;
      const to = from === "0" ? "1" : "0";
      await using store = await over.openStore();
      await runIn(over, from, NAME_PERSON);
      const has = async (name: string) => /jane\.moving/.test(JSON.stringify(await dump(over, name, accountId)));
      const left: number[] = [];
      const onStep = async (step: string): Promise<void> => {
        if (step === "copied") assert.deepEqual([await has(from), await has(to)], [true, true]);
        if (step === "copied" || step === "directed") left.push((await eraseAll(store, JANE)).inFlight);
      };
      await moveAccount(over, { ...options, to, onStep });
      left.push((await eraseAll(store, JANE)).inFlight);
      assert.deepEqual([...left, await has(from), await has(to)], [1, 1, 0, false, false]);
    });
  });
}

const JANE = { email: "jane.moving@example.com", nowMs: systemClock.nowMs() + 10 * LEASE_MS };

const FIND_CLOSED = `-- name: find whether account is closed
  select closed_until is not null as "isClosed"
  from accounts
  where id = $1`;

const NAME_PERSON = `-- name: name a person in an event
  update events
  set body = '{"lead":{"email":"jane.moving@example.com"}}'
  where id = (
    select min(id)
    from events
    where account_id = $1 and source_id is not null and body <> ''
  )`;

/** What a node does with an account, over and over, until it is stopped. Whatever fails is done again. */
function startTraffic(store: Store) {
  const random = createSeededRandom(1);
  const accepted: { readonly eventId: string; readonly deliveries: readonly string[] }[] = [];
  const settled: string[] = [];
  let isStopped = false;
  let longestMs = 0;

  async function acceptSome(): Promise<void> {
    const nowMs = systemClock.nowMs();
    const eventId = newId("evt", nowMs, random);
    const deliveries = ["dst_a", "dst_a"].map((destinationId) => held(newId("dlv", nowMs, random), destinationId));
    deliveries.push(due(newId("dlv", nowMs, random), "dst_a"));
    const sourceId = randomUUID();
    const startedMs = performance.now();
    const configVersion = await loadVersion(store);
    const event = makeEvent(1, { id: eventId, sourceId, configVersion, deliveries });
    const [answer] = await accept(store, [event], nowMs);
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    if (answer?.kind !== "accepted") return;
    accepted.push({ eventId, deliveries: deliveries.map(({ id }) => id) });
    const [first] = deliveries;
    if (first !== undefined && !answer.unclaimed.includes(first.id)) await settle([first.id], nowMs);
  }

  async function settle(ids: readonly string[], nowMs: number): Promise<void> {
    const settlements = ids.map((id) => makeSettlement(id, { attempt: makeAttempt(1, { startedAtMs: nowMs }) }));
    const results = await store.settleAttemptsIfClaimed({ nowMs, settlements });
    for (const [place, result] of results.entries()) if (result.kind === "settled") settled.push(ids[place] ?? "");
  }

  async function claim(nowMs: number): Promise<number> {
    const claimed = await claimDue(store, nowMs);
    const ours = claimed.filter(({ accountId: of, attemptsMade }) => of === accountId && attemptsMade === 0);
    const mine = ours.map(({ id }) => id).filter((id) => id.length > 20);
    if (mine.length > 0) await settle(mine, nowMs);
    return mine.length;
  }

  const again = async (work: () => Promise<unknown>): Promise<void> => {
    while (!isStopped) await work().catch(noteUnlessAway);
  };
  const loops = [again(acceptSome), again(acceptSome), again(() => claim(systemClock.nowMs()))];
  return {
    accepted,
    settled,
    longestMs: () => longestMs,
    /** Claims have run out by then, so that all is claimed again. */
    async end(): Promise<void> {
      isStopped = true;
      await Promise.all(loops);
      while ((await claim(systemClock.nowMs() + 10 * LEASE_MS)) > 0);
    },
  };
}

/** Calls about an account that is on its way fail for a moment: the caller makes them again. */
function noteUnlessAway(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}

describe("a delivery in a node's memory", () => {
  let over: TwoShards;
  let store: Store;
  const random = createSeededRandom(2);
  before(async () => {
    over = await openTwoShards(cluster, { isApart: false });
    store = await over.openStore();
  });
  after(async () => {
    await store[Symbol.asyncDispose]();
    await over[Symbol.asyncDispose]();
  });

  async function acceptHeld(shard: string): Promise<{ readonly deliveryId: string; readonly nowMs: number }> {
    const nowMs = systemClock.nowMs();
    const [eventId, deliveryId] = [newId("evt", nowMs, random), newId("dlv", nowMs, random)];
    const configVersion = await loadVersion(store);
    const event = makeEvent(1, { id: eventId, sourceId: randomUUID(), configVersion });
    await accept(store, [{ ...event, deliveries: [held(deliveryId, "dst_a")] }], nowMs);
    assert.deepEqual(await rowsOf(shard, deliveryId), []);
    return { deliveryId, nowMs };
  }

  const rowsOf = async (shard: string, deliveryId: string): Promise<readonly string[]> =>
    (await dump(over, shard, accountId))["deliveries"]?.filter((line) => line.includes(deliveryId)) ?? [];

  test("goes along with its row, and the node gives it no other when its claim runs out", async () => {
    const { deliveryId, nowMs } = await acceptHeld("0");
    await moveAccount(over, { ...options, to: "1" });
    const claimed = [...(await claimDue(store, nowMs + LEASE_MS)), ...(await claimDue(store, nowMs + LEASE_MS))];
    assert.equal(claimed.filter(({ id }) => id === deliveryId).length, 1);
    assert.deepEqual(await rowsOf("0", deliveryId), []);
    await moveAccount(over, { ...options, to: "0" });
  });

  test("is settled where it has gone, in the row that it has", async () => {
    const { deliveryId, nowMs } = await acceptHeld("0");
    await moveAccount(over, { ...options, to: "1" });
    const settlements = [makeSettlement(deliveryId)];
    const [result] = await store.settleAttemptsIfClaimed({ nowMs, settlements });
    assert.equal(result?.kind, "settled");
    assert.equal((await rowsOf("1", deliveryId)).length, 1);
    assert.deepEqual(await rowsOf("0", deliveryId), []);
    await moveAccount(over, { ...options, to: "0" });
  });

  test("is settled in its row where the account has come back meanwhile", async () => {
    const { deliveryId, nowMs } = await acceptHeld("0");
    for (const to of ["1", "0"]) await moveAccount(over, { ...options, to });
    const settlements = [makeSettlement(deliveryId)];
    const [result] = await store.settleAttemptsIfClaimed({ nowMs, settlements });
    assert.equal(result?.kind, "settled");
    assert.equal((await rowsOf("0", deliveryId)).length, 1);
  });
});

test("writers and claims that go on meanwhile lose nothing, and get nothing twice", async () => {
  await using over = await openTwoShards(cluster, { isApart: true });
  await using store = await over.openStore();
  const traffic = startTraffic(store);
  const fences: number[] = [];
  for (const to of ["1", "0", "1", "0", "1"]) {
    const enough = traffic.accepted.length + 20;
    await eventually("events between two moves", () => traffic.accepted.length >= enough);
    const moved = await moveAccount(over, { ...options, to });
    assert.ok(moved.kind === "moved");
    fences.push(moved.fencedMs);
  }
  await traffic.end();
  const { accepted, settled } = traffic;
  assert.equal(new Set(settled).size, settled.length, "one was settled twice");
  const here = await dump(over, "1", accountId);
  for (const { eventId, deliveries } of accepted) {
    assert.equal(here["events"]?.filter((line) => line.includes(eventId)).length, 1);
    for (const id of deliveries) {
      const rows = here["deliveries"]?.filter((line) => line.startsWith(`(${id},`)) ?? [];
      assert.equal(rows.length, 1, `${id} has ${rows.length} rows`);
      assert.ok(rows[0]?.includes(",delivered,"), `${id}: ${rows[0]}`);
    }
  }
  const left = Object.entries(await dump(over, "0", accountId)).filter(([, rows]) => rows.length > 0);
  assert.deepEqual(left, []);
});

test("an account that moves is not made anew by a node that does not remember it", async () => {
  await using over = await openTwoShards(cluster, { isApart: false });
  const all = await dump(over, "0", accountId);
  await using store = await over.openStore();
  const nowMs = systemClock.nowMs();
  let put: Promise<unknown> = Promise.resolve();
  const onStep = async (step: string): Promise<void> => {
    if (step !== "fenced") return;
    put = store.putAccount({ account: ACCOUNT, newSealedSecret: "sealed", nowMs });
    // It has asked the directory, and waits for the account in the shard that the move leaves.
    await eventually("the call at the fence", async () => {
      const asked = await store.loadAccount({ accountId });
      return asked !== null;
    });
  };
  await moveAccount(over, { ...options, to: "1", onStep });
  await put;
  const here = await dump(over, "1", accountId);
  assert.deepEqual(here["destinations"]?.length, all["destinations"]?.length);
  assert.deepEqual((await dump(over, "0", accountId))["accounts"], []);
});

test("the new shard's index of search begins again before where the old one's was", async () => {
  await using over = await openTwoShards(cluster, { isApart: false });
  const atMs = systemClock.nowMs();
  // Of the same minutes, and ahead: it would pass over what the old shard has not taken in yet.
  await cluster.query(over.url, `update bellwire.search_cursors set accepted_at = ${atMs}`);
  await cluster.query(over.url, `insert into bellwire_1.search_cursors values (1, ${atMs + 30_000}, 'evt_1')`);
  await moveAccount(over, { ...options, to: "1" });
  const [cursor] = await cluster.query(over.url, "select accepted_at::float as at from bellwire_1.search_cursors");
  assert.deepEqual(cursor, { at: atMs - 60_000 });
});

test("each table of the schema is in the move's lists", async () => {
  await using over = await openTwoShards(cluster, { isApart: false });
  const catalogue = await over.directory.read(({ db }) => loadCatalogue(db));
  const listed = [...HISTORY, ...LIVE].map(({ name }) => name);
  const known = [...listed, ...SEARCH, ...Object.keys(OF_SHARD)].filter((name) => catalogue.has(name));
  assert.deepEqual(known.toSorted(), [...catalogue.keys()].toSorted());
  for (const { name, own = [] } of HISTORY) {
    const columns = catalogue.get(name)?.all ?? [];
    assert.ok(own.every((column) => columns.includes(column)));
  }
});
