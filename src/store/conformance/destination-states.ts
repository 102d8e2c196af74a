/** Promises about a destination's states: who changes them, what waits meanwhile, and that each change is kept. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import {
  ACCOUNT,
  accept,
  acceptEach,
  makeAttempt,
  claimDue,
  claimIds,
  findDestination,
  due,
  makeEvent,
  held,
  inStore,
  openBreaker,
  type OpenStore,
  setUp,
  makeSettlement,
  SETTLED,
  T0,
  loadVersion,
  ADA,
} from "./world.ts";
import type { Store } from "../contract/store.ts";
import type { SetDestinationState } from "../contract/destinations.ts";

const accountId = ACCOUNT.id;
const destinationId = "dst_a";

const setState = (store: Store, state: "on" | "paused", parts: Partial<SetDestinationState> = {}) =>
  store.setDestinationState({ accountId, destinationId, state, by: ADA, reason: "asked", nowMs: T0, ...parts });

const listChanges = (store: Store) => store.listDestinationChanges({ accountId, destinationId });

async function turnOff(store: Store, deliveryId: string, nowMs = T0): Promise<void> {
  const gone = makeSettlement(deliveryId, { next: { state: "failed" }, destinationOff: "gone" });
  await store.settleAttemptsIfClaimed({ nowMs, settlements: [gone] });
}

export function describeDestinationStates(open: OpenStore): void {
  describe("a destination's states", () => {
    describePausing(open);
    describeTurningOn(open);
    describeRefused(open);
    describeCounts(open);
  });
  describe("a destination's history", () => describeHistory(open));
}

function describeCounts(open: OpenStore): void {
  const test = inStore(open);
  test("each destination is counted in one condition: on, failing, held, paused or off", async (store) => {
    const none = { on: 0, failing: 0, held: 0, paused: 0, off: 0 };
    assert.deepEqual(await store.countDestinations({ nowMs: T0 }), none);
    const configVersion = await setUp(store, ["dst_a", "dst_b", "dst_c", "dst_d", "dst_e"]);
    assert.deepEqual(await store.countDestinations({ nowMs: T0 }), { ...none, on: 5 });
    await openBreaker(store, "dst_b");
    const deliveries = [held("dlv_1", "dst_c"), held("dlv_2", "dst_d")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    const failed = makeAttempt(1, { outcome: { kind: "timeout", phase: "connect" } });
    const again = { state: "pending", dueAtMs: T0 + 5_000 } as const;
    await store.settleAttemptsIfClaimed({
      nowMs: T0,
      settlements: [makeSettlement("dlv_1", { attempt: failed, next: again })],
    });
    await turnOff(store, "dlv_2");
    await setState(store, "paused");
    assert.deepEqual(await store.countDestinations({ nowMs: T0 + 1 }), {
      on: 1,
      failing: 1,
      held: 1,
      paused: 1,
      off: 1,
    });
    const rested = T0 + 3_600_000;
    assert.deepEqual(await store.countDestinations({ nowMs: rested }), {
      on: 1,
      failing: 2,
      held: 0,
      paused: 1,
      off: 1,
    });
    const assistant = { accountId, assistantId: "assistant of dst_e", expectedRevision: 2, by: ADA, nowMs: T0 };
    await store.removeAssistantDestination(assistant);
    assert.equal((await store.countDestinations({ nowMs: rested })).on, 0);
  });
}

function describePausing(open: OpenStore): void {
  const test = inStore(open);
  test("what waits for a paused destination stays, is not overdue, and goes when it is turned on", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [due("dlv_1", "dst_a"), due("dlv_2", "dst_a"), due("dlv_3", "dst_b")], configVersion);
    assert.equal(await setState(store, "paused"), "changed");
    assert.equal((await findDestination(store, "dst_a"))?.state, "paused");
    assert.deepEqual(await claimIds(store, T0 + 9), ["dlv_3"]);
    assert.deepEqual(await store.countWaiting({ nowMs: T0 + 9 }), { waiting: 3, oldestDueAtMs: null });
    assert.equal(await setState(store, "on", { nowMs: T0 + 10 }), "changed");
    assert.deepEqual(await claimIds(store, T0 + 10), ["dlv_1", "dlv_2"]);
  });

  test("an accept that was decided before the pause is refused, and one after it claims nothing", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await setState(store, "paused");
    const deliveries = [held("dlv_1", "dst_a")];
    assert.deepEqual(await accept(store, [makeEvent(1, { configVersion, deliveries })]), [{ kind: "config_changed" }]);
    const fresh = makeEvent(1, { configVersion: await loadVersion(store), deliveries });
    assert.deepEqual(await accept(store, [fresh]), [{ kind: "accepted", unclaimed: ["dlv_1"] }]);
    await setState(store, "on");
    assert.deepEqual(await claimIds(store, T0), ["dlv_1"]);
  });

  test("an attempt that was under way when it was paused is settled as ever, and its retry waits", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    await setState(store, "paused");
    const retry = makeSettlement("dlv_1", { next: { state: "pending", dueAtMs: T0 + 5_000 } });
    const [answer] = await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [retry] });
    assert.equal(answer?.kind, "settled");
    assert.deepEqual(await claimIds(store, T0 + 9_000), []);
    await setState(store, "on", { nowMs: T0 + 9_000 });
    assert.deepEqual(await claimIds(store, T0 + 9_000), ["dlv_1"]);
  });
}

function describeTurningOn(open: OpenStore): void {
  const test = inStore(open);
  test("a destination that was turned off works again, with its troubles forgotten", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    await turnOff(store, "dlv_1");
    assert.equal(await setState(store, "on"), "changed");
    const destination = await findDestination(store, "dst_a");
    assert.deepEqual([destination?.state, destination?.offReason, destination?.failingSinceMs], ["on", null, null]);
    assert.deepEqual(await claimIds(store, T0 + 9), ["dlv_2"]);
  });

  test("turning on one that is held lets everything out at once, not a trial", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [due("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    await openBreaker(store, "dst_a");
    const version = await loadVersion(store);
    assert.equal(await setState(store, "on"), "changed");
    assert.equal(await loadVersion(store), version, "it was on before: accepts need not be decided again");
    assert.deepEqual(
      (await claimDue(store, T0 + 9)).map(({ id, isTrial }) => [id, isTrial]),
      [
        ["dlv_1", false],
        ["dlv_2", false],
      ],
    );
  });

  test("after eight failures, a pause and turning on, the next failure finds a closed breaker", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [due("dlv_1", "dst_a")], configVersion);
    await openBreaker(store, "dst_a");
    await setState(store, "paused");
    await setState(store, "on");
    await claimIds(store, T0 + 9);
    const failed = makeSettlement("dlv_1", { next: { state: "failed" } });
    const answer = await store.settleAttemptsIfClaimed({ nowMs: T0 + 9, settlements: [failed] });
    assert.deepEqual(answer, [SETTLED]);
  });
}

function describeRefused(open: OpenStore): void {
  const test = inStore(open);
  test("the state that it has already is no change", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    assert.equal(await setState(store, "on"), "unchanged");
    await setState(store, "paused");
    assert.equal(await setState(store, "paused"), "unchanged");
    assert.equal(await loadVersion(store), configVersion + 1);
    assert.equal((await listChanges(store)).length, 1);
  });

  test("pausing one that is off leaves it off, with its reason", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    await turnOff(store, "dlv_1");
    assert.equal(await setState(store, "paused"), "unchanged");
    assert.equal((await findDestination(store, "dst_a"))?.offReason, "gone");
  });

  test("a destination that does not exist, or is another account's, is missing", async (store) => {
    await setUp(store, ["dst_a"]);
    assert.equal(await setState(store, "paused", { destinationId: "dst_unknown" }), "missing");
    assert.equal(await setState(store, "paused", { accountId: "acc_2" }), "missing");
    assert.equal((await findDestination(store, "dst_a"))?.state, "on");
  });
}

function describeHistory(open: OpenStore): void {
  const test = inStore(open);
  test("every change is kept with its reason and who made it, newest first", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
    await openBreaker(store, "dst_a");
    await store.settleAttemptsIfClaimed({ nowMs: T0 + 1, settlements: [makeSettlement("dlv_1")] });
    await setState(store, "paused", { reason: "we are moving", nowMs: T0 + 2 });
    await setState(store, "on", { reason: "we have moved", nowMs: T0 + 3 });
    await turnOff(store, "dlv_2", T0 + 4);
    assert.deepEqual((await listChanges(store)).toReversed(), [
      { atMs: T0, from: "on", to: "held", reason: "breaker_opened", actor: "system" },
      { atMs: T0 + 1, from: "held", to: "on", reason: "breaker_closed", actor: "system" },
      { atMs: T0 + 2, from: "on", to: "paused", reason: "we are moving", actor: "ada" },
      { atMs: T0 + 3, from: "paused", to: "on", reason: "we have moved", actor: "ada" },
      { atMs: T0 + 4, from: "on", to: "off", reason: "gone", actor: "system" },
    ]);
  });

  test("attempts that change no state leave no trace in it", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
    const failed = makeSettlement("dlv_1", { next: { state: "failed" } });
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [failed, makeSettlement("dlv_2")] });
    assert.deepEqual(await listChanges(store), []);
  });

  test("it is seen by its own account only", async (store) => {
    await setUp(store, ["dst_a"]);
    await setState(store, "paused");
    assert.deepEqual(await store.listDestinationChanges({ accountId: "acc_2", destinationId }), []);
  });

  test("the newest five hundred are shown", async (store) => {
    await setUp(store, ["dst_a"]);
    const flips = Array.from({ length: 502 }, (_, n) =>
      setState(store, n % 2 === 0 ? "paused" : "on", { nowMs: T0 + n }),
    );
    await Promise.all(flips);
    const changes = await listChanges(store);
    assert.deepEqual([changes.length, changes.at(0)?.atMs, changes.at(-1)?.atMs], [500, T0 + 501, T0 + 2]);
  });
}
