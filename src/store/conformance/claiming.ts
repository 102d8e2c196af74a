/**
 * Promises about claims: what is due, who may have it and for how long, and that neither a destination nor an
 * account can starve another.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { makeAlert, makeDestinationSetup } from "../../../test/kit/make.ts";
import {
  ACCOUNT,
  accept,
  acceptEach,
  BODY,
  claimAt,
  claimDue,
  claimIds,
  due,
  makeEvent,
  held,
  inStore,
  LEASE_MS,
  type OpenStore,
  setUp,
  makeSettlement,
  T0,
  SETTLED,
  CLAIM_LOST,
  ADA,
} from "./world.ts";
import type { Account } from "../../domain/account.ts";
import type { ClaimDueDeliveries, NewDelivery } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

export function describeClaiming(open: OpenStore): void {
  describe("claiming", () => {
    describeWhatIsDue(open);
    describeFairness(open);
    describeFairnessOfAccounts(open);
    describeHolding(open);
  });
}

/** `count` deliveries to one destination, numbered from `first`. */
const makeDeliveries = (destinationId: string, first: number, count: number): NewDelivery[] =>
  Array.from({ length: count }, (_, place) => due(`dlv_${first + place}`, destinationId));

function describeWhatIsDue(open: OpenStore): void {
  const test = inStore(open);
  test("a claim brings all that an attempt needs", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [due("dlv_1", "dst_a")], configVersion);
    const claim = claimAt(T0, "mine");
    assert.deepEqual(await claimDue(store, T0, { claim }), [
      {
        id: "dlv_1",
        eventId: "evt_1",
        eventType: "demo_viewed",
        accountId: ACCOUNT.id,
        destinationId: "dst_a",
        body: BODY,
        attemptsMade: 0,
        attemptsInSchedule: 0,
        pendingSinceMs: T0,
        isTrial: false,
        isInOrder: false,
        ratePerSecond: null,
        traceContext: null,
        configVersion,
        claim,
      },
    ]);
  });

  test("each claim of a delivery brings the trace that its event was accepted in", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const traceContext = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 vendor=opaque";
    await accept(store, [
      makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")], traceContext }),
      makeEvent(2, { configVersion, deliveries: [held("dlv_2", "dst_a")] }),
    ]);
    for (const nowMs of [T0 + LEASE_MS, T0 + 2 * LEASE_MS]) {
      const claimed = await claimDue(store, nowMs);
      assert.deepEqual(Object.fromEntries(claimed.map((each) => [each.id, each.traceContext])), {
        dlv_1: traceContext,
        dlv_2: null,
      });
    }
  });

  test("nothing is claimed before it is due", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    assert.deepEqual(await claimIds(store, T0), []);
    await acceptEach(store, [due("dlv_1", "dst_a")], configVersion);
    assert.deepEqual(await claimIds(store, T0 - 1), []);
    assert.deepEqual(await claimIds(store, T0), ["dlv_1"]);
  });

  test("the next due time is that of the first destination that wakes, and none when nothing waits", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const findNext = async () => (await store.findNextDue({ nowMs: T0 })).dueAtMs;
    assert.equal(await findNext(), null);
    await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
    const dueAtMs = T0 + 5_000;
    const retry = makeSettlement("dlv_1", { next: { state: "pending", dueAtMs } });
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [retry] });
    assert.deepEqual(await claimIds(store, T0 + 1), []);
    assert.equal(await findNext(), dueAtMs, "a claim that found nothing has corrected the bound");
    await accept(store, [makeEvent(2, { configVersion, deliveries: [due("dlv_2", "dst_b")] })]);
    assert.ok(((await findNext()) ?? Infinity) <= T0 + 1, "another destination's comes first");
    const pausing = { accountId: ACCOUNT.id, destinationId: "dst_b", by: ADA, reason: "", nowMs: T0 };
    await store.setDestinationState({ ...pausing, state: "paused" });
    assert.equal(await findNext(), dueAtMs, "a paused destination is not waited for");
  });

  test("the oldest due go first, at most as many as asked for", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, makeDeliveries("dst_a", 1, 5), configVersion);
    assert.deepEqual(await claimIds(store, T0 + 9, { deliveriesMax: 0 }), []);
    assert.deepEqual(await claimIds(store, T0 + 9, { deliveriesMax: 2 }), ["dlv_1", "dlv_2"]);
    assert.deepEqual(await claimIds(store, T0 + 9, { deliveriesMax: 2 }), ["dlv_3", "dlv_4"]);
    assert.deepEqual(await claimIds(store, T0 + 9), ["dlv_5"]);
    assert.deepEqual(await claimIds(store, T0 + 9), []);
  });

  test("a claim's bodies stay within what was asked for, and those left out come first next time", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [...makeDeliveries("dst_a", 1, 3), ...makeDeliveries("dst_b", 4, 2)], configVersion);
    const limits = { bodyCharsMax: 2 * BODY.length };
    assert.deepEqual(await claimIds(store, T0 + 9, limits), ["dlv_1", "dlv_2"]);
    assert.deepEqual(await claimIds(store, T0 + 9, limits), ["dlv_4", "dlv_5"]);
    assert.deepEqual(await claimIds(store, T0 + 9, { bodyCharsMax: 4 * BODY.length - 1 }), ["dlv_3"]);
  });

  test("a claim stops at a body that does not fit any more, and at the next destination too", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b", "dst_c"]);
    const rows = [...makeDeliveries("dst_a", 1, 1), ...makeDeliveries("dst_b", 2, 1), ...makeDeliveries("dst_c", 3, 1)];
    await acceptEach(store, rows, configVersion);
    assert.deepEqual(await claimIds(store, T0 + 9, { bodyCharsMax: 2 * BODY.length - 1 }), ["dlv_1"]);
    assert.deepEqual(await claimIds(store, T0 + 9, { bodyCharsMax: 0 }), ["dlv_2"]);
  });

  test("one delivery is always taken, however large its body", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const large = (n: number) =>
      makeEvent(n, { configVersion, body: "x".repeat(1_000_000), deliveries: [due(`dlv_${n}`, "dst_a")] });
    await accept(store, [large(1), large(2)]);
    assert.deepEqual(await claimIds(store, T0, { bodyCharsMax: 10 }), ["dlv_1"]);
    assert.deepEqual(await claimIds(store, T0, { bodyCharsMax: 10 }), ["dlv_2"]);
  });

  test("a claim knows the owner's rate limit as it is now", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, makeDeliveries("dst_a", 1, 1), configVersion);
    const destination = makeDestinationSetup({ id: "dst_a", url: "https://receiver.example/", ratePerSecond: 2.5 });
    const change = { accountId: ACCOUNT.id, assistantId: "assistant of dst_a", by: ADA, nowMs: T0 };
    await store.saveAssistantDestination({ ...change, destination, expectedRevision: 2 });
    assert.equal((await claimDue(store, T0))[0]?.ratePerSecond, 2.5);
  });

  test("a destination that is off keeps its deliveries waiting", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a"), due("dlv_3", "dst_b")], configVersion);
    const settlements = [makeSettlement("dlv_1", { next: { state: "failed" }, destinationOff: "gone" as const })];
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
    assert.deepEqual(await claimIds(store, T0 + 9), ["dlv_3"]);
    assert.equal((await store.loadDelivery({ accountId: ACCOUNT.id, deliveryId: "dlv_2" }))?.state, "pending");
  });

  test("a clock that was set back an hour holds nothing back that is due", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, makeDeliveries("dst_a", 1, 3), configVersion);
    const hourMs = 3_600_000;
    assert.deepEqual(await claimIds(store, T0 + hourMs, { deliveriesMax: 1 }), ["dlv_1"]);
    assert.deepEqual(await claimIds(store, T0 + 9, { deliveriesMax: 1 }), ["dlv_2"]);
  });
}

