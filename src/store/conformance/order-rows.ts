/** Promises about the rows of orders, which no verb shows: a person's decision deletes none, and steps take all. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Store } from "../contract/store.ts";
import {
  acceptNumbers,
  ACCOUNT,
  ADA,
  claimDue,
  claimIds,
  inStore,
  makeSettlement,
  type OpenStore,
  purgeStep,
  requestOneResend,
  saveOrder,
  setUp,
  T0,
  WEBHOOK,
  WEBHOOK_DESTINATION,
} from "./world.ts";

const accountId = ACCOUNT.id;
const destinationId = WEBHOOK_DESTINATION.id;
const NOW = T0 + 1_000;

/** A webhook with an order of `count`. */
async function setUpOrder(store: Store, count: number): Promise<void> {
  await setUp(store, []);
  await saveOrder(store, null);
  await acceptNumbers(
    store,
    destinationId,
    Array.from({ length: count }, (_, n) => n + 1),
  );
}

const end = (store: Store, expectedRevision: number) => saveOrder(store, expectedRevision, { oneAtATime: false });
const purge = async (store: Store): Promise<number> => (await purgeStep(store, { nowMs: NOW, rowsMax: 10 })).purged;

/** `listOrder`: ids of deliveries by their place in any order. */
export function describeOrderRows(open: OpenStore, listOrder: () => Promise<readonly string[]>): void {
  const test = inStore(open);
  const count = async (): Promise<number> => (await listOrder()).length;

  describe("rows of orders", () => {
    test("a webhook that is deleted leaves them to the steps that cancel what waits", async (store) => {
      await setUpOrder(store, 25);
      await store.deleteWebhook({ accountId, id: WEBHOOK.id, expectedRevision: 1, by: ADA, nowMs: NOW });
      const counted = [await count()];
      for (let step = 0; step < 3; step += 1) {
        await store.expireWaiting({ nowMs: NOW, dueBeforeMs: 0, rowsMax: 10 });
        counted.push(await count());
      }
      assert.deepEqual(counted, [25, 15, 5, 0]);
    });

    test("an order that is ended leaves them to retention, which takes the last first", async (store) => {
      await setUpOrder(store, 25);
      await end(store, 1);
      assert.equal(await count(), 25);
      // A new store's first step makes tables.
      for (let step = 0; (await count()) === 25 && step < 3; step += 1) await purge(store);
      assert.deepEqual(
        await listOrder(),
        Array.from({ length: 15 }, (_, n) => `dlv_${n + 1}`),
      );
      await saveOrder(store, 2);
      const all = Array.from({ length: 25 }, (_, n) => `dlv_${n + 1}`);
      assert.deepEqual(await listOrder(), all, "it goes on where it was");
      await end(store, 3);
      while ((await purge(store)) > 0);
      assert.equal(await count(), 0);
    });

    test("one that ended meanwhile leaves the beginning, and joins the end when it is sent again", async (store) => {
      await setUpOrder(store, 4);
      await end(store, 1);
      await claimDue(store, NOW, { deliveriesMax: 2 });
      for (const id of ["dlv_1", "dlv_2"]) {
        await store.settleAttemptsIfClaimed({ nowMs: NOW, settlements: [makeSettlement(id)] });
      }
      await saveOrder(store, 2);
      const resend = (deliveryId: string) => requestOneResend(store, { accountId, deliveryId, by: ADA, nowMs: NOW });
      assert.equal(await resend("dlv_4"), "not_its_turn");
      assert.equal(await resend("dlv_3"), "queued", "the rows before it are of what has ended");
      assert.equal(await resend("dlv_2"), "queued");
      assert.deepEqual(await listOrder(), ["dlv_1", "dlv_3", "dlv_4", "dlv_2"]);
      while ((await purge(store)) > 0);
      assert.deepEqual(await listOrder(), ["dlv_3", "dlv_4", "dlv_2"]);
      assert.deepEqual(await claimIds(store, NOW), ["dlv_3"]);
    });
  });
}
