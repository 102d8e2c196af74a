/** Deliveries that a node has in memory without a row: what happens to them when nodes die, freeze and lose commits. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { after, describe, test } from "node:test";
import type { PoolClient } from "pg";
import { shareCluster } from "../../../test/kit/servers/postgres.ts";
import { openDatabase } from "../../../test/kit/servers/store-database.ts";
import { systemClock } from "../../lib/clock.ts";
import { type Answer, toCall } from "../calls.ts";
import {
  ACCOUNT,
  ADA,
  accept,
  CLAIM_LOST,
  claimAt,
  claimIds,
  due,
  held,
  LEASE_MS,
  makeEvent,
  makeSettlement,
  SETTLED,
  setUp,
  T0,
  requestOneResend,
} from "../conformance/world.ts";
import type { NewEvent } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";
import { type AttemptColumns, packAttempt } from "./attempts.ts";
import { commitCalls } from "./commit-calls.ts";
import { Batch } from "./connection/batch.ts";
import { PATH_POOL } from "./connection/connections.ts";
import { openPostgresStore } from "./open.ts";
import type { Database } from "./transaction.ts";

const accountId = ACCOUNT.id;
const LATER = T0 + LEASE_MS;

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();

const openNode = async (): Promise<Store> => (await openPostgresStore({ url, clock: systemClock })).store;
await (await openNode())[Symbol.asyncDispose]();

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

/** A test body with two nodes on one empty database, and the version of its set-up. */
function onTwoNodes(run: (one: Store, other: Store, configVersion: number) => Promise<void>): () => Promise<void> {
  return async () => {
    await cluster.emptyStore(url);
    await using one = await openNode();
    await using other = await openNode();
    await run(one, other, await setUp(one, ["dst_a"]));
  };
}

const eventWith = (n: number, configVersion: number): NewEvent =>
  makeEvent(n, { configVersion, deliveries: [held(`dlv_${n}`, "dst_a")] });

const settle = (store: Store, ids: readonly string[], nowMs = T0) =>
  store.settleAttemptsIfClaimed({ nowMs, settlements: ids.map((id) => makeSettlement(id)) });

const countRows = async (): Promise<number> =>
  Number((await cluster.query(url, "select count(*) as rows from bellwire.deliveries"))[0]?.["rows"]);