function describeFairness(open: OpenStore): void {
  const test = inStore(open);
  test("each destination gives at most its share", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [...makeDeliveries("dst_a", 1, 4), ...makeDeliveries("dst_b", 5, 4)], configVersion);
    const claimed = await claimIds(store, T0 + 9, { perDestinationMax: 2 });
    assert.deepEqual(claimed, ["dlv_1", "dlv_2", "dlv_5", "dlv_6"]);
  });

  test("the shares of all together stay within what was asked for", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b", "dst_c"]);
    const rows = [...makeDeliveries("dst_a", 1, 2), ...makeDeliveries("dst_b", 3, 2), ...makeDeliveries("dst_c", 5, 2)];
    await acceptEach(store, rows, configVersion);
    assert.deepEqual(await claimIds(store, T0 + 9, { deliveriesMax: 3 }), ["dlv_1", "dlv_2", "dlv_3"]);
  });

  test("a busy lane gets what it has capacity for, and a full one is passed over", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b", "dst_c"]);
    const rows = [...makeDeliveries("dst_a", 1, 3), ...makeDeliveries("dst_b", 4, 3), ...makeDeliveries("dst_c", 7, 3)];
    await acceptEach(store, rows, configVersion);
    const freeSlots = { dst_a: 0, dst_b: 1, dst_c: 50 };
    const claimed = await claimIds(store, T0 + 9, { perDestinationMax: 2, freeSlots });
    assert.deepEqual(claimed, ["dlv_4", "dlv_7", "dlv_8", "dlv_9"]);
    assert.deepEqual((await claimIds(store, T0 + 9)).toSorted(), ["dlv_1", "dlv_2", "dlv_3", "dlv_5", "dlv_6"]);
  });

  test("destinations with more than one claim's worth take turns", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b", "dst_c"]);
    const rows = [
      ...makeDeliveries("dst_a", 10, 3),
      ...makeDeliveries("dst_b", 20, 3),
      ...makeDeliveries("dst_c", 30, 3),
    ];
    await acceptEach(store, rows, configVersion);
    const order: string[] = [];
    for (let step = 0; step < 9; step += 1) {
      order.push(...(await claimIds(store, T0 + 100 + step, { deliveriesMax: 1 })));
    }
    const inTurn = ["dlv_10", "dlv_20", "dlv_30", "dlv_11", "dlv_21", "dlv_31", "dlv_12", "dlv_22", "dlv_32"];
    assert.deepEqual(order, inTurn);
  });

  test("a delivery is found behind a thousand destinations whose lanes are full", async (store) => {
    const full = Array.from({ length: 1_000 }, (_, place) => `dst_${place}`);
    const configVersion = await setUpQuickly(store, [...full, "dst_last"]);
    const rows = [...full.map((id, place) => due(`dlv_${place}`, id)), due("dlv_9999", "dst_last")];
    await acceptEachAtOnce(store, rows, configVersion);
    const freeSlots = Object.fromEntries(full.map((id) => [id, 0]));
    assert.deepEqual(await claimIds(store, T0 + 9_999, { freeSlots, deliveriesMax: 10 }), ["dlv_9999"]);
  });
}

