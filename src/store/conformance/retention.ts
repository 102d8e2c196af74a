/** Promises about retention: what is old goes, in steps of a bounded size, and never what is still needed. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import {
  ACCOUNT,
  accept,
  acceptEach,
  makeAttempt,
  BODY,
  claimIds,
  due,
  makeEvent,
  held,
  inStore,
  type OpenStore,
  purgeStep,
  setUp,
  makeSettlement,
  T0,
  TEST_DELIVERY,
  ADA,
  requestOneResend,
} from "./world.ts";
import type { Purge, Purged } from "../contract/log.ts";
import type { NewDelivery } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const LATER = T0 + 10_000;

const purgeLater = (store: Store, parts: Partial<Purge>): Promise<Purged> =>
  purgeStep(store, { nowMs: LATER, rowsMax: 1_000, ...parts });

const purge = async (store: Store, parts: Partial<Purge>) => (await purgeLater(store, parts)).purged;

/** As housekeeping does; gives how many rows that changed. */
async function purgeWhileThereIsMore(store: Store, parts: Partial<Purge>): Promise<number> {
  for (let purged = 0, steps = 1; ; steps += 1) {
    assert.ok(steps < 20, "it does not end");
    const step = await purgeLater(store, parts);
    purged += step.purged;
    if (!step.hasMore) return purged;
  }
}

/** Until a step finds nothing more; gives what each one did. */
async function purgeAll(store: Store, parts: Partial<Purge>): Promise<number[]> {
  const steps: number[] = [];
  for (;;) {
    const purged = await purge(store, parts);
    if (purged === 0) return steps;
    steps.push(purged);
    assert.ok(steps.length < 100, "it ends");
  }
}

const load = (store: Store, deliveryId = "dlv_1") => store.loadDelivery({ accountId, deliveryId });

const listBodies = (store: Store, count: number) =>
  Promise.all(Array.from({ length: count }, async (_, place) => (await load(store, `dlv_${place + 1}`))?.body));

const settleAll = (store: Store, ids: readonly string[]) =>
  store.settleAttemptsIfClaimed({ nowMs: T0, settlements: ids.map((id) => makeSettlement(id)) });

/** `count` delivered deliveries `dlv_1` … of one event each, accepted a millisecond apart. */
async function setUpDelivered(store: Store, count: number): Promise<number> {
  const configVersion = await setUp(store, ["dst_a", "dst_b"]);
  const ids = Array.from({ length: count }, (_, place) => `dlv_${place + 1}`);
  const rows = ids.map((id) => held(id, "dst_a"));
  await acceptEach(store, rows, configVersion);
  await settleAll(store, ids);
  return configVersion;
}

export function describeRetention(open: OpenStore): void {
  describe("purging", () => {
    describePayloads(open);
    describeAnswers(open);
    describeRows(open);
  });
  describe("the end of waiting", () => describeExpiring(open));
}

function describePayloads(open: OpenStore): void {
  const test = inStore(open);
  test("payloads go when they are old, and nothing else of the delivery", async (store) => {
    await setUpDelivered(store, 3);
    const before = await load(store);
    assert.equal(await purge(store, { payloadsBeforeMs: T0 + 2 }), 2);
    assert.deepEqual(await listBodies(store, 3), [null, null, BODY]);
    assert.deepEqual(await load(store), { ...before, body: null });
    assert.equal(await purge(store, { payloadsBeforeMs: T0 + 2 }), 0);
  });

  test("an event keeps its payload while any of its deliveries is pending, held or waiting", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const deliveries = [held("dlv_1", "dst_a"), due("dlv_2", "dst_b")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    assert.equal(await purge(store, { payloadsBeforeMs: LATER }), 0);
    await settleAll(store, ["dlv_1"]);
    assert.equal(await purge(store, { payloadsBeforeMs: LATER }), 0);
    await claimIds(store, T0);
    await settleAll(store, ["dlv_2"]);
    assert.equal(await purge(store, { payloadsBeforeMs: LATER }), 1);
  });

  test("events that went to nobody and tests lose their payloads too", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await accept(store, [makeEvent(1, { configVersion })]);
    await store.recordTestDelivery(TEST_DELIVERY);
    assert.equal(await purge(store, { payloadsBeforeMs: LATER }), 2);
    assert.equal((await load(store, TEST_DELIVERY.deliveryId))?.body, null);
  });

  test("a step changes no more rows than it may, and steps end when nothing is left", async (store) => {
    await setUpDelivered(store, 7);
    assert.deepEqual(await purgeAll(store, { payloadsBeforeMs: LATER, rowsMax: 3 }), [3, 3, 1]);
    assert.deepEqual(
      await listBodies(store, 7),
      Array.from({ length: 7 }, () => null),
    );
  });

  test("old events that still wait hold up none of those behind them, and go when they have ended", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const waiting = [1, 2, 3, 4, 5].map((n): NewDelivery => due(`dlv_${n}`, "dst_b"));
    await acceptEach(store, [...waiting, held("dlv_6", "dst_a")], configVersion);
    await settleAll(store, ["dlv_6"]);
    const old = { payloadsBeforeMs: LATER, rowsMax: 2 };
    assert.equal(await purgeWhileThereIsMore(store, old), 1);
    assert.deepEqual(await listBodies(store, 6), [BODY, BODY, BODY, BODY, BODY, null]);
    await settleAll(store, await claimIds(store, LATER));
    for (let step = 0; step < 6; step += 1) await purge(store, old);
    assert.deepEqual(
      await listBodies(store, 6),
      Array.from({ length: 6 }, () => null),
    );
  });
}

