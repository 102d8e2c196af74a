import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import type { Answer } from "./commit-calls.ts";
import { BATCHES_IN_FLIGHT_MAX, createGroupCommit } from "./group-commit.ts";
import { type Call, callOf } from "./verbs.ts";

/** A call that counts as `events` rows. */
const accept = (events: number): Call =>
  callOf("acceptEvents", { nowMs: 0, claim: { token: "", untilMs: 0 }, events: Array(events).fill(null) });

const done: Answer = { kind: "done", value: [] };

/** A group commit whose commits end when the test says so. */
function scripted() {
  const batches: { calls: readonly Call[]; end: PromiseWithResolvers<readonly Answer[]> }[] = [];
  const queue = createGroupCommit({
    clock: systemClock,
    onCommit: () => {},
    commit(calls) {
      const end = Promise.withResolvers<readonly Answer[]>();
      batches.push({ calls, end });
      return end.promise;
    },
  });
  const finish = (place: number): void => batches[place]?.end.resolve(batches[place].calls.map(() => done));
  return { queue, batches, finish, sizes: () => batches.map(({ calls }) => calls.length) };
}

/** Lets everything happen that needs no outside event. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("calls of the same turn share a commit; few that come later wait for its end and share the next", async () => {
  const { queue, finish, sizes } = scripted();
  for (let n = 0; n < 5; n += 1) void queue.call(accept(1));
  await turn();
  for (let n = 0; n < 7; n += 1) void queue.call(accept(1));
  await turn();
  assert.deepEqual(sizes(), [5]);
  finish(0);
  await turn();
  assert.deepEqual(sizes(), [5, 7]);
});

test("many go beside the commit that runs, on connections of their own, but not on more than there are", async () => {
  const { queue, finish, sizes } = scripted();
  for (let n = 0; n < 5; n += 1) {
    void queue.call(accept(60));
    await turn();
  }
  assert.equal(sizes().length, BATCHES_IN_FLIGHT_MAX);
  finish(1);
  await turn();
  assert.equal(sizes().length, BATCHES_IN_FLIGHT_MAX + 1);
});

test("a commit takes a thousand rows at most, or one call that is larger", async () => {
  const { queue, sizes, finish } = scripted();
  for (const events of [600, 400, 1, 5_000, 1]) void queue.call(accept(events));
  for (let place = 0; place < 5; place += 1) {
    await turn();
    finish(place);
  }
  assert.deepEqual(sizes(), [2, 1, 1, 1]);
});

test("what is too much is refused at once", async () => {
  const { queue } = scripted();
  for (let n = 0; n < 20_000; n += 1) void queue.call(accept(1));
  await assert.rejects(queue.call(accept(1)), /20000 calls already wait/);
});