/** Ids of accounts are the product's: one may be called as a property that every object has. */
const OTHER: Account = { ...ACCOUNT, id: "constructor" };

/** Three destinations of one account, each with `count` due, and after all of them two of another account's. */
async function setUpTwoAccounts(store: Store, count: number): Promise<void> {
  const ids = ["dst_a", "dst_b", "dst_c"];
  const configVersion = await setUp(store, ids);
  for (const [place, id] of ids.entries()) {
    await acceptEach(store, makeDeliveries(id, 10 * (place + 1), count), configVersion);
  }
  const others = { accountId: OTHER.id, configVersion: await setUp(store, ["dst_x"], OTHER) };
  const deliveries = (n: number) => [due(`dlv_${n}`, "dst_x")];
  await accept(
    store,
    [90, 91].map((n) => makeEvent(n, { ...others, deliveries: deliveries(n) })),
    T0 + 50,
  );
}

function describeFairnessOfAccounts(open: OpenStore): void {
  const test = inStore(open);
  const claimSorted = async (store: Store, limits: Partial<ClaimDueDeliveries>): Promise<string[]> =>
    (await claimIds(store, T0 + 99, limits)).toSorted();

  test("all destinations of an account give no more than it has free slots, one after the other", async (store) => {
    await setUpTwoAccounts(store, 3);
    const limits = { perDestinationMax: 2, accountSlots: { [ACCOUNT.id]: 3 } };
    assert.deepEqual(await claimSorted(store, limits), ["dlv_10", "dlv_11", "dlv_20", "dlv_90", "dlv_91"]);
    assert.deepEqual(await claimIds(store, T0 + 99, limits), ["dlv_30", "dlv_31", "dlv_12"]);
  });

  test("an account without a free slot is passed over, and its destinations keep their place", async (store) => {
    await setUpTwoAccounts(store, 1);
    const limits = { accountSlots: { [ACCOUNT.id]: 0 } };
    assert.deepEqual(await claimSorted(store, limits), ["dlv_90", "dlv_91"]);
    assert.deepEqual(await claimIds(store, T0 + 99), ["dlv_10", "dlv_20", "dlv_30"]);
  });

  test("an account whose destinations are due first leaves room in a claim to others", async (store) => {
    await setUpTwoAccounts(store, 3);
    const limits = { deliveriesMax: 4, perAccountMax: 2 };
    const first = await claimSorted(store, limits);
    assert.deepEqual([first.length, first.slice(2)], [4, ["dlv_90", "dlv_91"]]);
    assert.equal((await claimSorted(store, limits)).length, 2);
  });

  test("an account that is alone gets all of a claim, and no destination more than its slots", async (store) => {
    await acceptEach(store, makeDeliveries("dst_a", 1, 9), await setUp(store, ["dst_a"]));
    const limits = { deliveriesMax: 4, perDestinationMax: 3 };
    assert.deepEqual(await claimIds(store, T0 + 99, limits), ["dlv_1", "dlv_2", "dlv_3"]);
  });

  test("an account's delivery is found behind a thousand destinations of one that is at its bound", async (store) => {
    const full = Array.from({ length: 1_000 }, (_, place) => `dst_${place}`);
    const configVersion = await setUpQuickly(store, full);
    await acceptEachAtOnce(
      store,
      full.map((id, place) => due(`dlv_${place}`, id)),
      configVersion,
    );
    const others = { accountId: OTHER.id, configVersion: await setUp(store, ["dst_x"], OTHER) };
    await accept(store, [makeEvent(9_999, { ...others, deliveries: [due("dlv_9999", "dst_x")] })], T0 + 50);
    const limits = { accountSlots: { [ACCOUNT.id]: 0 }, deliveriesMax: 10 };
    assert.deepEqual(await claimIds(store, T0 + 9_999, limits), ["dlv_9999"]);
  });
}

