/**
 * Promises about destinations that get one delivery at a time: what was accepted first goes first, alone, and a failure
 * holds what follows until it is over or a person skips it.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Outcome } from "../../domain/attempt.ts";
import { daysMs, secondsMs } from "../../lib/duration.ts";
import {
  accept,
  acceptEach,
  acceptNumbers,
  ACCOUNT,
  ADA,
  claimDue,
  claimIds,
  due,
  held,
  inStore,
  LEASE_MS,
  loadVersion,
  makeAttempt,
  makeEvent,
  makeSettlement,
  okOutcome,
  type OpenStore,
  requestOneResend,
  saveOrder,
  setUp,
  T0,
  WEBHOOK,
  WEBHOOK_DESTINATION,
} from "./world.ts";
import type { DestinationSetup } from "../contract/accounts.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const destinationId = WEBHOOK_DESTINATION.id;
const SOON = T0 + secondsMs(1);

/** A webhook with an order and a destination without one; the version to accept with. */
async function setUpOrder(store: Store, parts: Partial<DestinationSetup> = {}): Promise<number> {
  await setUp(store, ["dst_a"]);
  assert.equal((await saveOrder(store, null, parts)).kind, "saved");
  return await loadVersion(store);
}

const acceptAll = (store: Store, numbers: readonly number[]) => acceptNumbers(store, destinationId, numbers);

const FAILED: Outcome = {
  kind: "response",
  response: { status: 503, headers: {}, body: new Uint8Array(), bodyCut: false },
};

/** The delivery's next attempt ends: it is delivered, unless `parts` say otherwise. */
async function settle(store: Store, id: string, parts: Partial<Settlement> & { nowMs?: number; number?: number } = {}) {
  const { nowMs = SOON, number = 1, ...rest } = parts;
  const outcome = rest.next === undefined ? okOutcome : FAILED;
  const attempt = makeAttempt(number, { startedAtMs: nowMs, outcome });
  const [settled] = await store.settleAttemptsIfClaimed({
    nowMs,
    settlements: [makeSettlement(id, { attempt, ...rest })],
  });
  return settled?.kind;
}

const retryAt = (dueAtMs: number) => ({ next: { state: "pending", dueAtMs } }) as const;
const stateOf = async (store: Store, deliveryId: string) =>
  (await store.loadDelivery({ accountId, deliveryId }))?.state ?? null;
const headNow = async (store: Store, nowMs = SOON) =>
  (await store.listHeads({ accountId, destinationIds: [destinationId, "dst_a"], nowMs })).at(0) ?? null;
const skip = (store: Store, deliveryId: string, nowMs = SOON) =>
  store.skipHead({ accountId, destinationId, deliveryId, by: ADA, nowMs });

export function describeOneAtATime(open: OpenStore): void {
  describe("destinations that get one at a time", () => {
    describeTurns(open);
    describeFailures(open);
    describeSendingAgain(open);
    describeSkipping(open);
    describeSwitch(open);
    describeEnds(open);
  });
}

