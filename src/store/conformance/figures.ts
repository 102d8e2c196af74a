/** Promises about the figures of the charts: every settled attempt once, at its start, and no test. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Outcome } from "../../domain/attempt.ts";
import { findBin } from "../../domain/histogram.ts";
import { daysMs, hoursMs, minutesMs } from "../../lib/duration.ts";
import {
  ACCOUNT,
  accept,
  makeAttempt,
  makeEvent,
  held,
  inStore,
  type OpenStore,
  purgeStep,
  setUp,
  makeSettlement,
  T0,
  TEST_DELIVERY,
} from "./world.ts";
import type { AttemptCount, CountAttempts } from "../contract/log.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const OTHER = { ...ACCOUNT, id: "acc_2" };

const count = (store: Store, parts: Partial<CountAttempts> = {}) =>
  store.countAttempts({ accountId, fromMs: T0, toMs: T0 + hoursMs(1), bucketMs: minutesMs(1), ...parts });

/** In an order of their own: the verb promises none. */
const sorted = (counts: readonly AttemptCount[]): AttemptCount[] =>
  counts.toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : 1));
const toKey = ({ destinationId, atMs, kind, result, code, bin }: AttemptCount): string =>
  [destinationId, atMs, kind, result, code, bin].join(" ");

const total = (counts: readonly AttemptCount[]): number => counts.reduce((sum, each) => sum + each.count, 0);

/** Deliveries `dlv_1` … of one event to `dst_a`, accepted at `T0` and held. */
async function setUpHeld(store: Store, deliveries: number): Promise<string[]> {
  const configVersion = await setUp(store, ["dst_a", "dst_b"]);
  const ids = Array.from({ length: deliveries }, (_, place) => `dlv_${place + 1}`);
  await accept(store, [makeEvent(1, { configVersion, deliveries: ids.map((id) => held(id, "dst_a")) })]);
  return ids;
}

const settle = (store: Store, settlements: readonly Settlement[]) =>
  store.settleAttemptsIfClaimed({ nowMs: T0 + 1, settlements });

/** Deliveries with one attempt each, which began at one of `starts` and succeeded, each with an event of its own. */
async function deliverAt(store: Store, starts: readonly number[]): Promise<void> {
  const configVersion = await setUp(store, ["dst_a"]);
  for (const [n, startedAtMs] of starts.entries()) await deliverOne(store, { n, startedAtMs, configVersion });
}

interface One {
  readonly n: number;
  readonly startedAtMs: number;
  readonly configVersion: number;
}

async function deliverOne(store: Store, { n, startedAtMs, configVersion }: One): Promise<void> {
  const id = `dlv_${n}`;
  await accept(store, [makeEvent(n, { configVersion, deliveries: [held(id, "dst_a")] })], startedAtMs);
  const attempt = makeAttempt(1, { startedAtMs });
  const settled = await store.settleAttemptsIfClaimed({
    nowMs: startedAtMs + 4,
    settlements: [makeSettlement(id, { attempt })],
  });
  assert.equal(settled[0]?.kind, "settled");
}

export function describeFigures(open: OpenStore): void {
  describe("figures", () => {
    describeCounts(open);
    describeBuckets(open);
    describeBars(open);
    describeAging(open);
  });
}

