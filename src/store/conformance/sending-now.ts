/**
 * Promises about a person's "now": what waits goes at once, in its schedule, and a breaker that is open lets one out
 * to try.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import {
  acceptEach,
  ACCOUNT,
  ADA,
  claimDue,
  claimIds,
  due,
  EVE,
  held,
  inStore,
  LEASE_MS,
  loadVersion,
  makeAttempt,
  makeSettlement,
  openBreaker,
  type OpenStore,
  requestOneResend,
  setUp,
  SETTLED,
  T0,
} from "./world.ts";
import type { SendWaiting } from "../contract/destinations.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const destinationId = "dst_a";
const NOW = T0 + 1_000;
const COOL_DOWN_MS = 30_000;
const failed = { state: "failed" } as const;

const sendNow = (store: Store, deliveryId: string, nowMs = NOW) =>
  requestOneResend(store, { accountId, deliveryId, by: ADA, nowMs });

const sendWaiting = (store: Store, parts: Partial<SendWaiting> = {}) =>
  store.sendWaiting({ accountId, destinationId, isContinued: false, rowsMax: 99, by: ADA, nowMs: NOW, ...parts });

const setState = (store: Store, state: "on" | "paused") =>
  store.setDestinationState({ accountId, destinationId, state, by: ADA, reason: "asked", nowMs: T0 });

const listChanges = async (store: Store) =>
  (await store.listDestinationChanges({ accountId, destinationId })).map(({ to, reason, actor }) => [
    to,
    reason,
    actor,
  ]);

const listClaimed = async (store: Store, nowMs: number) =>
  (await claimDue(store, nowMs)).map(({ id, isTrial }) => [id, isTrial]);

/** At `NOW` unless said otherwise. */
async function settle(store: Store, deliveryId: string, { nowMs = NOW, ...parts }: Settling) {
  return await store.settleAttemptsIfClaimed({ nowMs, settlements: [makeSettlement(deliveryId, parts)] });
}

type Settling = Partial<Settlement> & { readonly nowMs?: number };

/** `dlv_1` and those after it have failed once; their second attempts are due a minute each after the one before. */
async function setUpRetrying(store: Store, count: number): Promise<number> {
  const configVersion = await setUp(store, ["dst_a", "dst_b"]);
  const ids = Array.from({ length: count }, (_, place) => `dlv_${place + 1}`);
  await acceptEach(
    store,
    ids.map((id) => held(id, destinationId)),
    configVersion,
  );
  for (const [place, id] of ids.entries()) {
    await settle(store, id, { next: { state: "pending", dueAtMs: T0 + (place + 1) * 60_000 }, nowMs: T0 });
  }
  return configVersion;
}

/** The breaker of `dst_a` is open, and `waiting` deliveries wait behind it. */
async function setUpResting(store: Store, waiting: number): Promise<void> {
  const configVersion = await setUp(store, ["dst_a", "dst_b"]);
  await openBreaker(store, destinationId);
  const ids = Array.from({ length: waiting }, (_, place) => `dlv_${place + 1}`);
  await acceptEach(
    store,
    ids.map((id) => due(id, destinationId)),
    configVersion,
  );
}

export function describeSendingNow(open: OpenStore): void {
  describe("sending now", () => {
    describeOne(open);
    describeCoolDown(open);
    describeRefused(open);
    describeAll(open);
  });
}

