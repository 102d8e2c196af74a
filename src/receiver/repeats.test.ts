/** The memory of handled webhooks: its states, its bound, and how long it remembers. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type MemoryRepeatsOptions, createMemoryRepeats } from "./repeats.ts";

function memory(options: MemoryRepeatsOptions = {}) {
  const time = { nowMs: 0 };
  return { time, repeats: createMemoryRepeats({ nowMs: () => time.nowMs, ...options }) };
}

describe("repeats in memory", () => {
  test("an id is new once, running until it is finished, then done", () => {
    const { repeats } = memory();
    assert.equal(repeats.begin("a"), "new");
    assert.equal(repeats.begin("a"), "running");
    void repeats.finish("a");
    assert.equal(repeats.begin("a"), "done");
    assert.equal(repeats.begin("b"), "new");
  });

  test("a forgotten id is new again", () => {
    const { repeats } = memory();
    void repeats.begin("a");
    void repeats.forget("a");
    assert.equal(repeats.begin("a"), "new");
  });

  test("remembers through every attempt of a delivery, then forgets", () => {
    const { repeats, time } = memory();
    void repeats.begin("a");
    void repeats.finish("a");
    time.nowMs = 4 * 86_400_000;
    assert.equal(repeats.begin("a"), "done");
    time.nowMs += 1;
    assert.equal(repeats.begin("a"), "new");
  });

  test("a handler that never came back releases its id", () => {
    const { repeats, time } = memory({ runMs: 1_000 });
    void repeats.begin("a");
    time.nowMs = 1_000;
    assert.equal(repeats.begin("a"), "running");
    time.nowMs = 1_001;
    assert.equal(repeats.begin("a"), "new");
  });

  test("keeps the youngest when it is full", () => {
    const { repeats } = memory({ idsMax: 2 });
    for (const id of ["a", "b", "c"]) {
      void repeats.begin(id);
      void repeats.finish(id);
    }
    assert.deepEqual([repeats.begin("b"), repeats.begin("c"), repeats.begin("a")], ["done", "done", "new"]);
  });
});
