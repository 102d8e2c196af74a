import assert from "node:assert/strict";
import { test } from "node:test";
import { makeClaimed } from "../../../test/kit/make.ts";
import { createVirtualClock, settled } from "../../../test/kit/world/virtual-clock.ts";
import { Lanes } from "./lanes.ts";

const BACKLOGGED = "dst_backlogged";

/** Commits of fresh events take this long, which is not usual yet. */
const WAIT_MS = 100;

/** A node with slow commits, whose requests are never answered: what counts is when they start. */
function createSlowNode() {
  const clock = createVirtualClock();
  const started: { readonly id: string; readonly destinationId: string; readonly atMs: number }[] = [];
  const lanes = new Lanes({
    clock,
    deliveriesMax: 1_000,
    loopWork: () => 0,
    run: ({ id, destinationId }) => {
      started.push({ id, destinationId, atMs: clock.monotonicMs() });
      return new Promise(() => {});
    },
    giveBack: () => Promise.resolve(),
    onCapacity: () => {},
    onDue: () => {},
  });
  let fresh = 0;
  /** An event that goes into its lane right from its accept, each to a destination of its own. */
  const acceptFresh = (): void => {
    fresh += 1;
    const accepted = makeClaimed(`fresh_${fresh}`, `dst_${fresh}`);
    const delivery = { ...accepted, pendingSinceMs: clock.nowMs() - WAIT_MS };
    assert.ok(lanes.reserve(delivery, delivery.body.length));
    lanes.putReserved(delivery);
  };
  const claim = (destinationId: string, count: number): void => {
    for (let n = 1; n <= count; n += 1) lanes.put(makeClaimed(`${destinationId}_${n}`, destinationId));
  };
  /** A second with a fresh event each 10 ms. */
  const passSecond = async (): Promise<void> => {
    for (let n = 0; n < 100; n += 1) {
      acceptFresh();
      await clock.advance(10);
    }
  };
  return { clock, lanes, started, claim, acceptFresh, passSecond };
}

test("fresh events start at once on a slow node while a backlog waits for its turn", async () => {
  const { clock, started, claim, acceptFresh, passSecond } = createSlowNode();
  await passSecond();
  for (let n = 1; n <= 10; n += 1) claim(`dst_late_${n}`, 4);
  const before = started.length;
  acceptFresh();
  assert.equal(started.length, before + 1, "no start of what was claimed came with it");
  await clock.advance(500);
  const claimed = started.filter(({ destinationId }) => destinationId.startsWith("dst_late_"));
  assert.ok(claimed.length >= 9 && claimed.length <= 14, `${claimed.length} of 40 in half a second`);
});

test("a long backlog takes no start from a short one", async () => {
  const { clock, started, claim, passSecond } = createSlowNode();
  await passSecond();
  claim("dst_first", 4);
  claim(BACKLOGGED, 4);
  for (let n = 1; n <= 4; n += 1) claim(`dst_late_${n}`, 1);
  await clock.advance(400);
  const order = started.filter(({ id }) => !id.startsWith("fresh_")).map(({ destinationId }) => destinationId);
  const lates = [1, 2, 3, 4].map((n) => `dst_late_${n}`);
  assert.deepEqual(order.slice(4, 10), [BACKLOGGED, ...lates, BACKLOGGED], "the first four are a bunch");
});

test("a backlog starts at once on a slow node without fresh events, and a second after the last one", async () => {
  const { clock, started, claim, passSecond } = createSlowNode();
  claim(BACKLOGGED, 4);
  assert.equal(started.length, 4);
  await passSecond();
  for (let n = 1; n <= 50; n += 1) claim(`dst_late_${n}`, 4);
  await clock.advance(1_500);
  await settled();
  assert.equal(started.filter(({ destinationId }) => destinationId.startsWith("dst_late_")).length, 200);
});

test("a fresh event does not wait behind a retry to the same destination that has to yield", async () => {
  const { lanes, started, claim, passSecond } = createSlowNode();
  await passSecond();
  for (const n of [1, 2, 3, 4, 5]) claim(`dst_late_${n}`, 1);
  const delivery = makeClaimed("quick", "dst_late_5");
  assert.ok(lanes.reserve(delivery, delivery.body.length));
  lanes.putReserved(delivery);
  assert.equal(started.at(-1)?.id, "quick");
});

test("a claim brings no more than starts soon, and nothing while enough waits", async () => {
  const { clock, lanes, claim, passSecond } = createSlowNode();
  await passSecond();
  const { all } = lanes.capacity();
  assert.ok(all >= 8 && all <= 12, `capacity for ${all}`);
  for (let n = 1; n <= all + 4; n += 1) claim(`dst_late_${n}`, 1);
  assert.equal(lanes.capacity().all, 0, "four have started at once, the others wait");
  await clock.advance(400);
  assert.ok(lanes.capacity().all >= 4);
});
