/**
 * Settling and resending move a delivery from one table to another. A transaction that waits for a row that is then
 * moved is told by PostgreSQL that it may try again (40001), instead of seeing that the row is not what it was looking
 * for.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type pg from "pg";
import { shareCluster, untilSomeoneWaits } from "../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../lib/clock.ts";
import {
  ACCOUNT,
  ADA,
  accept,
  CLAIM_LOST,
  claimIds,
  due,
  makeEvent,
  LEASE_MS,
  SETTLED,
  setUp,
  makeSettlement,
  T0,
  requestOneResend,
} from "../conformance/world.ts";
import type { Store } from "../contract/store.ts";
import { newSession } from "./connection/connections.ts";
import { WITHOUT_FIRST_ATTEMPT } from "./path/settle-in-memory.ts";
import { openPostgresStore } from "./open.ts";

const accountId = ACCOUNT.id;
const LATER = T0 + 10 * LEASE_MS;

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();

type Session = pg.Client & AsyncDisposable;

/** A test body with a node and, beside it, a session that does what another node might. */
function beside(run: (store: Store, other: Session) => Promise<void>): () => Promise<void> {
  return async () => {
    await using store = (await openPostgresStore({ url, clock: systemClock })).store;
    await cluster.emptyStore(url);
    const client = newSession({ url, pooler: "none", forcesSync: false }, { pipeline: true });
    await client.connect();
    await using other = Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
    await run(store, other);
  };
}

const SETTLE = `update deliveries
  set state = 'delivered', is_ended = true, due_at = null, claim_token = null, settled_at = 1`;
const RESEND = `update deliveries
  set state = 'pending', is_ended = false, due_at = ${T0}, settled_at = null, ${WITHOUT_FIRST_ATTEMPT}`;

/** The answer of `call` when the other session moves the rows that it waits for. */
async function whileMoved<Answer>(other: Session, sql: string, call: () => Promise<Answer>): Promise<Answer> {
  await other.query(`begin; ${sql}`);
  const answer = call();
  await untilSomeoneWaits(cluster, url);
  await other.query("commit");
  return await answer;
}

/** With rows: what a node has in memory without one cannot be moved (see `in-memory-deliveries.test.ts`). */
async function acceptHeld(store: Store, ids: readonly string[]): Promise<void> {
  const configVersion = await setUp(store, ["dst_a"]);
  const deliveries = ids.map((id) => due(id, "dst_a"));
  await accept(store, [makeEvent(1, { configVersion, deliveries })]);
  assert.equal((await claimIds(store, T0)).length, ids.length);
}

const settle = (store: Store, ids: readonly string[]) =>
  store.settleAttemptsIfClaimed({ nowMs: T0, settlements: ids.map((id) => makeSettlement(id)) });

const load = (store: Store, deliveryId: string) => store.loadDelivery({ accountId, deliveryId });

const resend = (store: Store, deliveryId: string) =>
  requestOneResend(store, { accountId, deliveryId, by: ADA, nowMs: T0 });

