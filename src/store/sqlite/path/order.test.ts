/** Orders on SQLite: their rows, and what a claim of many of them costs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../lib/clock.ts";
import { describeOrderRows } from "../../conformance/order-rows.ts";
import {
  accept,
  claimDue,
  due,
  held,
  loadVersion,
  makeEvent,
  nthWebhook,
  setUp,
  T0,
  webhookToSave,
} from "../../conformance/world.ts";
import type { SaveWebhook } from "../../contract/accounts.ts";
import type { Store } from "../../contract/store.ts";
import { type InlineStore, openInlineStore } from "../open.ts";

let inline: InlineStore;
describeOrderRows(
  () => {
    inline = openInlineStore({ clock: systemClock });
    return Promise.resolve(inline.store);
  },
  async () => {
    let ids: string[] = [];
    await inline.between((db) => {
      ids = db.all<{ id: string }>("select delivery_id as id from ordered_deliveries order by seq").map(({ id }) => id);
    });
    return ids;
  },
);

const saveNth = (store: Store, n: number, parts: Partial<SaveWebhook> = {}) =>
  store.saveWebhook(webhookToSave({ ...nthWebhook(n, { oneAtATime: true }), ...parts, webhooksMax: 99 }));

test("a claim looks through what is in memory once, however many orders are due", async () => {
  const { store, between } = openInlineStore({ clock: systemClock });
  await setUp(store, ["dst_a"]);
  const orders = [1, 2, 3, 4, 5, 6];
  for (const n of orders) assert.equal((await saveNth(store, n)).kind, "saved");
  const configVersion = await loadVersion(store);
  const waiting = orders.map((n) => makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, `dst_${n}`)] }));
  await accept(store, [...waiting, makeEvent(9, { configVersion, deliveries: [held("dlv_9", "dst_a")] })]);
  let walks = 0;
  await between(({ inMemory }) => {
    const all = inMemory.all.bind(inMemory);
    inMemory.all = () => {
      walks += 1;
      return all();
    };
  });
  assert.equal((await claimDue(store, T0)).length, orders.length);
  // The first looks for claims that have run out.
  assert.equal(walks, 2);
  await store[Symbol.asyncDispose]();
});

test("what is in memory holds its order alone", async () => {
  const { store } = openInlineStore({ clock: systemClock });
  await setUp(store, []);
  for (const n of [1, 2]) await saveNth(store, n, nthWebhook(n));
  const configVersion = await loadVersion(store);
  await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_1")] })]);
  await accept(
    store,
    [1, 2].map((n) => makeEvent(10 + n, { configVersion, deliveries: [due(`dlv_1${n}`, `dst_${n}`)] })),
  );
  for (const n of [1, 2]) await saveNth(store, n, { expectedRevision: 1 });
  assert.deepEqual(
    (await claimDue(store, T0 + 1)).map(({ id }) => id),
    ["dlv_12"],
  );
  await store[Symbol.asyncDispose]();
});