function describeAnswers(open: OpenStore): void {
  const test = inStore(open);
  test("what receivers answered goes when it is old, and status, times and request stay", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
    const newer = makeSettlement("dlv_2", { attempt: makeAttempt(1, { startedAtMs: T0 + 5 }) });
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1"), newer] });
    const [before, untouched] = [await load(store), await load(store, "dlv_2")];
    assert.equal(await purge(store, { attemptBodiesBeforeMs: T0 + 5 }), 1);
    const attempt = makeAttempt(1);
    const response = { status: 200, headers: {}, body: new Uint8Array(), bodyCut: false };
    const emptied = { ...attempt, result: { ...attempt.result, outcome: { kind: "response", response } } };
    assert.deepEqual(await load(store), { ...before, attempts: [emptied] });
    assert.deepEqual(await load(store, "dlv_2"), untouched);
    assert.equal(await purge(store, { attemptBodiesBeforeMs: T0 + 5 }), 0);
  });

  test("attempts without an answer are left alone, and a step is bounded here too", async (store) => {
    await setUpDelivered(store, 3);
    const configVersion = (await store.loadAccount({ accountId }))?.configVersion ?? 0;
    await acceptEach(store, [held("dlv_4", "dst_a")], configVersion);
    const outcome = { kind: "timeout", phase: "body" } as const;
    const timedOut = makeSettlement("dlv_4", { attempt: makeAttempt(1, { outcome }), next: { state: "failed" } });
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [timedOut] });
    assert.deepEqual(await purgeAll(store, { attemptBodiesBeforeMs: LATER, rowsMax: 2 }), [2, 1]);
    assert.deepEqual((await load(store, "dlv_4"))?.attempts, [timedOut.attempt]);
  });
}

