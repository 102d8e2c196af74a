import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createVirtualClock, settled } from "../../test/kit/world/virtual-clock.ts";
import { Admission } from "./admission.ts";
import { isCrowded, newLane, type Lane } from "./lanes/lane.ts";

/** A full node, with lanes that are crowded by name. */
function createNode() {
  const clock = createVirtualClock();
  const crowded = new Set<string>();
  const admission = new Admission({
    clock,
    isCrowded: (id) => crowded.has(id),
    loopWork: () => 1,
  });
  const entered: string[] = [];
  const enter = (name: string, ...destinationIds: string[]): void =>
    void Promise.resolve(admission.enter(destinationIds)).then(() => entered.push(name));
  return { clock, crowded, admission, entered, enter };
}

test("a call goes on at once when none of its lanes is crowded", async () => {
  const { crowded, entered, enter, admission } = createNode();
  crowded.add("dst_a");
  enter("one", "dst_b", "dst_c");
  await settled();
  assert.deepEqual(entered, ["one"]);
  assert.equal(admission.isWaitedFor(), false);
});

test("calls that wait for a lane go on one for each place, in their order", async () => {
  const { crowded, entered, enter, admission } = createNode();
  crowded.add("dst_a");
  for (const name of ["one", "two", "three"]) enter(name, "dst_b", "dst_a");
  admission.noteCapacity("dst_a");
  await settled();
  assert.deepEqual(entered, [], "it is crowded still");
  assert.equal(admission.isWaitedFor(), true);
  crowded.delete("dst_a");
  admission.noteCapacity("dst_a");
  await settled();
  assert.deepEqual(entered, ["one"]);
  admission.noteCapacity("dst_b");
  admission.noteCapacity("dst_a");
  await settled();
  assert.deepEqual(entered, ["one", "two"]);
});

test("a call waits for each of its lanes, and never longer than a quarter of a second in all", async () => {
  const { clock, crowded, entered, enter, admission } = createNode();
  crowded.add("dst_a").add("dst_b");
  enter("one", "dst_a", "dst_b");
  await clock.advance(200);
  crowded.delete("dst_a");
  admission.noteCapacity("dst_a");
  await clock.advance(49);
  assert.deepEqual(entered, []);
  await clock.advance(1);
  assert.deepEqual(entered, ["one"]);
  assert.deepEqual([admission.isWaitedFor(), clock.pending()], [false, 0]);
});

describe("a lane is crowded", () => {
  const GROWN = { limit: 16, good: 0 };
  const unused = newLane({ accountId: "acc_a", destinationId: "dst_a" });
  const laneOf = (parts: Partial<Lane>): Lane => ({ ...unused, limit: GROWN, ...parts });

  test("when it has a short backlog and its receiver answers well", () => {
    assert.equal(isCrowded(laneOf({ hasBacklog: true, backlog: 10 }), 100), true);
    assert.equal(isCrowded(laneOf({ hasBacklog: true, backlog: 50_000 }), 100), false, "that one is not gone soon");
    const slow = laneOf({ hasBacklog: true, backlog: 10, limit: unused.limit });
    assert.equal(isCrowded(slow, 100), false, "its receiver is slow, broken or not known yet");
  });

  test("when it is full of what has just been accepted", () => {
    assert.equal(isCrowded(laneOf({ reserved: 80 }), 100), true);
    assert.equal(isCrowded(laneOf({ reserved: 79 }), 100), false);
    assert.equal(isCrowded(laneOf({ reserved: 5 }), 5), true, "the node itself is full");
  });
});
