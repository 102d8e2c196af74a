/** Promises about test deliveries: kept like others, and counted nowhere. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import {
  ACCOUNT,
  accept,
  BODY,
  claimIds,
  findDestination,
  makeEvent,
  inStore,
  type OpenStore,
  setUp,
  T0,
  TEST_DELIVERY,
  ACCEPTED,
} from "./world.ts";

const accountId = ACCOUNT.id;

export function describeTests(open: OpenStore): void {
  const test = inStore(open);
  describe("test deliveries", () => {
    for (const destinationId of ["dst_a", null]) {
      test(`a test is marked as one: of ${destinationId === null ? "a form" : "a destination"}`, async (store) => {
        await setUp(store, ["dst_a"]);
        await store.recordTestDelivery({ ...TEST_DELIVERY, destinationId });
        assert.deepEqual(await store.loadDelivery({ accountId, deliveryId: "dlv_test" }), {
          id: "dlv_test",
          eventId: "evt_test",
          eventType: "demo_viewed",
          accountId,
          destinationId,
          isTest: true,
          state: "failed",
          attemptsMade: 1,
          attemptsInSchedule: 1,
          dueAtMs: null,
          createdAtMs: T0,
          settledAtMs: T0,
          resentAtMs: null,
          resentBy: null,
          body: BODY,
          attempts: [TEST_DELIVERY.attempt],
        });
      });
    }

    test("a test waits nowhere, is never claimed and says nothing about the destination's health", async (store) => {
      const configVersion = await setUp(store, ["dst_a"]);
      await store.recordTestDelivery(TEST_DELIVERY);
      assert.deepEqual(await store.countWaiting({ nowMs: T0 + 9 }), { waiting: 0, oldestDueAtMs: null });
      assert.deepEqual(await claimIds(store, T0 + 10 ** 12), []);
      assert.equal((await findDestination(store, "dst_a"))?.failingSinceMs, null);
      assert.deepEqual(await accept(store, [makeEvent(1, { configVersion })]), [ACCEPTED]);
    });

    test("a delivery is seen by its own account only", async (store) => {
      await setUp(store, ["dst_a"]);
      await store.recordTestDelivery(TEST_DELIVERY);
      assert.equal(await store.loadDelivery({ accountId: "acc_2", deliveryId: "dlv_test" }), null);
      assert.equal(await store.loadDelivery({ accountId, deliveryId: "dlv_unknown" }), null);
    });
  });
}
