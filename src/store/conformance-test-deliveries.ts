/** Promises about test deliveries: kept like others, and counted nowhere. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  ACCOUNT,
  accept,
  attemptOf,
  BODY,
  claimIds,
  destinationOf,
  eventOf,
  inStore,
  type OpenStore,
  setUp,
  T0,
} from "./conformance-world.ts";
import type { RecordTestDelivery } from "./store.ts";

const accountId = ACCOUNT.id;

const TEST: RecordTestDelivery = {
  nowMs: T0,
  deliveryId: "dlv_test",
  eventId: "evt_test",
  accountId,
  destinationId: "dst_a",
  type: "demo_viewed",
  body: BODY,
  attempt: attemptOf(1, { outcome: { kind: "timeout", phase: "connect" } }),
  state: "failed",
};

export function describeTests(open: OpenStore): void {
  describe("test deliveries", () => {
    for (const destinationId of ["dst_a", null]) {
      test(
        `a test of ${destinationId === null ? "unsaved values" : "a destination"} comes back marked as one`,
        inStore(open, async (store) => {
          await setUp(store, ["dst_a"]);
          await store.recordTestDelivery({ ...TEST, destinationId });
          assert.deepEqual(await store.loadDelivery({ accountId, deliveryId: "dlv_test" }), {
            id: "dlv_test",
            eventId: "evt_test",
            eventType: "demo_viewed",
            accountId,
            destinationId,
            isTest: true,
            state: "failed",
            attemptsMade: 1,
            dueAtMs: null,
            createdAtMs: T0,
            settledAtMs: T0,
            body: BODY,
            attempts: [TEST.attempt],
          });
        }),
      );
    }

    test(
      "a test waits nowhere, is never claimed and says nothing about the destination's health",
      inStore(open, async (store) => {
        const configVersion = await setUp(store, ["dst_a"]);
        await store.recordTestDelivery(TEST);
        assert.deepEqual(await store.countWaiting({ nowMs: T0 + 9 }), { waiting: 0, oldestDueAtMs: null });
        assert.deepEqual(await claimIds(store, T0 + 10 ** 12), []);
        assert.equal((await destinationOf(store, "dst_a"))?.failingSinceMs, null);
        assert.deepEqual(await accept(store, [eventOf(1, { configVersion })]), [{ kind: "accepted" }]);
      }),
    );

    test(
      "a delivery is seen by its own account only",
      inStore(open, async (store) => {
        await setUp(store, ["dst_a"]);
        await store.recordTestDelivery(TEST);
        assert.equal(await store.loadDelivery({ accountId: "acc_2", deliveryId: "dlv_test" }), null);
        assert.equal(await store.loadDelivery({ accountId, deliveryId: "dlv_unknown" }), null);
      }),
    );
  });
}
