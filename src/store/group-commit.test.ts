import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import type { Clock } from "../lib/clock.ts";
import type { Answer, Call as CallOf } from "./calls.ts";
import { createGroupCommit } from "./group-commit.ts";
import { StoreUnavailable } from "./contract/store.ts";

/** No attempt is looked into here. */
type Call = CallOf<unknown>;

const probe = (nowMs: number): Call => ({ verb: "probe", params: { nowMs } });

/** A settlement without a caller that waits for it. */
const patient = (): Call => ({
  verb: "settleAttemptsIfClaimed",
  params: { nowMs: 0, settlements: [], isPatient: true },
});

/** A call that counts as `events` events. */
const large = (events: number): Call => ({
  verb: "acceptEvents",
  params: { nowMs: 0, claim: { token: "", untilMs: 0 }, events: Array(events).fill(null) },
});

const done: Answer = { kind: "done", value: undefined };

/** A group commit with commits that end when the test says so. */
function scripted(given: { batchesInFlightMax?: number; besideItemsMin?: number; clock?: Clock } = {}) {
  const batches: { calls: readonly Call[]; end: PromiseWithResolvers<readonly Answer[]> }[] = [];
  const sizes: number[] = [];
  const queue = createGroupCommit<unknown>({
    batchesInFlightMax: 2,
    besideItemsMin: 200,
    clock: createVirtualClock(0),
    ...given,
    onCommit: ({ commands }) => sizes.push(commands),
    commit(calls) {
      const end = Promise.withResolvers<readonly Answer[]>();
      batches.push({ calls, end });
      return end.promise;
    },
  });
  const finish = (place: number): void => batches[place]?.end.resolve(batches[place].calls.map(() => done));
  return { queue, batches, sizes, finish };
}

const verbs = (batch: { readonly calls: readonly Call[] } | undefined) => batch?.calls.map(({ verb }) => verb);