function describeCounts(open: OpenStore): void {
  const test = inStore(open);
  test("an attempt counts with result, answer and time; an arrived delivery with its own time", async (store) => {
    await setUpHeld(store, 4);
    const startedAtMs = T0 + minutesMs(2) + 500;
    const timeout: Outcome = { kind: "timeout", phase: "headers" };
    const attempt = makeAttempt(1, { startedAtMs });
    const failed = makeAttempt(1, { startedAtMs, outcome: timeout });
    await settle(store, [
      makeSettlement("dlv_1", { attempt }),
      makeSettlement("dlv_2", { attempt }),
      makeSettlement("dlv_3", { attempt: failed, next: { state: "pending", dueAtMs: T0 + 9 } }),
      makeSettlement("dlv_4", { attempt: failed, next: { state: "failed" } }),
    ]);
    const bucket = { destinationId: "dst_a", atMs: T0 + minutesMs(2) };
    const took = { bin: findBin(4) };
    assert.deepEqual(
      sorted(await count(store)),
      sorted([
        { ...bucket, kind: "attempt", result: "delivered", code: "200", ...took, count: 2 },
        { ...bucket, kind: "attempt", result: "retry", code: "timeout", ...took, count: 1 },
        { ...bucket, kind: "attempt", result: "failed", code: "timeout", ...took, count: 1 },
        { ...bucket, kind: "delivery", result: "delivered", code: "200", bin: findBin(120_504), count: 2 },
      ]),
    );
  });

  test("what is settled later adds to it, what is settled twice does not, and tests are left out", async (store) => {
    const ids = await setUpHeld(store, 3);
    for (const id of ids) await settle(store, [makeSettlement(id)]);
    await settle(store, [makeSettlement("dlv_1")]);
    await settle(store, [makeSettlement("dlv_1", { claimToken: "another" })]);
    await store.recordTestDelivery(TEST_DELIVERY);
    assert.deepEqual(
      sorted(await count(store)).map(({ kind, count: n }) => [kind, n]),
      [
        ["attempt", 3],
        ["delivery", 3],
      ],
    );
  });

  test("calls that wait together count together, and a count among them sees each of them whole", async (store) => {
    const [first = "", second = ""] = await setUpHeld(store, 2);
    const [, counted, , all] = await Promise.all([
      settle(store, [makeSettlement(first)]),
      count(store),
      settle(store, [makeSettlement(second)]),
      count(store),
    ]);
    // An attempt and its delivery each; calls of different kinds may be taken in any order.
    for (const seen of [counted, all]) assert.ok([0, 2, 4].includes(total(seen)), `${total(seen)}`);
    assert.equal(total(await count(store)), 4);
  });

  test("an account's figures are its own, and those of some destinations can be had alone", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await setUp(store, ["dst_c"], OTHER);
    await accept(store, [
      makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a"), held("dlv_2", "dst_b")] }),
    ]);
    await settle(store, [makeSettlement("dlv_1"), makeSettlement("dlv_2")]);
    assert.equal(total(await count(store)), 4);
    assert.deepEqual(
      new Set((await count(store, { destinationIds: ["dst_b", "dst_c"] })).map((each) => each.destinationId)),
      new Set(["dst_b"]),
    );
    assert.deepEqual(await count(store, { accountId: OTHER.id }), []);
    assert.deepEqual(await count(store, { accountId: OTHER.id, destinationIds: ["dst_a"] }), []);
  });
}

function describeBuckets(open: OpenStore): void {
  const test = inStore(open);
  test("destinations are joined when asked for, or the answers and times of each", async (store) => {
    await deliverToBoth(store);
    const bucket = { atMs: T0, kind: "attempt", result: "delivered" } as const;
    const attempts = async (parts: Partial<CountAttempts>) =>
      sorted(await count(store, parts)).filter(({ kind }) => kind === "attempt");
    const fast = { code: "200", bin: findBin(4) };
    const made = { code: "201", bin: findBin(4) };
    assert.deepEqual(await attempts({ joined: "destinations" }), [
      { destinationId: "", ...bucket, ...fast, count: 2 },
      { destinationId: "", ...bucket, ...made, count: 1 },
    ]);
    assert.deepEqual(await attempts({ joined: "destinations", destinationIds: ["dst_b"] }), [
      { destinationId: "", ...bucket, ...fast, count: 1 },
    ]);
    assert.deepEqual(sorted(await count(store, { joined: "answers" })), [
      { destinationId: "dst_a", ...bucket, code: "", bin: 0, count: 2 },
      { destinationId: "dst_b", ...bucket, code: "", bin: 0, count: 1 },
    ]);
    assert.deepEqual(await count(store, { joined: "answers", destinationIds: ["dst_b", "dst_none"] }), [
      { destinationId: "dst_b", ...bucket, code: "", bin: 0, count: 1 },
    ]);
    assert.deepEqual(await count(store, { joined: "answers", destinationIds: [] }), []);
  });

  test("counts are joined to buckets, from the start of the span to before its end", async (store) => {
    const starts = [T0 - 1, T0, T0 + minutesMs(4), T0 + minutesMs(5), T0 + minutesMs(60)];
    await deliverAt(store, starts);
    const attempts = (await count(store, { bucketMs: minutesMs(5) })).filter(({ kind }) => kind === "attempt");
    assert.deepEqual(
      sorted(attempts).map(({ atMs, count: n }) => [atMs - T0, n]),
      [
        [0, 2],
        [minutesMs(5), 1],
      ],
    );
  });
}