describe("a node that has deliveries in memory", () => {
  /** A process of its own that takes a delivery into memory with each event, and says so. */
  const HOLDING_NODE = `
    import { systemClock } from "${new URL("../../lib/clock.ts", import.meta.url).href}";
    import { accept, makeEvent, held, T0 } from "${new URL("../conformance/world.ts", import.meta.url).href}";
    import { openPostgresStore } from "${new URL("./open.ts", import.meta.url).href}";
    const { store } = await openPostgresStore({ url: process.argv[1], clock: systemClock });
    const configVersion = Number(process.argv[2]);
    for (let n = 1; ; n += 1) {
      await accept(store, [makeEvent(n, { configVersion, deliveries: [held("dlv_" + n, "dst_a")] })], T0);
      console.log("dlv_" + n);
    }
  `;

  test(
    "and is killed leaves each of them to another node, once, when its claim has run out",
    onTwoNodes(async (one, other, configVersion) => {
      const args = ["--input-type=module-typescript", "--eval", HOLDING_NODE, url, String(configVersion)];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const acknowledged: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        acknowledged.push(line);
        if (acknowledged.length === 100) child.kill("SIGKILL");
      }
      if (child.signalCode === null) await once(child, "exit");
      assert.equal(await countRows(), 0);
      assert.deepEqual(await claimIds(one, LATER - 1), []);
      const claims = await Promise.all([one, other, one].map((store) => claimIds(store, LATER)));
      const claimed = claims.flat();
      assert.equal(new Set(claimed).size, claimed.length);
      assert.deepEqual(
        acknowledged.filter((id) => !claimed.includes(id)),
        [],
      );
    }),
  );

  test(
    "and stops in order gives them rows, which wait for the end of their claim",
    onTwoNodes(async (_, other, configVersion) => {
      const stopping = await openNode();
      await accept(stopping, [eventWith(1, configVersion)]);
      await stopping[Symbol.asyncDispose]();
      assert.equal(await countRows(), 1);
      assert.deepEqual(await claimIds(other, LATER - 1), []);
      assert.deepEqual(await claimIds(other, LATER), ["dlv_1"]);
    }),
  );

  test(
    "and was frozen until its lease was taken over writes nothing for them, and goes on under another lease",
    onTwoNodes(async (frozen, other, configVersion) => {
      await accept(frozen, [eventWith(1, configVersion)]);
      assert.deepEqual(await claimIds(other, LATER, { claim: claimAt(LATER, "other") }), ["dlv_1"]);
      assert.deepEqual(await settle(frozen, ["dlv_1"], LATER), [CLAIM_LOST]);
      await accept(frozen, [eventWith(2, configVersion)], LATER);
      assert.deepEqual(await settle(frozen, ["dlv_2"], LATER), [SETTLED]);
      assert.equal(await countRows(), 2);
    }),
  );

  test(
    "and is late writes them before another node takes over, or loses them, and never both",
    onTwoNodes(async (late, other, configVersion) => {
      for (let round = 0; round < 30; round += 1) {
        const first = 1 + 10 * round;
        const events = numbers(10).map((n) => eventWith(first + n - 1, configVersion));
        const nowMs = T0 + 2 * round * LEASE_MS;
        await accept(late, events, nowMs);
        const ids = events.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
        const endMs = nowMs + LEASE_MS;
        const claim = claimAt(endMs, "other");
        const [settled, claimed] = await Promise.all([settle(late, ids, endMs), claimIds(other, endMs, { claim })]);
        const lost = ids.filter((_, place) => settled[place]?.kind === "claim_lost");
        assert.deepEqual(claimed.toSorted(), lost.toSorted(), `round ${round}`);
        const settlements = claimed.map((id) => makeSettlement(id, { claimToken: "other" }));
        await other.settleAttemptsIfClaimed({ nowMs: endMs, settlements });
        assert.equal(await countRows(), first + 9);
      }
    }),
  );

  test(
    "keeps its events from retention, and those after them, until it has none",
    onTwoNodes(async (one, other, configVersion) => {
      const old = { payloadsBeforeMs: LATER, attemptBodiesBeforeMs: 0, rowsBeforeMs: LATER, rowsMax: 100 };
      const purgeAll = async (store: Store): Promise<void> => {
        while ((await store.purge({ nowMs: LATER, ...old })).purged > 0);
      };
      await accept(one, [eventWith(1, configVersion), eventWith(2, configVersion)]);
      await settle(one, ["dlv_2"]);
      for (const store of [one, other]) await purgeAll(store);
      assert.equal((await one.loadDelivery({ accountId, deliveryId: "dlv_1" }))?.state, "pending");
      assert.deepEqual(await settle(one, ["dlv_1"]), [SETTLED]);
      await purgeAll(one);
      assert.equal(await countRows(), 0);
    }),
  );
});