/** Lets everything happen that needs no outside event. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("one call alone is sent at once", async () => {
  const { queue, batches, finish } = scripted();
  const call = queue.call(probe(1));
  await Promise.resolve();
  assert.equal(batches.length, 1);
  finish(0);
  await call;
});

test("calls of the same turn share a commit", async () => {
  const { queue, batches } = scripted();
  for (let n = 0; n < 5; n += 1) void queue.call(probe(n));
  await turn();
  assert.deepEqual(
    batches.map(({ calls }) => calls.length),
    [5],
  );
});

test("calls wait while a commit runs, then all go together, in their order", async () => {
  const { queue, batches, sizes, finish } = scripted();
  void queue.call(probe(0));
  await turn();
  for (let n = 1; n <= 50; n += 1) {
    void queue.call(probe(n));
    await Promise.resolve();
  }
  await turn();
  assert.equal(batches.length, 1);
  finish(0);
  await turn();
  const nowMs = batches[1]?.calls.map(({ params }) => ("nowMs" in params ? params.nowMs : null));
  assert.deepEqual(
    nowMs,
    Array.from({ length: 50 }, (_, n) => n + 1),
  );
  finish(1);
  await turn();
  assert.deepEqual(sizes, [1, 50]);
});

test("a large batch goes ahead of the running one's answer, and no third", async () => {
  const { queue, batches } = scripted();
  void queue.call(probe(0));
  await turn();
  void queue.call(large(199));
  await turn();
  assert.equal(batches.length, 1);
  void queue.call(probe(1));
  await turn();
  assert.equal(batches.length, 2);
  void queue.call(large(1_000));
  await turn();
  assert.equal(batches.length, 2);
});

test("with more at once, many go beside the commit that runs, few wait for its end, and none is too many", async () => {
  const { queue, batches, finish } = scripted({ batchesInFlightMax: 3, besideItemsMin: 50 });
  const sizes = () => batches.map(({ calls }) => calls.length);
  for (let n = 0; n < 5; n += 1) void queue.call(large(1));
  await turn();
  for (let n = 0; n < 7; n += 1) void queue.call(large(1));
  await turn();
  assert.deepEqual(sizes(), [5]);
  finish(0);
  await turn();
  assert.deepEqual(sizes(), [5, 7]);
  for (let n = 0; n < 5; n += 1) {
    void queue.call(large(60));
    await turn();
  }
  assert.equal(batches.length, 4, "three are under way");
  finish(2);
  await turn();
  assert.equal(batches.length, 5);
});

test("a commit takes a thousand events at most, or one call that is larger", async () => {
  const { queue, batches, finish } = scripted();
  for (const events of [600, 400, 1, 5_000, 1]) void queue.call(large(events));
  for (let place = 0; place < 5; place += 1) {
    await turn();
    finish(place);
  }
  const sizes = batches.map(({ calls }) => calls.length);
  assert.deepEqual(sizes, [2, 1, 1, 1]);
});

test("each call gets its own answer", async () => {
  const { queue, batches } = scripted();
  const calls = [queue.call(probe(0)), queue.call(probe(1)), queue.call(probe(2))];
  const settled = Promise.allSettled(calls);
  await turn();
  const cause = new Error("disk full");
  batches[0]?.end.resolve([
    { kind: "done", value: { released: 1 } },
    { kind: "unavailable", error: new Error("cannot commit", { cause }) },
    { kind: "fault", error: new Error("a fault") },
  ]);
  const [first, second, third] = await settled;
  assert.deepEqual(first, { status: "fulfilled", value: { released: 1 } });
  assert.ok(second?.status === "rejected" && second.reason instanceof StoreUnavailable);
  assert.deepEqual([second.reason.message, second.reason.cause], ["cannot commit", cause]);
  assert.ok(third?.status === "rejected" && !(third.reason instanceof StoreUnavailable));
});

test("when a batch cannot be sent all its calls reject, and the next batch is tried", async () => {
  const { queue, batches, sizes, finish } = scripted();
  const failing = Promise.allSettled([queue.call(probe(0)), queue.call(probe(1))]);
  await turn();
  const next = queue.call(probe(2));
  batches[0]?.end.reject(new StoreUnavailable("gone"));
  assert.deepEqual(
    (await failing).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  await turn();
  finish(1);
  await next;
  assert.deepEqual(sizes, [1]);
});

test("the queue is bounded: what is too much is refused at once", async () => {
  const { queue } = scripted();
  void queue.call(probe(0));
  await turn();
  for (let n = 0; n < 199; n += 1) void queue.call(probe(n));
  await turn();
  // The two batches in flight are out of the queue; these fill it.
  void queue.call(probe(199));
  await turn();
  for (let n = 0; n < 20_000; n += 1) void queue.call(probe(n));
  await assert.rejects(queue.call(probe(0)), /20000 calls already wait/);
});

test("it is drained when nothing waits and nothing runs", async () => {
  const { queue, finish } = scripted();
  await queue.drained();
  let isDrained = false;
  void queue.call(probe(0));
  void queue.drained().then(() => (isDrained = true));
  await turn();
  void queue.call(probe(1));
  finish(0);
  await turn();
  assert.equal(isDrained, false);
  finish(1);
  await turn();
  assert.equal(isDrained, true);
});

test("a patient call goes with the next one that is not", async () => {
  const { queue, batches } = scripted();
  void queue.call(patient());
  await turn();
  assert.equal(batches.length, 0);
  void queue.call(probe(0));
  await turn();
  assert.deepEqual(verbs(batches[0]), ["settleAttemptsIfClaimed", "probe"]);
});

test("patient calls go by themselves after a moment, or at once when they are many", async () => {
  const clock = createVirtualClock(0);
  const { queue, batches, finish } = scripted({ clock });
  void queue.call(patient());
  await turn();
  void queue.call(patient());
  await turn();
  await clock.advance(39);
  await turn();
  assert.equal(batches.length, 0);
  await clock.advance(1);
  await turn();
  assert.equal(batches[0]?.calls.length, 2);
  finish(0);
  await turn();
  for (let n = 0; n < 32; n += 1) void queue.call(patient());
  await turn();
  assert.equal(batches[1]?.calls.length, 32);
});

test("a patient call that came while a commit ran waits its moment from the commit's end on", async () => {
  const clock = createVirtualClock(0);
  const { queue, batches, finish } = scripted({ clock });
  void queue.call(probe(0));
  await turn();
  void queue.call(patient());
  await turn();
  finish(0);
  await turn();
  assert.equal(batches.length, 1);
  await clock.advance(40);
  await turn();
  assert.equal(batches.length, 2);
});

test("who waits for the end of all calls does not wait for patience", async () => {
  const { queue, batches, finish } = scripted({ clock: createVirtualClock(0) });
  void queue.call(patient());
  await turn();
  const drained = queue.drained();
  assert.equal(batches.length, 1);
  finish(0);
  await drained;
});