/** Hours are kept in memory, so that the bars of a page are read once. */
function describeBars(open: OpenStore): void {
  const test = inStore(open);
  test("bars of hours follow what is counted and joined since they were read", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const day = { fromMs: T0 - hoursMs(24), toMs: T0 + hoursMs(4), bucketMs: hoursMs(1) };
    const readBars = async () => sumUp(await count(store, { ...day, joined: "answers" }));
    const readAll = async () => sumUp(await count(store, day));
    const minutes = [-1_000, -61, -1, 0, 59, 60, 61, 0, -1_000, 150];
    for (const [n, minute] of minutes.entries()) {
      const id = `dlv_${n}`;
      const deliveries = [held(id, n % 3 === 0 ? "dst_b" : "dst_a")];
      const startedAtMs = T0 + minutesMs(minute);
      await accept(store, [makeEvent(n, { configVersion, deliveries })], startedAtMs);
      const attempt = makeAttempt(1, { startedAtMs });
      const next = { state: n % 2 === 0 ? ("delivered" as const) : ("failed" as const) };
      await store.settleAttemptsIfClaimed({
        nowMs: startedAtMs + 4,
        settlements: [makeSettlement(id, { attempt, next })],
      });
      assert.deepEqual(await readBars(), await readAll());
      assert.equal(total(await count(store, { ...day, joined: "answers" })), n + 1);
    }
    await purge(store, T0 + hoursMs(28));
    assert.deepEqual(await readBars(), await readAll());
    await purge(store, T0 + daysMs(32));
    assert.deepEqual(await readBars(), new Map());
  });
}

/** Attempts by destination, bar and result. */
function sumUp(counts: readonly AttemptCount[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { destinationId, atMs, kind, result, count: n } of counts.filter((each) => each.kind === "attempt")) {
    const key = [destinationId, atMs, kind, result].join(" ");
    sums.set(key, (sums.get(key) ?? 0) + n);
  }
  return new Map([...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** To `dst_a` with a 200 and a 201, to `dst_b` with a 200. */
async function deliverToBoth(store: Store): Promise<void> {
  const configVersion = await setUp(store, ["dst_a", "dst_b"]);
  const deliveries = [held("dlv_1", "dst_a"), held("dlv_2", "dst_a"), held("dlv_3", "dst_b")];
  await accept(store, [makeEvent(1, { configVersion, deliveries })]);
  const response = { status: 201, headers: {}, body: new Uint8Array(), bodyCut: false };
  const created = makeAttempt(1, { outcome: { kind: "response", response } });
  await settle(store, [
    makeSettlement("dlv_1"),
    makeSettlement("dlv_2", { attempt: created }),
    makeSettlement("dlv_3"),
  ]);
}

const purge = async (store: Store, nowMs: number): Promise<void> => {
  while ((await purgeStep(store, { nowMs, rowsMax: 7 })).purged > 0);
};

function describeAging(open: OpenStore): void {
  const test = inStore(open);
  test("old figures are joined to quarters, then to hours, and no attempt is lost within a month", async (store) => {
    const starts = Array.from({ length: 60 }, (_, n) => T0 + minutesMs(n));
    await deliverAt(store, starts);
    const placesAfter = async (nowMs: number) => {
      await purge(store, nowMs);
      const counts = await count(store);
      assert.equal(total(counts), 120, "nothing is lost");
      assert.equal(total(await count(store, { joined: "destinations" })), 120, "nor of the account's");
      return new Set(counts.map(({ atMs }) => (atMs - T0) / minutesMs(1)));
    };
    assert.equal((await placesAfter(T0 + hoursMs(2))).size, 60);
    const half = await placesAfter(T0 + hoursMs(2) + minutesMs(44));
    assert.deepEqual(
      [half.size, half.has(0), half.has(15), half.has(29), half.has(30), half.has(31)],
      [32, true, true, false, true, true],
    );
    assert.deepEqual(await placesAfter(T0 + hoursMs(24)), new Set([0, 15, 30, 45]));
    assert.deepEqual(await placesAfter(T0 + hoursMs(27)), new Set([0]));
    assert.deepEqual(await placesAfter(T0 + daysMs(31)), new Set([0]));
    await purge(store, T0 + daysMs(31) + 1);
    assert.deepEqual(await count(store), []);
    assert.deepEqual(await count(store, { joined: "destinations" }), []);
  });
}