function describeTurns(open: OpenStore): void {
  const test = inStore(open);

  test("a claim brings what was accepted first, alone, and the next one when that has ended", async (store) => {
    await setUpOrder(store);
    // Ids say nothing: those of two nodes do not rise together.
    await acceptAll(store, [3, 1, 2]);
    for (const id of ["dlv_3", "dlv_1", "dlv_2"]) {
      assert.deepEqual(await claimIds(store, SOON), [id]);
      assert.deepEqual(await claimIds(store, SOON), [], "somebody holds one");
      assert.equal(await settle(store, id), "settled");
    }
    assert.deepEqual(await claimIds(store, SOON), []);
    assert.deepEqual(await store.findNextDue({ nowMs: SOON }), { dueAtMs: null });
  });

  test("records of one call go in their order", async (store) => {
    const configVersion = await setUpOrder(store);
    const event = (n: number) => makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, destinationId)] });
    await accept(store, [2, 9, 5].map(event));
    for (const id of ["dlv_2", "dlv_9", "dlv_5"]) {
      assert.deepEqual(await claimIds(store, SOON), [id]);
      await settle(store, id);
    }
  });

  test("an accept takes none into memory, and others go as they came", async (store) => {
    const configVersion = await setUpOrder(store);
    const deliveries = [held("dlv_1", destinationId), held("dlv_2", "dst_a")];
    const answers = await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    assert.deepEqual(answers, [{ kind: "accepted", unclaimed: ["dlv_1"] }]);
    const [claimed] = await claimDue(store, SOON);
    assert.deepEqual([claimed?.id, claimed?.isInOrder], ["dlv_1", true]);
    await acceptEach(store, [due("dlv_3", "dst_a"), due("dlv_4", "dst_a")], configVersion);
    const others = await claimDue(store, SOON);
    assert.deepEqual(
      others.map(({ id, isInOrder }) => [id, isInOrder]),
      [
        ["dlv_3", false],
        ["dlv_4", false],
      ],
    );
  });

  test("while one is held nothing of it is due, however much waits and comes in", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    await claimDue(store, SOON);
    assert.deepEqual(await store.findNextDue({ nowMs: SOON }), { dueAtMs: SOON + LEASE_MS });
    await acceptAll(store, [3]);
    assert.deepEqual(await claimIds(store, SOON), []);
    assert.deepEqual(await store.findNextDue({ nowMs: SOON }), { dueAtMs: SOON + LEASE_MS });
  });

  test("one whose claim has run out, or that was given back, comes again before all others", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    await claimDue(store, SOON);
    assert.deepEqual(await claimIds(store, SOON + LEASE_MS), ["dlv_1"]);
    const claims = [{ deliveryId: "dlv_1", accountId, claimToken: "token" }];
    assert.deepEqual(await store.releaseClaims({ claims, dueAtMs: SOON }), { released: 1 });
    assert.deepEqual(await claimIds(store, SOON + LEASE_MS), ["dlv_1"]);
  });
}

function describeFailures(open: OpenStore): void {
  const test = inStore(open);

  test("a failure holds what follows until it is delivered or has used up its attempts", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    await claimDue(store, SOON);
    await settle(store, "dlv_1", retryAt(SOON + secondsMs(5)));
    assert.deepEqual(await claimIds(store, SOON + secondsMs(4)), []);
    assert.deepEqual(await store.findNextDue({ nowMs: SOON }), { dueAtMs: SOON + secondsMs(5) });
    assert.deepEqual(await headNow(store), {
      destinationId,
      deliveryId: "dlv_1",
      attemptsMade: 1,
      heldSinceMs: SOON,
      dueAtMs: SOON + secondsMs(5),
      isUnderWay: false,
    });
    assert.deepEqual(await claimIds(store, SOON + secondsMs(5)), ["dlv_1"]);
    await settle(store, "dlv_1", { nowMs: SOON + secondsMs(6), number: 2, next: { state: "failed" } });
    assert.deepEqual(await claimIds(store, SOON + secondsMs(6)), ["dlv_2"]);
  });

  test("while the breaker is open the trial is the head", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let nowMs = SOON;
    for (let n = 1; n <= 8; n += 1, nowMs += 1) {
      assert.deepEqual(await claimIds(store, nowMs), [`dlv_${n}`]);
      await settle(store, `dlv_${n}`, { nowMs, next: { state: "failed" } });
    }
    assert.deepEqual(await claimIds(store, nowMs), [], "it is held back");
    const [trial] = await claimDue(store, nowMs + secondsMs(60));
    assert.deepEqual([trial?.id, trial?.isTrial], ["dlv_9", true]);
    await settle(store, "dlv_9", { nowMs: nowMs + secondsMs(61), isTrial: true });
    assert.deepEqual(await claimIds(store, nowMs + secondsMs(61)), ["dlv_10"]);
  });

  test("another URL keeps the order, and the head does not wait for its retry any more", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    await claimDue(store, SOON);
    await settle(store, "dlv_1", retryAt(SOON + daysMs(1)));
    await saveOrder(store, 1, { url: "https://mended.example/hook" });
    assert.deepEqual(await claimIds(store, SOON), ["dlv_1"]);
  });
}