describe("deliveries in memory are in everything that people read", () => {
  test(
    "on every node as rows that wait, and once when they have got a row",
    onTwoNodes(async (one, other, configVersion) => {
      const deliveries = [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")];
      await accept(one, [makeEvent(1, { configVersion, deliveries })]);
      const event = { accountId, type: "demo_viewed", sourceId: makeEvent(1, { configVersion }).sourceId } as const;
      const page = { accountId, withTests: false, limit: 9, before: null } as const;
      const read = async (store: Store) => ({
        listed: (await store.listDeliveries(page)).deliveries.map(({ id, state }) => [id, state]),
        waiting: (await store.listDeliveries({ ...page, statuses: ["waiting"] })).deliveries.map(({ id }) => id),
        named: (await store.listDeliveries({ ...page, idText: "dlv_1" })).deliveries.map(({ id }) => id),
        later: (await store.listDeliveries({ ...page, createdFromMs: T0 + 1 })).deliveries,
        loaded: await store.loadDelivery({ accountId, deliveryId: "dlv_1" }),
        stranger: await store.loadDelivery({ accountId: "acc_2", deliveryId: "dlv_1" }),
        event: await store.loadEvent(event),
        count: await store.countWaiting({ nowMs: T0 }),
        reported: (await store.loadDestinations({ accountId, nowMs: T0, withDeleted: true, waitingMax: 9 })).map(
          ({ waiting }) => waiting.count,
        ),
        resent: await requestOneResend(store, { accountId, deliveryId: "dlv_1", by: ADA, nowMs: T0 }),
      });
      const [here, there] = [await read(one), await read(other)];
      assert.deepEqual(there, here);
      const { event: found, loaded, ...shown } = here;
      assert.deepEqual(shown, {
        listed: [
          ["dlv_2", "pending"],
          ["dlv_1", "pending"],
        ],
        waiting: ["dlv_2", "dlv_1"],
        named: ["dlv_1"],
        later: [],
        stranger: null,
        count: { waiting: 2, oldestDueAtMs: T0 },
        reported: [2],
        resent: "in_memory",
      });
      assert.deepEqual(found?.deliveries, { total: 2, delivered: 0, failed: 0 });
      assert.deepEqual(found.deliveryIds, ["dlv_1", "dlv_2"]);
      assert.deepEqual([loaded?.state, loaded?.dueAtMs, loaded?.attempts], ["pending", T0, []]);
      await settle(one, ["dlv_1"]);
      const settled = await read(other);
      assert.deepEqual(settled.listed, [
        ["dlv_2", "pending"],
        ["dlv_1", "delivered"],
      ]);
      assert.deepEqual(settled.event?.deliveries, { total: 2, delivered: 1, failed: 0 });
      assert.deepEqual([settled.count.waiting, settled.reported], [1, [1]]);
    }),
  );
});

type Query = (...args: unknown[]) => Promise<unknown>;

/** A node of one connection, with what it sends to the server in the test's hands. */
function openNodeWith(intercept: (query: Query, args: unknown[], socket: Socket) => Promise<unknown>): Database {
  const database = openDatabase(url, { ...PATH_POOL, connectionsMax: 1 });
  database.pool.on("connect", (client: PoolClient) => {
    const query = client.query.bind(client) as Query;
    const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    Object.assign(client, { query: (...args: unknown[]) => intercept(query, args, stream) });
  });
  return database;
}

/** The names of what is asked in one batch. */
const namesOf = ([asked]: readonly unknown[]): unknown[] =>
  asked instanceof Batch ? asked.statements.map(({ name }) => name) : [asked];

const valueOf = ([answer]: readonly Answer[]): unknown => (answer?.kind === "done" ? answer.value : answer?.kind);

async function acceptOne(database: Database, n: number, configVersion: number): Promise<unknown> {
  const params = { nowMs: T0, claim: claimAt(T0), events: [eventWith(n, configVersion)] };
  return valueOf(await commitCalls(database, [toCall("acceptEvents", params)]));
}

async function settleOne(database: Database, n: number): Promise<unknown> {
  const settlement = makeSettlement(`dlv_${n}`);
  const settlements = [{ ...settlement, attempt: packAttempt(settlement.attempt) }];
  const params = { nowMs: T0, settlements };
  const call = toCall<"settleAttemptsIfClaimed", AttemptColumns>("settleAttemptsIfClaimed", params);
  return valueOf(await commitCalls(database, [call]));
}

const taken = [{ kind: "accepted", unclaimed: [] }];

test(
  "a settlement that has begun keeps other nodes from taking its lease over, until it has committed",
  onTwoNodes(async (_, other, configVersion) => {
    const begun = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    let isSettling = false;
    const database = openNodeWith(async (query, args) => {
      if (isSettling && namesOf(args).includes("commit")) {
        begun.resolve();
        await goesOn.promise;
      }
      return await query(...args);
    });
    assert.deepEqual(await acceptOne(database, 1, configVersion), taken);
    isSettling = true;
    const settling = settleOne(database, 1);
    await begun.promise;
    assert.deepEqual(await claimIds(other, LATER), []);
    goesOn.resolve();
    assert.deepEqual(await settling, [SETTLED]);
    assert.deepEqual(await claimIds(other, LATER), []);
    assert.equal(await countRows(), 1);
    await database.pool.end();
  }),
);

test(
  "a resend of a delivery that gets its row meanwhile is told that it is in memory, and not that it is missing",
  onTwoNodes(async (holder, _, configVersion) => {
    await accept(holder, [eventWith(1, configVersion)]);
    const database = openNodeWith(async (query, args) => {
      if (namesOf(args).includes("find delivery in memory"))
        assert.deepEqual(await settle(holder, ["dlv_1"]), [SETTLED]);
      return await query(...args);
    });
    const call = toCall("requestResends", { accountId, deliveryIds: ["dlv_1"], by: ADA, nowMs: T0 });
    assert.deepEqual(valueOf(await commitCalls(database, [call])), ["in_memory"]);
    await database.pool.end();
  }),
);

test(
  "a node counts its own in its memory, and reads the events of other nodes only",
  onTwoNodes(async (_, other, configVersion) => {
    const asked: unknown[] = [];
    const database = openNodeWith((query, args) => {
      asked.push(...namesOf(args));
      return query(...args);
    });
    const count = async (): Promise<[waiting: unknown, readsEvents: boolean]> => {
      asked.splice(0);
      const value = valueOf(await commitCalls(database, [toCall("countWaiting", { nowMs: T0 })]));
      return [(value as { waiting: number }).waiting, asked.includes("count deliveries in memory")];
    };
    assert.deepEqual(await acceptOne(database, 1, configVersion), taken);
    assert.deepEqual(await acceptOne(database, 2, configVersion), taken);
    assert.deepEqual(await count(), [2, false]);
    await accept(other, [eventWith(3, configVersion)]);
    assert.deepEqual(await count(), [3, true]);
    assert.deepEqual(await settleOne(database, 1), [SETTLED]);
    assert.deepEqual(await count(), [2, true]);
    assert.equal((await other.countWaiting({ nowMs: T0 })).waiting, 2);
    // Another node has taken the lease over: what it covered has rows, which are counted.
    assert.deepEqual((await claimIds(other, LATER)).toSorted(), ["dlv_2", "dlv_3"]);
    assert.equal((await count())[0], 2);
    await database.pool.end();
  }),
);

/** A node with a connection that breaks during its next commit, before or after the server has committed. */
function openBreaking(): { database: Database; breakCommit: (when: "before" | "after") => void } {
  let breaks: "before" | "after" | null = null;
  const database = openNodeWith(async (query, args, socket) => {
    const when = namesOf(args).includes("commit") ? breaks : null;
    if (when === null) return await query(...args);
    breaks = null;
    if (when === "before") socket.destroy();
    else breakAtAnswer(socket);
    return await query(...args);
  });
  return { database, breakCommit: (when) => (breaks = when) };
}

/** The answer says that it has committed, and does not come to the node. */
function breakAtAnswer(socket: Socket): void {
  socket.removeAllListeners("data");
  socket.on("data", (answer: Buffer) => {
    if (answer.includes("COMMIT")) socket.destroy();
  });
}

describe("a commit with an outcome that its node does not know", () => {
  for (const when of ["before", "after"] as const) {
    test(
      `loses and doubles nothing where the connection broke ${when} it`,
      onTwoNodes(async (_, other, configVersion) => {
        const { database, breakCommit } = openBreaking();
        const acceptNth = (n: number) => acceptOne(database, n, configVersion);
        assert.deepEqual(await acceptNth(1), taken);
        breakCommit(when);
        assert.equal(await settleOne(database, 1), "unavailable");
        assert.deepEqual(await settleOne(database, 1), [when === "after" ? CLAIM_LOST : SETTLED]);
        // Opens the next lease, so that the event's own commit breaks.
        assert.deepEqual(await acceptNth(3), taken);
        breakCommit(when);
        assert.equal(await acceptNth(2), "unavailable");
        const repeated = [{ kind: "duplicate", eventId: "evt_2", deliveries: 1, differs: false }];
        assert.deepEqual(await acceptNth(2), when === "after" ? repeated : taken);
        await database.pool.end();
        assert.deepEqual((await claimIds(other, LATER)).toSorted(), ["dlv_2", "dlv_3"]);
        assert.equal(await countRows(), 3);
      }),
    );
  }
});
