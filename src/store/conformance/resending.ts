/** Promises about resending one delivery: it is the same delivery with a whole schedule before it. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import {
  ACCOUNT,
  acceptEach,
  makeAttempt,
  BODY,
  claimDue,
  claimIds,
  due,
  held,
  inStore,
  type OpenStore,
  setUp,
  makeSettlement,
  T0,
  TEST_DELIVERY,
  ADA,
  EVE,
  requestOneResend,
} from "./world.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const LATER = T0 + 1_000;

const resend = (store: Store, deliveryId = "dlv_1", nowMs = LATER) =>
  requestOneResend(store, { accountId, deliveryId, by: ADA, nowMs });

const load = (store: Store) => store.loadDelivery({ accountId, deliveryId: "dlv_1" });

/** `dlv_1` ended in `state` after one attempt. */
async function setUpEnded(store: Store, state: "delivered" | "failed" | "cancelled"): Promise<number> {
  const configVersion = await setUp(store, ["dst_a"]);
  await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
  await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1", { next: { state } })] });
  return configVersion;
}

export function describeResending(open: OpenStore): void {
  describe("resending", () => {
    describeResent(open);
    describeRefused(open);
  });
}

function describeResent(open: OpenStore): void {
  const test = inStore(open);
  for (const state of ["delivered", "failed", "cancelled"] as const) {
    test(`a delivery that is ${state} can be sent again, due at once`, async (store) => {
      await setUpEnded(store, state);
      assert.equal(await resend(store), "queued");
      assert.deepEqual(await store.countWaiting({ nowMs: LATER }), { waiting: 1, oldestDueAtMs: LATER });
      const loaded = await load(store);
      assert.deepEqual([loaded?.state, loaded?.dueAtMs, loaded?.settledAtMs], ["pending", LATER, null]);
      assert.deepEqual([loaded?.resentAtMs, loaded?.resentBy], [LATER, "ada"]);
      assert.deepEqual(await claimIds(store, LATER - 1), []);
      assert.deepEqual(await claimIds(store, LATER), ["dlv_1"]);
    });
  }

  test("its attempts are numbered on, and its schedule starts again", async (store) => {
    await setUpEnded(store, "failed");
    await resend(store);
    const [first] = await claimDue(store, LATER);
    assert.deepEqual([first?.attemptsMade, first?.attemptsInSchedule, first?.body], [1, 0, BODY]);
    const retry = { attempt: makeAttempt(2), next: { state: "pending", dueAtMs: LATER + 5_000 } } as const;
    await store.settleAttemptsIfClaimed({ nowMs: LATER, settlements: [makeSettlement("dlv_1", retry)] });
    const [second] = await claimDue(store, LATER + 5_000);
    assert.deepEqual([second?.attemptsMade, second?.attemptsInSchedule], [2, 1]);
    const last = makeSettlement("dlv_1", { attempt: makeAttempt(3) });
    await store.settleAttemptsIfClaimed({ nowMs: LATER + 6_000, settlements: [last] });
    const loaded = await load(store);
    assert.deepEqual(
      loaded?.attempts.map(({ number }) => number),
      [1, 2, 3],
    );
    assert.deepEqual([loaded?.state, loaded?.attemptsMade, loaded?.attemptsInSchedule], ["delivered", 3, 2]);
  });

  test("it can be resent again and again, and waits while its destination is paused", async (store) => {
    await setUpEnded(store, "delivered");
    const change = { accountId, destinationId: "dst_a", by: ADA, reason: "", nowMs: T0 } as const;
    await store.setDestinationState({ ...change, state: "paused" });
    assert.equal(await resend(store), "queued");
    assert.deepEqual(await claimIds(store, LATER), []);
    await store.setDestinationState({ ...change, state: "on" });
    assert.deepEqual(await claimIds(store, LATER), ["dlv_1"]);
    const again = makeSettlement("dlv_1", { attempt: makeAttempt(2) });
    await store.settleAttemptsIfClaimed({ nowMs: LATER, settlements: [again] });
    assert.equal(await resend(store), "queued");
    const [claimed] = await claimDue(store, LATER);
    assert.deepEqual([claimed?.attemptsMade, claimed?.attemptsInSchedule], [2, 0]);
    assert.equal(claimed?.pendingSinceMs, (await load(store))?.resentAtMs);
  });
}

function describeRefused(open: OpenStore): void {
  const test = inStore(open);
  test("one that is in somebody's hands is left alone, with a row or without", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    assert.deepEqual(await claimIds(store, T0 + 1), ["dlv_2"]);
    const before = await load(store);
    assert.equal(await resend(store, "dlv_1"), "in_memory");
    assert.equal(await resend(store, "dlv_2"), "in_memory");
    assert.deepEqual(await load(store), before);
    assert.equal((await store.countWaiting({ nowMs: LATER })).waiting, 2);
  });

  test("two people who resend at once send it once", async (store) => {
    await setUpEnded(store, "failed");
    assert.deepEqual(await Promise.all([resend(store), resend(store)]), ["queued", "queued"]);
    assert.deepEqual(await claimIds(store, LATER), ["dlv_1"]);
    const loaded = await load(store);
    assert.deepEqual([loaded?.attempts.length, loaded?.attemptsInSchedule], [1, 0]);
  });

  test("a test, an unknown delivery and another account's are refused by kind", async (store) => {
    await setUpEnded(store, "failed");
    await store.recordTestDelivery(TEST_DELIVERY);
    assert.equal(await resend(store, TEST_DELIVERY.deliveryId), "is_test");
    assert.equal(await resend(store, "dlv_unknown"), "missing");
    const other = { accountId: "acc_2", deliveryId: "dlv_1", by: EVE, nowMs: LATER };
    assert.equal(await requestOneResend(store, other), "missing");
    assert.equal((await load(store))?.state, "failed");
  });

  test("without its payload it cannot be sent", async (store) => {
    await setUpEnded(store, "delivered");
    const never = { attemptBodiesBeforeMs: 0, rowsBeforeMs: 0, rowsMax: 99 };
    await store.purge({ nowMs: LATER, payloadsBeforeMs: LATER, ...never });
    assert.equal(await resend(store), "payload_purged");
    assert.equal((await load(store))?.state, "delivered");
  });
}
