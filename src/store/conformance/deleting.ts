/**
 * Promises about deleting an alert and removing an assistant's webhook: nothing more is sent, what waits is cancelled,
 * what was sent stays, and the log can still say what it was for.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { daysMs, hoursMs } from "../../lib/duration.ts";
import { makeDestinationSetup } from "../../../test/kit/make.ts";
import {
  ACCOUNT,
  accept,
  acceptEach,
  ADA,
  ALERT,
  ALERT_DESTINATION,
  alertToSave,
  makeAttempt,
  claimIds,
  findDestination,
  due,
  EVE,
  makeEvent,
  held,
  inStore,
  LEASE_MS,
  type OpenStore,
  purgeNow,
  purgeStep,
  setUp,
  SETTLED,
  makeSettlement,
  T0,
  claimMessages,
  notifyAddresses,
  loadVersion,
  requestOneResend,
} from "./world.ts";
import type { DeleteOwner, RemoveAssistantDestination } from "../contract/accounts.ts";
import type { CancelWaiting } from "../contract/destinations.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const destinationId = ALERT_DESTINATION.id;
const LATER = T0 + 60_000;

const deleteAlert = (store: Store, parts: Partial<DeleteOwner> = {}) =>
  store.deleteAlert({ accountId, id: ALERT.id, expectedRevision: 1, by: EVE, nowMs: T0 + 5, ...parts });

const cancel = (store: Store, parts: Partial<CancelWaiting> = {}) =>
  store.cancelWaiting({ accountId, destinationId, createdBeforeMs: LATER, rowsMax: 99, nowMs: LATER, ...parts });

const expire = (store: Store, nowMs: number) => store.expireWaiting({ nowMs, dueBeforeMs: T0 - 1, rowsMax: 99 });

const findState = async (store: Store, deliveryId: string) =>
  (await store.loadDelivery({ accountId, deliveryId }))?.state;

async function setUpAlert(store: Store): Promise<number> {
  await setUp(store, []);
  await store.saveAlert(alertToSave());
  return await loadVersion(store);
}

export function describeDeleting(open: OpenStore): void {
  describe("deleting an alert", () => {
    describeAlert(open);
    describeWhatWaits(open);
    describeWhatWasSent(open);
  });
  describe("removing an assistant's webhook", () => describeAssistant(open));
  describe("cancelling what waits", () => describeCancelling(open));
}

function describeAlert(open: OpenStore): void {
  const test = inStore(open);
  test("a deleted alert is gone from its account, which has a new version and room for another", async (store) => {
    const version = await setUpAlert(store);
    await store.saveAlert(alertToSave({ alert: { ...ALERT, id: "alr_2" }, destination: null }));
    const third = alertToSave({ alert: { ...ALERT, id: "alr_3" }, destination: null });
    assert.deepEqual(await store.saveAlert(third), { kind: "limit_reached" });
    assert.equal(await deleteAlert(store), "deleted");
    assert.deepEqual(await store.saveAlert(third), { kind: "saved", revision: 1 });
    const loaded = await store.loadAccount({ accountId });
    assert.deepEqual(
      loaded?.alerts.map(({ id }) => id),
      ["alr_2", "alr_3"],
    );
    assert.ok(loaded.configVersion > version);
    assert.equal(await deleteAlert(store, { id: "alr_2" }), "deleted");
    assert.equal(await loadVersion(store), loaded.configVersion + 1);
  });

  test("an older revision, an alert that is gone and one of another account are not deleted", async (store) => {
    await setUpAlert(store);
    await setUp(store, [], { ...ACCOUNT, id: "acc_2" });
    await store.saveAlert(alertToSave({ expectedRevision: 1 }));
    assert.equal(await deleteAlert(store), "edited_meanwhile");
    assert.equal(await deleteAlert(store, { accountId: "acc_2", expectedRevision: 2 }), "missing");
    assert.equal(await deleteAlert(store, { id: "alr_unknown", expectedRevision: 2 }), "missing");
    assert.equal((await store.loadAccount({ accountId }))?.alerts.length, 1);
    assert.equal(await deleteAlert(store, { expectedRevision: 2 }), "deleted");
    assert.equal(await deleteAlert(store, { expectedRevision: 2 }), "missing");
  });

  test("a deleted alert cannot be saved again, nor its destination turned on or taken by another", async (store) => {
    await setUpAlert(store);
    await deleteAlert(store);
    for (const expectedRevision of [null, 1]) {
      assert.deepEqual(await store.saveAlert(alertToSave({ expectedRevision })), { kind: "missing" });
    }
    const state = { accountId, destinationId, by: ADA, reason: "", nowMs: LATER };
    assert.equal(await store.setDestinationState({ ...state, state: "on" }), "missing");
    await assert.rejects(store.saveAlert(alertToSave({ alert: { ...ALERT, id: "alr_2" } })), /is deleted/);
  });

  test("the log still names a deleted alert, until nothing that was for it is left", async (store) => {
    const configVersion = await setUpAlert(store);
    await acceptEach(store, [held("dlv_1", destinationId)], configVersion);
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
    await deleteAlert(store);
    const report = (withDeleted: boolean) =>
      store.loadDestinations({ accountId, withDeleted, nowMs: LATER, waitingMax: 9 });
    assert.deepEqual(await report(false), []);
    const [reported] = await report(true);
    assert.deepEqual(reported?.owner, { kind: "alert", id: ALERT.id, name: ALERT.name, isDeleted: true });
    const { lastChange } = reported;
    assert.deepEqual(lastChange, { atMs: T0 + 5, actor: "eve", reason: "deleted" });
    await purgeNow(store, LATER, T0);
    assert.equal((await report(true)).length, 1);
    await purgeNow(store, LATER, T0 + 6);
    assert.deepEqual(await report(true), []);
    assert.equal(await store.loadDelivery({ accountId, deliveryId: "dlv_1" }), null);
  });

  test("it is named also as long as an event that it had a part in waits for somebody else", async (store) => {
    await setUpAlert(store);
    const configVersion = await setUp(store, ["dst_b"]);
    const deliveries = [held("dlv_1", destinationId), due("dlv_2", "dst_b")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
    await deleteAlert(store);
    await purgeNow(store, LATER, LATER);
    assert.notEqual(await findState(store, "dlv_1"), undefined);
    const named = await store.loadDestinations({
      accountId,
      destinationId,
      withDeleted: true,
      nowMs: LATER,
      waitingMax: 0,
    });
    assert.equal(named[0]?.owner.name, ALERT.name);
  });

  test("a deleted alert that was never sent anything is forgotten when its day is old enough", async (store) => {
    await setUpAlert(store);
    await deleteAlert(store);
    const purge = async (rowsBeforeMs: number) => (await purgeStep(store, { nowMs: LATER, rowsBeforeMs })).purged;
    assert.equal(await purge(T0 + 5), 0);
    // Alert, destination, and the row of its history.
    assert.equal(await purge(T0 + 6), 3);
  });
}

function describeWhatWaits(open: OpenStore): void {
  const test = inStore(open);
  test("nothing that waits for it is claimed, and no accept that was decided before goes to it", async (store) => {
    const configVersion = await setUpAlert(store);
    await acceptEach(store, [due("dlv_1", destinationId)], configVersion);
    await deleteAlert(store);
    assert.deepEqual(await claimIds(store, LATER), []);
    assert.deepEqual(await store.countWaiting({ nowMs: LATER }), { waiting: 1, oldestDueAtMs: null });
    const late = [makeEvent(2, { configVersion, deliveries: [due("dlv_2", destinationId)] })];
    assert.deepEqual(await accept(store, late), [{ kind: "config_changed" }]);
  });

  test("what nobody has cancelled is cancelled by the housekeeping, also what is due much later", async (store) => {
    const configVersion = await setUpAlert(store);
    await acceptEach(store, [held("dlv_1", destinationId), due("dlv_2", destinationId)], configVersion);
    const next = { state: "pending", dueAtMs: T0 + daysMs(1) } as const;
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1", { next })] });
    await deleteAlert(store);
    assert.deepEqual(await expire(store, LATER), { expired: 2 });
    assert.deepEqual(await expire(store, LATER), { expired: 0 });
    assert.deepEqual([await findState(store, "dlv_1"), await findState(store, "dlv_2")], ["cancelled", "cancelled"]);
    assert.equal((await store.countWaiting({ nowMs: LATER })).waiting, 0);
  });

  test("an attempt under way may arrive; what it leaves behind is cancelled, if its node dies too", async (store) => {
    const configVersion = await setUpAlert(store);
    const deliveries = ["dlv_1", "dlv_2", "dlv_3"].map((id) => held(id, destinationId));
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    await deleteAlert(store);
    assert.deepEqual(await expire(store, T0 + 6), { expired: 0 });
    const failed = makeSettlement("dlv_2", { next: { state: "pending", dueAtMs: T0 + daysMs(1) } });
    const settlements = [makeSettlement("dlv_1"), failed];
    assert.deepEqual(await store.settleAttemptsIfClaimed({ nowMs: T0 + 7, settlements }), [SETTLED, SETTLED]);
    assert.deepEqual(await expire(store, T0 + 8), { expired: 1 });
    assert.deepEqual(await expire(store, T0 + LEASE_MS), { expired: 1 });
    const states = [await findState(store, "dlv_1"), await findState(store, "dlv_2"), await findState(store, "dlv_3")];
    assert.deepEqual(states, ["delivered", "cancelled", "cancelled"]);
  });

  test("a failure after the deletion turns nothing off and notifies nobody", async (store) => {
    const configVersion = await setUpAlert(store);
    await notifyAddresses(store, ["ana@example.com"]);
    await acceptEach(store, [held("dlv_1", destinationId)], configVersion);
    await deleteAlert(store);
    const gone = makeSettlement("dlv_1", { next: { state: "failed" }, destinationOff: "gone" });
    await store.settleAttemptsIfClaimed({ nowMs: T0 + 6, settlements: [gone] });
    assert.deepEqual(await claimMessages(store, "email", { nowMs: T0 + hoursMs(1) }), []);
  });
}

function describeWhatWasSent(open: OpenStore): void {
  const test = inStore(open);
  test("what was for it can be read, but not sent again, alone or in a replay", async (store) => {
    const configVersion = await setUpAlert(store);
    await acceptEach(store, [held("dlv_1", destinationId)], configVersion);
    await store.settleAttemptsIfClaimed({
      nowMs: T0,
      settlements: [makeSettlement("dlv_1", { attempt: makeAttempt(1) })],
    });
    const replay = { accountId, filter: { states: ["delivered"] }, deliveriesMax: 9, ratePerSecond: 10 } as const;
    const start = { startPaused: false, by: ADA, nowMs: LATER };
    assert.deepEqual(await store.createReplay({ ...replay, ...start, id: "rpl_before" }), { deliveries: 1 });
    await deleteAlert(store);
    const resend = { accountId, deliveryId: "dlv_1", by: ADA, nowMs: LATER };
    assert.equal(await requestOneResend(store, resend), "destination_deleted");
    assert.deepEqual(await store.createReplay({ ...replay, ...start, id: "rpl_after" }), { deliveries: 0 });
    assert.equal((await store.stepReplays({ nowMs: LATER + 1_000, deliveriesMax: 9 })).moved, 0);
    const stepped = (await store.listReplays({ accountId, replayId: "rpl_before" }))[0];
    assert.deepEqual([stepped?.state, stepped?.moved, stepped?.skipped], ["finished", 0, 1]);
    assert.equal((await store.loadDelivery({ accountId, deliveryId: "dlv_1" }))?.attempts.length, 1);
  });
}

function describeAssistant(open: OpenStore): void {
  const test = inStore(open);
  const assistantId = "assistant of dst_a";
  const remove = (store: Store, parts: Partial<RemoveAssistantDestination> = {}) =>
    store.removeAssistantDestination({ accountId, assistantId, expectedRevision: 2, by: EVE, nowMs: LATER, ...parts });

  test("the assistant stays without a destination, in its next revision; another webhook can follow", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [due("dlv_1", "dst_a")], configVersion);
    assert.equal(await remove(store), "removed");
    const [assistant] = (await store.loadAccount({ accountId }))?.assistants ?? [];
    const changed = { by: "eve", atMs: LATER };
    const left = { id: assistantId, name: "Ada", conditions: null, revision: 3, changed, destination: null };
    assert.deepEqual(assistant, left);
    assert.ok((await loadVersion(store)) > configVersion);
    assert.deepEqual(await claimIds(store, LATER), []);
    const destination = makeDestinationSetup({ id: "dst_b", url: "https://new.example/" });
    const saved = { accountId, assistantId, destination, expectedRevision: 3, by: ADA, nowMs: LATER };
    assert.deepEqual(await store.saveAssistantDestination(saved), { kind: "saved", revision: 4 });
    assert.equal((await findDestination(store, "dst_b"))?.state, "on");
  });

  test("an older revision and a missing assistant are told apart; nothing to remove is removed", async (store) => {
    await setUp(store, ["dst_a"]);
    assert.equal(await remove(store, { expectedRevision: 1 }), "edited_meanwhile");
    assert.equal(await remove(store, { assistantId: "nobody" }), "missing");
    assert.equal(await remove(store, { accountId: "acc_2" }), "missing");
    assert.notEqual(await findDestination(store, "dst_a"), null);
    assert.equal(await remove(store), "removed");
    assert.equal(await remove(store, { expectedRevision: 3 }), "removed");
  });
}

function describeCancelling(open: OpenStore): void {
  const test = inStore(open);
  test("it goes in steps, takes what was accepted before its instant, and no other destination's", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const deliveries = [1, 2, 3, 4].map((n) => due(`dlv_${n}`, "dst_a"));
    await acceptEach(store, [...deliveries, due("dlv_5", "dst_b")], configVersion);
    const step = { destinationId: "dst_a", createdBeforeMs: T0 + 3, rowsMax: 2 };
    assert.deepEqual(await cancel(store, step), { cancelled: 2 });
    assert.deepEqual(await cancel(store, step), { cancelled: 1 });
    assert.deepEqual(await cancel(store, step), { cancelled: 0 });
    assert.equal((await store.countWaiting({ nowMs: LATER })).waiting, 2);
    assert.deepEqual((await claimIds(store, LATER)).toSorted(), ["dlv_4", "dlv_5"]);
    const cancelled = await store.loadDelivery({ accountId, deliveryId: "dlv_1" });
    assert.deepEqual([cancelled?.state, cancelled?.dueAtMs, cancelled?.settledAtMs], ["cancelled", null, LATER]);
  });

  test("what is in somebody's hands is left to them", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    assert.deepEqual(await cancel(store, { destinationId: "dst_a", nowMs: T0 + 9 }), { cancelled: 1 });
    const settled = await store.settleAttemptsIfClaimed({ nowMs: LATER, settlements: [makeSettlement("dlv_1")] });
    assert.deepEqual(settled, [SETTLED]);
  });

  test("what was in somebody's hands goes once their claim has run out", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    assert.deepEqual(await cancel(store, { destinationId: "dst_a" }), { cancelled: 1 });
    const settled = await store.settleAttemptsIfClaimed({ nowMs: LATER, settlements: [makeSettlement("dlv_1")] });
    assert.deepEqual(settled, [{ kind: "claim_lost" }]);
  });

  test("another account's destination is not touched", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [due("dlv_1", "dst_a")], configVersion);
    assert.deepEqual(await cancel(store, { accountId: "acc_2", destinationId: "dst_a" }), { cancelled: 0 });
    assert.equal(await findState(store, "dlv_1"), "pending");
  });
}