function describeOne(open: OpenStore): void {
  const test = inStore(open);
  test("one that waits for its retry is due at once, in its schedule", async (store) => {
    await setUpRetrying(store, 2);
    assert.equal(await sendNow(store, "dlv_2"), "queued");
    const loaded = await store.loadDelivery({ accountId, deliveryId: "dlv_2" });
    assert.deepEqual([loaded?.state, loaded?.dueAtMs, loaded?.resentAtMs], ["pending", NOW, null]);
    const [claimed, ...others] = await claimDue(store, NOW);
    assert.deepEqual([claimed?.id, claimed?.attemptsMade, claimed?.attemptsInSchedule], ["dlv_2", 1, 1]);
    assert.deepEqual(others, []);
  });

  test("it goes before a backlog that has waited for longer", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [due("dlv_1", "dst_a"), due("dlv_2", "dst_a"), due("dlv_3", "dst_a")], configVersion);
    assert.equal(await sendNow(store, "dlv_3"), "queued");
    assert.deepEqual(await claimIds(store, NOW, { deliveriesMax: 1 }), ["dlv_3"]);
    assert.deepEqual(await claimIds(store, NOW), ["dlv_1", "dlv_2"]);
  });

  test("of a selection each has its answer, in the order given", async (store) => {
    await setUpRetrying(store, 2);
    const deliveryIds = ["dlv_2", "dlv_unknown", "dlv_1", "dlv_2"];
    assert.deepEqual(await store.requestResends({ accountId, deliveryIds, by: ADA, nowMs: NOW }), [
      "queued",
      "missing",
      "queued",
      "queued",
    ]);
    assert.deepEqual((await claimIds(store, NOW)).toSorted(), ["dlv_1", "dlv_2"]);
    const audit = await store.listAudit({ accountId, action: "delivery_resent", before: null, limit: 9 });
    assert.deepEqual(audit.map(({ subject }) => subject).toSorted(), ["dlv_1", "dlv_2"]);
  });

  test("one whose claim has run out is due already, and its late holder may still settle it", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    const late = T0 + LEASE_MS + 1;
    assert.equal(await sendNow(store, "dlv_1", late), "queued");
    assert.deepEqual(await settle(store, "dlv_1", { nowMs: late }), [SETTLED]);
  });
}

function describeCoolDown(open: OpenStore): void {
  const test = inStore(open);
  test("while its breaker is open it goes at once as the trial, and its success lets the others out", async (store) => {
    await setUpResting(store, 3);
    assert.deepEqual(await claimIds(store, NOW), []);
    assert.equal(await sendNow(store, "dlv_2"), "queued");
    assert.deepEqual(await listClaimed(store, NOW), [["dlv_2", true]]);
    assert.deepEqual(await claimIds(store, NOW), []);
    assert.deepEqual(await settle(store, "dlv_2", { isTrial: true }), [SETTLED]);
    assert.deepEqual(await listClaimed(store, NOW), [
      ["dlv_1", false],
      ["dlv_3", false],
    ]);
  });

  test("its failure begins a cool-down twice as long, for all", async (store) => {
    await setUpResting(store, 2);
    await sendNow(store, "dlv_2");
    await claimIds(store, NOW);
    const [answer] = await settle(store, "dlv_2", { isTrial: true, next: failed });
    assert.equal(answer?.kind === "settled" && answer.heldUntilMs, NOW + 2 * COOL_DOWN_MS);
    assert.deepEqual(await claimIds(store, NOW + 2 * COOL_DOWN_MS - 1), []);
  });

  test("while a trial is out no second one goes, and what a person wants now is the next", async (store) => {
    await setUpResting(store, 3);
    await sendNow(store, "dlv_2");
    assert.deepEqual(await claimIds(store, NOW), ["dlv_2"]);
    assert.equal(await sendNow(store, "dlv_3", NOW + 1), "queued");
    assert.deepEqual(await sendWaiting(store, { nowMs: NOW + 1 }), { kind: "sent", moved: 0, hasMore: false });
    assert.deepEqual(await claimIds(store, NOW + 2), []);
    await settle(store, "dlv_2", { isTrial: true, nowMs: NOW + 3 });
    assert.deepEqual(await claimIds(store, NOW + 3, { deliveriesMax: 1 }), ["dlv_3"]);
  });

  test("a silence that the receiver asked for ends in the same way, with one to try", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a"), due("dlv_3", "dst_a")], configVersion);
    const silentUntil = T0 + 3_600_000;
    const again = { state: "pending", dueAtMs: silentUntil } as const;
    await settle(store, "dlv_1", { next: again, holdUntilMs: silentUntil, nowMs: T0 });
    assert.deepEqual(await claimIds(store, NOW), []);
    assert.equal(await sendNow(store, "dlv_1"), "queued");
    assert.deepEqual(await listClaimed(store, NOW), [["dlv_1", true]]);
    await settle(store, "dlv_1", { isTrial: true, attempt: makeAttempt(2) });
    assert.deepEqual(await claimIds(store, NOW), ["dlv_2", "dlv_3"]);
  });

  test("who ended a cool-down stands in the destination's history", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    await settle(store, "dlv_1", { next: failed, holdUntilMs: T0 + 3_600_000, nowMs: T0 });
    await sendNow(store, "dlv_2");
    assert.deepEqual(await listChanges(store), [["held", "sent_now", "ada"]]);
  });

  test("one that had ended goes as the trial too", async (store) => {
    await setUpResting(store, 1);
    assert.equal(await sendNow(store, "dlv_900"), "queued");
    assert.deepEqual(await listClaimed(store, NOW), [["dlv_900", true]]);
  });
}