function describeHolding(open: OpenStore): void {
  const test = inStore(open);
  test("when a claim has run out it can be claimed again, and the first holder has lost it", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [due("dlv_1", "dst_a")], configVersion);
    await claimIds(store, T0, { claim: claimAt(T0, "first") });
    const laterMs = T0 + LEASE_MS;
    assert.deepEqual(await claimIds(store, laterMs - 1), []);
    assert.deepEqual(await claimIds(store, laterMs, { claim: claimAt(laterMs, "second") }), ["dlv_1"]);
    const settle = (claimToken: string) =>
      store.settleAttemptsIfClaimed({ nowMs: laterMs, settlements: [makeSettlement("dlv_1", { claimToken })] });
    assert.deepEqual(await settle("first"), [CLAIM_LOST]);
    assert.deepEqual(await settle("second"), [SETTLED]);
  });

  test("a claim given back is due again at the time that was said, and counts no attempt", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
    const claims = [
      { deliveryId: "dlv_1", accountId: ACCOUNT.id, claimToken: "token" },
      { deliveryId: "dlv_2", accountId: ACCOUNT.id, claimToken: "another's" },
      { deliveryId: "dlv_unknown", accountId: ACCOUNT.id, claimToken: "token" },
    ];
    assert.deepEqual(await store.releaseClaims({ claims, dueAtMs: T0 + 5 }), { released: 1 });
    assert.deepEqual(await store.releaseClaims({ claims, dueAtMs: T0 + 5 }), { released: 0 });
    assert.deepEqual(await claimIds(store, T0 + 4), []);
    assert.deepEqual(await claimIds(store, T0 + 5), ["dlv_1"]);
    const loaded = await store.loadDelivery({ accountId: ACCOUNT.id, deliveryId: "dlv_1" });
    assert.equal(loaded?.attemptsMade, 0);
  });

  test("two claims at once never get the same delivery", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [...makeDeliveries("dst_a", 1, 20), ...makeDeliveries("dst_b", 21, 20)], configVersion);
    const claims = Array.from({ length: 8 }, () => claimIds(store, T0 + 99, { deliveriesMax: 7 }));
    const ids = (await Promise.all(claims)).flat();
    assert.equal(ids.length, 40);
    assert.equal(new Set(ids).size, 40);
  });
}

/** One alert each, all called at once: a thousand one by one would take a second of syncs. */
async function setUpQuickly(store: Store, destinationIds: readonly string[]): Promise<number> {
  await setUp(store, []);
  const save = (id: string) =>
    store.saveAlert({
      accountId: ACCOUNT.id,
      alert: makeAlert({ id: `alert of ${id}` }),
      destination: makeDestinationSetup({ id, url: "https://receiver.example/" }),
      expectedRevision: null,
      by: ADA,
      alertsMax: destinationIds.length,
      nowMs: T0,
    });
  await Promise.all(destinationIds.map(save));
  return (await store.loadAccount({ accountId: ACCOUNT.id }))?.configVersion ?? 0;
}

async function acceptEachAtOnce(store: Store, rows: readonly NewDelivery[], configVersion: number): Promise<void> {
  await Promise.all(rows.map((row) => acceptEach(store, [row], configVersion)));
}