function describeRows(open: OpenStore): void {
  const test = inStore(open);
  test("old events go with their deliveries and attempts, and their source ids stay known", async (store) => {
    const configVersion = await setUpDelivered(store, 3);
    await purgeAll(store, { rowsBeforeMs: T0 + 2 });
    assert.deepEqual([await load(store, "dlv_1"), await load(store, "dlv_2")], [null, null]);
    assert.equal((await load(store, "dlv_3"))?.body, BODY);
    // Nobody knows what the first one's body was.
    const repeat = makeEvent(1, { id: "evt_repeat", configVersion, body: '{"state":"other"}' });
    assert.deepEqual(await accept(store, [repeat]), [
      { kind: "duplicate", eventId: "evt_1", deliveries: 1, differs: false },
    ]);
  });

  test("an event stays whole while any of its deliveries is pending", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const deliveries = [held("dlv_1", "dst_a"), due("dlv_2", "dst_b")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    await settleAll(store, ["dlv_1"]);
    const before = [await load(store, "dlv_1"), await load(store, "dlv_2")];
    assert.equal(await purge(store, { payloadsBeforeMs: LATER, rowsBeforeMs: LATER }), 0);
    assert.deepEqual([await load(store, "dlv_1"), await load(store, "dlv_2")], before);
    assert.deepEqual(await claimIds(store, T0), ["dlv_2"]);
  });

  test("a step of one row does it too, however many rows an event has", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const deliveries = [held("dlv_1", "dst_a"), held("dlv_2", "dst_b")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    const retry = makeSettlement("dlv_1", { next: { state: "pending", dueAtMs: T0 } });
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [retry] });
    await claimIds(store, T0);
    const second = makeSettlement("dlv_1", { attempt: makeAttempt(2) });
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [second, makeSettlement("dlv_2")] });
    const steps = await purgeAll(store, { rowsBeforeMs: LATER, rowsMax: 1 });
    // The payload, two deliveries with three attempts (the only one of a delivery may stand in its row), the event.
    assert.deepEqual([...new Set(steps)], [1]);
    assert.ok(steps.length === 6 || steps.length === 7, `${steps.length} steps`);
    assert.deepEqual([await load(store, "dlv_1"), await load(store, "dlv_2")], [null, null]);
  });

  test("old replays that have ended and old history go; a replay that runs stays", async (store) => {
    await setUpDelivered(store, 1);
    const change = { accountId, destinationId: "dst_a", by: ADA, reason: "" } as const;
    await store.setDestinationState({ ...change, state: "paused", nowMs: T0 });
    await store.setDestinationState({ ...change, state: "on", nowMs: LATER });
    const filter = { states: ["delivered"] } as const;
    const replay = { accountId, filter, deliveriesMax: 9, ratePerSecond: 1, startPaused: false, by: ADA };
    await store.createReplay({ ...replay, id: "rpl_ended", filter: { states: ["failed"] }, nowMs: T0 + 1 });
    await store.createReplay({ ...replay, id: "rpl_running", nowMs: T0 + 1 });
    await purgeAll(store, { rowsBeforeMs: T0 + 2 });
    assert.deepEqual(await store.listReplays({ accountId, replayId: "rpl_ended" }), []);
    assert.equal((await store.listReplays({ accountId, replayId: "rpl_running" }))[0]?.state, "running");
    const changes = await store.listDestinationChanges({ accountId, destinationId: "dst_a" });
    assert.deepEqual(
      changes.map(({ atMs }) => atMs),
      [LATER],
    );
  });
}

function describeExpiring(open: OpenStore): void {
  const test = inStore(open);
  const setState = (store: Store, state: "on" | "paused") =>
    store.setDestinationState({ accountId, destinationId: "dst_a", state, by: ADA, reason: "", nowMs: T0 });
  const expire = async (store: Store, dueBeforeMs: number, rowsMax = 1_000) =>
    (await store.expireWaiting({ nowMs: LATER, dueBeforeMs, rowsMax })).expired;

  test("what has been due for too long is cancelled when its destination is not on", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const rows = [due("dlv_1", "dst_a"), due("dlv_2", "dst_a"), due("dlv_3", "dst_a"), due("dlv_4", "dst_b")];
    await acceptEach(store, rows, configVersion);
    assert.equal(await expire(store, LATER), 0);
    await setState(store, "paused");
    assert.equal(await expire(store, T0 + 2), 2);
    const first = await load(store);
    assert.deepEqual([first?.state, first?.settledAtMs, first?.dueAtMs], ["cancelled", LATER, null]);
    assert.equal((await load(store, "dlv_3"))?.state, "pending");
    assert.equal((await store.countWaiting({ nowMs: LATER })).waiting, 2);
    await setState(store, "on");
    assert.deepEqual(await claimIds(store, LATER), ["dlv_3", "dlv_4"]);
  });

  test("a step cancels no more than it may, and the next one goes on", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const rows = [1, 2, 3, 4, 5].map((n) => due(`dlv_${n}`, "dst_a"));
    await acceptEach(store, rows, configVersion);
    await setState(store, "paused");
    const steps = [];
    for (let step = 0; step < 4; step += 1) steps.push(await expire(store, LATER, 2));
    assert.deepEqual(steps, [2, 2, 1, 0]);
  });

  test("an attempt under way is not cancelled, and one that was resent has its full time again", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
    await settleAll(store, ["dlv_2"]);
    await setState(store, "paused");
    await requestOneResend(store, { accountId, deliveryId: "dlv_2", by: ADA, nowMs: LATER });
    assert.equal(await expire(store, LATER), 0);
    assert.equal((await settleAll(store, ["dlv_1"]))[0]?.kind, "settled");
    assert.equal(await expire(store, LATER + 1), 1);
    assert.equal((await load(store, "dlv_2"))?.state, "cancelled");
  });
}
