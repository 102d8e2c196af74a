/** Promises about erasing a person: what was known of them goes, whoever works with it meanwhile, and nothing else. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import {
  ACCOUNT,
  accept,
  bytes,
  CLAIM_LOST,
  claimAt,
  claimDue,
  due,
  held,
  inStore,
  LEASE_MS,
  makeAttempt,
  makeEvent,
  makeSettlement,
  type OpenStore,
  setUp,
  T0,
} from "./world.ts";
import type { ErasedPart } from "../contract/people.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const JANE = "jane.doe@example.com";
const about = (email: string): string => `{"event":"demo_viewed","lead":{"email":"${email}","first_name":"Jane"}}`;
export async function eraseAll(store: Store, parts: { nowMs?: number; eventsMax?: number; email?: string } = {}) {
  const { nowMs = T0 + LEASE_MS * 2, eventsMax = 100, email = JANE } = parts;
  const sum = { events: 0, answers: 0, cancelled: 0, searches: 0, inFlight: 0 };
  for (let after: string | null = "", steps = 0; after !== null; steps += 1) {
    assert.ok(steps < 50, "it does not end");
    const step: ErasedPart = await store.erasePerson({ accountId, email, after, eventsMax, bytesMax: 10_000, nowMs });
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += step[name];
    after = step.next;
  }
  return sum;
}

const NOTHING = { events: 0, answers: 0, cancelled: 0, searches: 0, inFlight: 0 };

/** Answered with what it was sent. */
const echoed = (deliveryId: string, parts: Parameters<typeof makeSettlement>[1] = {}) => {
  const response = { status: 200, headers: { "x-echo": JANE }, body: bytes(`thanks, ${JANE}`), bodyCut: false };
  return makeSettlement(deliveryId, { attempt: makeAttempt(1, { outcome: { kind: "response", response } }), ...parts });
};

/** All that the log says of it, answers as text. */
const loadText = async (store: Store, deliveryId: string): Promise<string> =>
  JSON.stringify(await store.loadDelivery({ accountId, deliveryId }), (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );

export function describeErasing(open: OpenStore): void {
  const test = inStore(open);

  describe("erasing a person", () => {
    test("takes an answer with the address where its event does not have it, and nothing else", async (store) => {
      const configVersion = await setUp(store, ["dst_a"]);
      const body = about("mary.jane.doe@example.com");
      await accept(store, [makeEvent(0, { configVersion, body, deliveries: [held("dlv_0", "dst_a")] })]);
      await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [echoed("dlv_0")] });
      assert.deepEqual(await eraseAll(store), { ...NOTHING, answers: 1 });
      const delivery = await store.loadDelivery({ accountId, deliveryId: "dlv_0" });
      assert.deepEqual([delivery?.body, delivery?.state], [body, "delivered"]);
      assert.doesNotMatch(await loadText(store, "dlv_0"), /[^.]jane\.doe/);
      assert.deepEqual(await eraseAll(store), NOTHING);
    });

    test("cancels what waits, and what a node has in hand is left until that has ended", async (store) => {
      const configVersion = await setUp(store, ["dst_a", "dst_b"]);
      const kinds = [[due("dlv_w", "dst_a")], [held("dlv_h", "dst_b"), due("dlv_v", "dst_a")]];
      const events = kinds.map((deliveries, n) => makeEvent(n, { configVersion, body: about(JANE), deliveries }));
      await accept(store, events);
      assert.deepEqual(await eraseAll(store, { nowMs: T0 }), { ...NOTHING, events: 1, cancelled: 1, inFlight: 1 });
      assert.equal((await store.loadDelivery({ accountId, deliveryId: "dlv_w" }))?.state, "cancelled");
      await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [echoed("dlv_h")] });
      assert.deepEqual(await eraseAll(store, { nowMs: T0 }), { ...NOTHING, events: 1, answers: 1, cancelled: 1 });
      assert.doesNotMatch(await loadText(store, "dlv_h"), /jane/i);
      assert.deepEqual(await claimDue(store, T0 + LEASE_MS * 9), []);
    });

    test("a settlement that comes when its claim has run out writes nothing back", async (store) => {
      const configVersion = await setUp(store, ["dst_a"]);
      await accept(store, [makeEvent(0, { configVersion, body: about(JANE), deliveries: [due("dlv_0", "dst_a")] })]);
      const claim = claimAt(T0, "slow");
      await claimDue(store, T0, { claim });
      assert.equal((await eraseAll(store, { nowMs: T0 })).inFlight, 1);
      assert.deepEqual(await eraseAll(store), { ...NOTHING, events: 1, cancelled: 1 });
      const settlement = echoed("dlv_0", { claimToken: "slow" });
      assert.deepEqual(await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [settlement] }), [CLAIM_LOST]);
      assert.doesNotMatch(await loadText(store, "dlv_0"), /jane/i);
    });

    test("looks at the events of its account alone, tests too, however many others there are", async (store) => {
      const configVersion = await setUp(store, ["dst_a"]);
      const other = { ...ACCOUNT, id: "acc_other" };
      const theirVersion = await setUp(store, ["dst_other"], other);
      const theirs = Array.from({ length: 20 }, (_, n) =>
        makeEvent(n, { accountId: other.id, configVersion: theirVersion, body: about(JANE), deliveries: [] }),
      );
      await accept(store, theirs);
      await accept(
        store,
        [20, 21].map((n) => makeEvent(n, { configVersion, body: about(JANE), deliveries: [] })),
      );
      const asked = { accountId, email: JANE, eventsMax: 2, bytesMax: 10_000, nowMs: T0 };
      const first = await store.erasePerson({ ...asked, after: "" });
      assert.deepEqual([first.events, first.next], [2, "evt_21"]);
      assert.deepEqual(await store.erasePerson({ ...asked, after: "evt_21" }), { ...NOTHING, next: null });
      assert.deepEqual(await eraseAll(store), NOTHING);
    });

    test("works in steps of a bounded size", async (store) => {
      const configVersion = await setUp(store, ["dst_a"]);
      const events = Array.from({ length: 7 }, (_, n) =>
        makeEvent(n, { configVersion, body: about(n % 2 === 0 ? JANE : "bo@example.com"), deliveries: [] }),
      );
      await accept(store, events);
      const first = await store.erasePerson({
        accountId,
        email: JANE,
        after: "",
        eventsMax: 3,
        bytesMax: 10_000,
        nowMs: T0,
      });
      assert.deepEqual([first.events, first.next], [2, "evt_2"]);
      assert.equal((await eraseAll(store, { eventsMax: 3 })).events, 2);
    });
  });
}