describe("a delivery that another node moves while we wait for it", () => {
  test(
    "is not settled twice, and the others of the batch are settled all the same",
    beside(async (store, other) => {
      await acceptHeld(store, ["dlv_1", "dlv_2", "dlv_3"]);
      const ids = ["dlv_1", "dlv_2", "dlv_3"];
      const answers = await whileMoved(other, `${SETTLE} where id = 'dlv_2'`, () => settle(store, ids));
      assert.deepEqual(answers, [SETTLED, CLAIM_LOST, SETTLED]);
      const loaded = await Promise.all(ids.map((id) => load(store, id)));
      const attempts = loaded.map((delivery) => [delivery?.state, delivery?.attempts.length]);
      assert.deepEqual(attempts, [
        ["delivered", 1],
        ["delivered", 0],
        ["delivered", 1],
      ]);
    }),
  );

  test(
    "is not given back",
    beside(async (store, other) => {
      await acceptHeld(store, ["dlv_1"]);
      const claims = [{ deliveryId: "dlv_1", accountId: ACCOUNT.id, claimToken: "token" }];
      const release = () => store.releaseClaims({ claims, dueAtMs: T0 });
      assert.deepEqual(await whileMoved(other, SETTLE, release), { released: 0 });
      assert.deepEqual(await claimIds(store, LATER), []);
    }),
  );

  test(
    "is resent when it has just been settled",
    beside(async (store, other) => {
      await acceptHeld(store, ["dlv_1"]);
      assert.equal(await whileMoved(other, SETTLE, () => resend(store, "dlv_1")), "queued");
      assert.deepEqual(await claimIds(store, T0), ["dlv_1"]);
    }),
  );

  test(
    "is sent once when it has just been resent",
    beside(async (store, other) => {
      await acceptHeld(store, ["dlv_1"]);
      await settle(store, ["dlv_1"]);
      assert.equal(await whileMoved(other, RESEND, () => resend(store, "dlv_1")), "queued");
      assert.equal((await claimIds(store, LATER)).length, 1);
    }),
  );

  test(
    "is skipped by a replay's step",
    beside(async (store, other) => {
      await acceptHeld(store, ["dlv_1", "dlv_2"]);
      await settle(store, ["dlv_1", "dlv_2"]);
      const filter = { states: ["delivered"] } as const;
      const limits = { deliveriesMax: 9, ratePerSecond: 9, startPaused: false };
      await store.createReplay({ accountId, id: "rpl_1", filter, by: ADA, nowMs: T0 + 1, ...limits });
      const step = () => store.stepReplays({ nowMs: T0 + 1_001, deliveriesMax: 9 });
      const { moved } = await whileMoved(other, `${RESEND} where id = 'dlv_1'`, step);
      assert.equal(moved, 1);
      const replay = (await store.listReplays({ accountId, replayId: "rpl_1" }))[0];
      assert.deepEqual([replay?.state, replay?.moved, replay?.skipped], ["finished", 1, 1]);
    }),
  );

  test(
    "is neither claimed nor cancelled: nobody waits for it",
    beside(async (store, other) => {
      const configVersion = await setUp(store, ["dst_a"]);
      await accept(store, [
        makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a"), due("dlv_2", "dst_a")] }),
      ]);
      await other.query(`begin; ${SETTLE} where id = 'dlv_1'`);
      assert.deepEqual(await claimIds(store, T0, { deliveriesMax: 1 }), ["dlv_2"]);
      const cancel = { accountId, destinationId: "dst_a", createdBeforeMs: LATER, rowsMax: 9, nowMs: T0 };
      assert.deepEqual(await store.cancelWaiting(cancel), { cancelled: 0 });
      await other.query("commit");
      assert.equal((await load(store, "dlv_1"))?.state, "delivered");
    }),
  );

  test(
    "is not cancelled with its destination when its late answer has just been settled",
    beside(async (store, other) => {
      await acceptHeld(store, ["dlv_1", "dlv_2"]);
      const change = { accountId, destinationId: "dst_a", by: ADA, reason: "", nowMs: T0 } as const;
      await store.setDestinationState({ ...change, state: "paused" });
      await other.query(`begin; ${SETTLE} where id = 'dlv_1'`);
      const expire = () => store.expireWaiting({ nowMs: LATER, dueBeforeMs: LATER, rowsMax: 9 });
      assert.deepEqual(await expire(), { expired: 1 });
      await other.query("commit");
      assert.deepEqual(await expire(), { expired: 0 });
      const states = [(await load(store, "dlv_1"))?.state, (await load(store, "dlv_2"))?.state];
      assert.deepEqual(states, ["delivered", "cancelled"]);
    }),
  );
});

test(
  "late settlements, new claims and resends of two nodes end every delivery once, with each of its attempts",
  beside(async (one) => {
    await using other = (await openPostgresStore({ url, clock: systemClock })).store;
    const ids = Array.from({ length: 30 }, (_, n) => `dlv_${n}`);
    await acceptHeld(one, ids);
    // The first claim has run out. Its node settles all the same, while the other claims, settles, and people resend.
    const settleLate = settle(one, ids);
    const token = { token: "new", untilMs: LATER + LEASE_MS };
    const claimed = await claimIds(other, LATER, { claim: token });
    const settleNew = other.settleAttemptsIfClaimed({
      nowMs: LATER,
      settlements: claimed.map((id) => makeSettlement(id, { claimToken: "new" })),
    });
    const resends = Promise.all(ids.flatMap((id) => [resend(one, id), resend(other, id)]));
    const late = (await settleLate).filter(({ kind }) => kind === "settled").length;
    const anew = (await settleNew).filter(({ kind }) => kind === "settled").length;
    const queued = new Set((await resends).flatMap((answer, place) => (answer === "queued" ? [place >> 1] : []))).size;
    assert.equal(late + anew, ids.length);
    const loaded = await Promise.all(ids.map((id) => load(one, id)));
    assert.ok(loaded.every((delivery) => delivery?.attempts.length === 1));
    assert.equal(loaded.filter((delivery) => delivery?.state === "pending").length, queued);
    assert.equal((await one.countWaiting({ nowMs: LATER })).waiting, queued);
  }),
);