function describeSendingAgain(open: OpenStore): void {
  const test = inStore(open);
  const resend = (store: Store, deliveryId: string) =>
    requestOneResend(store, { accountId, deliveryId, by: ADA, nowMs: SOON });

  test("one that is sent again joins the end", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2, 3]);
    await claimDue(store, SOON);
    await settle(store, "dlv_1");
    assert.equal(await resend(store, "dlv_1"), "queued");
    for (const id of ["dlv_2", "dlv_3", "dlv_1"]) {
      assert.deepEqual(await claimIds(store, SOON), [id]);
      await settle(store, id, id === "dlv_1" ? { number: 2 } : {});
    }
  });

  test("only the head can be sent now", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    await claimDue(store, SOON);
    await settle(store, "dlv_1", retryAt(SOON + daysMs(1)));
    assert.equal(await resend(store, "dlv_2"), "not_its_turn");
    assert.deepEqual(await claimIds(store, SOON), []);
    assert.equal(await resend(store, "dlv_1"), "queued");
    assert.deepEqual(await claimIds(store, SOON), ["dlv_1"]);
  });

  test("a replay's deliveries join the end", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    for (const id of ["dlv_1", "dlv_2"]) {
      await claimDue(store, SOON);
      await settle(store, id, { next: { state: "failed" } });
    }
    await acceptAll(store, [3]);
    const filter = { destinationId, states: ["failed"], fromMs: T0 - 1, toMs: SOON } as const;
    const replay = { accountId, id: "rpl_1", filter, ratePerSecond: 100, deliveriesMax: 100, by: ADA, nowMs: SOON };
    await store.createReplay({ ...replay, startPaused: false });
    await store.stepReplays({ nowMs: SOON + secondsMs(1), deliveriesMax: 100 });
    for (const id of ["dlv_3", "dlv_1", "dlv_2"]) {
      assert.deepEqual(await claimIds(store, SOON + secondsMs(1)), [id]);
      await settle(store, id, id === "dlv_3" ? {} : { number: 2 });
    }
  });
}

function describeSkipping(open: OpenStore): void {
  const test = inStore(open);

  test("skipping cancels the head, and the next one goes", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    await claimDue(store, SOON);
    assert.equal(await skip(store, "dlv_1"), "under_way");
    await settle(store, "dlv_1", retryAt(SOON + daysMs(1)));
    assert.equal(await skip(store, "dlv_2"), "not_head");
    assert.equal(await skip(store, "dlv_1"), "skipped");
    assert.equal(await skip(store, "dlv_1"), "not_head");
    assert.equal(await stateOf(store, "dlv_1"), "cancelled");
    assert.equal((await headNow(store))?.deliveryId, "dlv_2");
    assert.deepEqual(await claimIds(store, SOON), ["dlv_2"]);
    const [entry] = await store.listAudit({ accountId, before: null, limit: 1 });
    assert.deepEqual([entry?.action, entry?.subject, entry?.person], ["delivery_skipped", "dlv_1", "ada"]);
  });

  test("nothing is skipped where there is no order, or of another account", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1]);
    const others = { ...ACCOUNT, id: "acc_2" };
    await store.putAccount({ account: others, newSealedSecret: "s", nowMs: T0 });
    const params = { destinationId, deliveryId: "dlv_1", by: ADA, nowMs: SOON };
    assert.equal(await store.skipHead({ ...params, accountId: "acc_2" }), "missing");
    assert.equal(await store.skipHead({ ...params, accountId, destinationId: "dst_a" }), "missing");
    const asked = { accountId: "acc_2", destinationIds: [destinationId], nowMs: SOON };
    assert.deepEqual(await store.listHeads(asked), []);
  });
}