function describeRefused(open: OpenStore): void {
  const test = inStore(open);
  test("what waits for a destination that is paused or off stays where it is", async (store) => {
    await setUpRetrying(store, 1);
    await setState(store, "paused");
    assert.equal(await sendNow(store, "dlv_1"), "destination_paused");
    assert.deepEqual(await sendWaiting(store), { kind: "paused" });
    await setState(store, "on");
    const configVersion = await loadVersion(store);
    await acceptEach(store, [held("dlv_2", "dst_a")], configVersion);
    await settle(store, "dlv_2", { next: failed, destinationOff: "gone", nowMs: T0 });
    assert.equal(await sendNow(store, "dlv_1"), "destination_off");
    assert.deepEqual(await sendWaiting(store), { kind: "off" });
    const loaded = await store.loadDelivery({ accountId, deliveryId: "dlv_1" });
    assert.equal(loaded?.dueAtMs, T0 + 60_000);
  });

  test("another account's destination is missing", async (store) => {
    await setUpRetrying(store, 1);
    assert.deepEqual(await sendWaiting(store, { accountId: "acc_2", by: EVE }), { kind: "missing" });
    assert.deepEqual(await sendWaiting(store, { destinationId: "dst_unknown" }), { kind: "missing" });
    assert.deepEqual(await claimIds(store, NOW), []);
  });
}

function describeAll(open: OpenStore): void {
  const test = inStore(open);
  test("all that waits for a destination is due at once, and nothing of another", async (store) => {
    const configVersion = await setUpRetrying(store, 3);
    await acceptEach(store, [due("dlv_8", "dst_a"), held("dlv_9", "dst_b")], configVersion);
    await settle(store, "dlv_9", { next: { state: "pending", dueAtMs: T0 + 60_000 }, nowMs: T0 });
    assert.deepEqual(await sendWaiting(store), { kind: "sent", moved: 3, hasMore: false });
    assert.deepEqual(await claimIds(store, NOW), ["dlv_8", "dlv_1", "dlv_2", "dlv_3"]);
    const audit = await store.listAudit({ accountId, action: "waiting_sent", before: null, limit: 9 });
    assert.deepEqual(
      audit.map(({ subject, person }) => [subject, person]),
      [["Ada", "ada"]],
    );
  });

  test("in steps, the earliest first, with one entry in the audit", async (store) => {
    await setUpRetrying(store, 3);
    assert.deepEqual(await sendWaiting(store, { rowsMax: 2 }), { kind: "sent", moved: 2, hasMore: true });
    assert.deepEqual(await claimIds(store, NOW), ["dlv_1", "dlv_2"]);
    const rest = { rowsMax: 2, isContinued: true };
    assert.deepEqual(await sendWaiting(store, rest), { kind: "sent", moved: 1, hasMore: false });
    assert.deepEqual(await claimIds(store, NOW), ["dlv_3"]);
    assert.equal((await store.listAudit({ accountId, before: null, limit: 9 }))[0]?.action, "waiting_sent");
  });

  test("a breaker that is open sends one to try, and the rest after its success", async (store) => {
    await setUpResting(store, 3);
    assert.deepEqual(await sendWaiting(store), { kind: "sent", moved: 0, hasMore: false });
    assert.deepEqual(await listClaimed(store, NOW), [["dlv_1", true]]);
    await settle(store, "dlv_1", { isTrial: true });
    assert.deepEqual(await claimIds(store, NOW), ["dlv_2", "dlv_3"]);
  });
}