function describeSwitch(open: OpenStore): void {
  const test = inStore(open);

  test("turned off, what waits goes as it comes", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2, 3]);
    await claimDue(store, SOON);
    await settle(store, "dlv_1", retryAt(SOON + daysMs(1)));
    assert.deepEqual(await claimIds(store, SOON), []);
    await saveOrder(store, 1, { oneAtATime: false });
    assert.deepEqual(await claimIds(store, SOON), ["dlv_2", "dlv_3"]);
    await saveOrder(store, 2);
    assert.equal((await headNow(store))?.deliveryId, "dlv_1", "turned on again, its order is that of the ids");
  });

  test("turned off, nothing of what waits is cancelled, however long it has waited", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    await saveOrder(store, 1, { oneAtATime: false });
    const later = T0 + daysMs(15);
    const expiring = { nowMs: later, dueBeforeMs: later - daysMs(14), rowsMax: 10 };
    assert.deepEqual(await store.expireWaiting(expiring), { expired: 0 });
    assert.deepEqual(await claimIds(store, later), ["dlv_1", "dlv_2"]);
  });

  test("turned on, what waits goes first, and what somebody holds is waited for", async (store) => {
    const configVersion = await setUpOrder(store, { oneAtATime: false });
    await acceptAll(store, [1, 2, 3]);
    assert.deepEqual(await claimIds(store, SOON, { perDestinationMax: 2 }), ["dlv_1", "dlv_2"]);
    await saveOrder(store, 1);
    await acceptAll(store, [4]);
    assert.notEqual(await loadVersion(store), configVersion);
    await settle(store, "dlv_1");
    assert.deepEqual(await claimIds(store, SOON), [], "dlv_2 is under way");
    await settle(store, "dlv_2");
    for (const id of ["dlv_3", "dlv_4"]) {
      assert.deepEqual(await claimIds(store, SOON), [id]);
      await settle(store, id);
    }
  });

  test("what a node had in memory when it was turned on is not lost", async (store) => {
    const configVersion = await setUpOrder(store, { oneAtATime: false });
    await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", destinationId)] })]);
    await saveOrder(store, 1);
    await acceptAll(store, [2]);
    await store.releaseClaims({ claims: [{ deliveryId: "dlv_1", accountId, claimToken: "token" }], dueAtMs: T0 });
    const seen: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const [id = ""] = await claimIds(store, SOON);
      seen.push(id);
      await settle(store, id);
    }
    assert.deepEqual(seen.toSorted(), ["dlv_1", "dlv_2"]);
  });
}

function describeEnds(open: OpenStore): void {
  const test = inStore(open);

  test("paused, nothing goes; turned on, the order is what it was", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [2, 1]);
    const change = { accountId, destinationId, by: ADA, reason: "test", nowMs: SOON };
    await store.setDestinationState({ ...change, state: "paused" });
    assert.deepEqual(await claimIds(store, SOON), []);
    await store.setDestinationState({ ...change, state: "on" });
    assert.deepEqual(await claimIds(store, SOON), ["dlv_2"]);
  });

  test("deleted, what waits is cancelled", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    await store.deleteWebhook({ accountId, id: WEBHOOK.id, expectedRevision: 1, by: ADA, nowMs: SOON });
    assert.deepEqual(await store.expireWaiting({ nowMs: SOON, dueBeforeMs: T0, rowsMax: 10 }), { expired: 2 });
    assert.equal(await headNow(store), null);
  });

  test("what has waited for too long is cancelled, also while the head is being tried", async (store) => {
    await setUpOrder(store);
    await acceptAll(store, [1, 2]);
    await claimDue(store, SOON);
    const later = T0 + daysMs(15);
    await settle(store, "dlv_1", retryAt(later + secondsMs(60)));
    await accept(
      store,
      [makeEvent(3, { configVersion: await loadVersion(store), deliveries: [due("dlv_3", destinationId)] })],
      later,
    );
    const expiring = { nowMs: later, dueBeforeMs: later - daysMs(14), rowsMax: 10 };
    assert.deepEqual(await store.expireWaiting(expiring), { expired: 1 });
    assert.deepEqual(await Promise.all(["dlv_1", "dlv_2", "dlv_3"].map((id) => stateOf(store, id))), [
      "pending",
      "cancelled",
      "pending",
    ]);
    assert.equal(await skip(store, "dlv_1", later), "skipped");
    assert.deepEqual(await claimIds(store, later), ["dlv_3"]);
  });
}
