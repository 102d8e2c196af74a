/** Slots shared out between owners: their order, and that no owner's queue delays another's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { settled } from "../../test/kit/world/virtual-clock.ts";
import { createSlots } from "./slots.ts";

function rig(inFlightMax: number, perOwnerMax: number) {
  const slots = createSlots({ inFlightMax, perOwnerMax });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    slots,
    started,
    want(owner: string, ...names: string[]) {
      for (const name of names) {
        slots.enqueue(owner, () => {
          const { promise, resolve } = Promise.withResolvers<void>();
          started.push(name);
          ends.set(name, resolve);
          return promise;
        });
      }
    },
    async end(name: string) {
      ends.get(name)?.();
      await settled();
    },
  };
}

test("starts as many as there are slots, and the next when one is free", async () => {
  const { want, started, end, slots } = rig(2, 2);
  want("a", "a1", "a2", "a3");
  assert.deepEqual(started, ["a1", "a2"]);
  assert.deepEqual([slots.inFlight(), slots.waiting(), slots.waiting("a"), slots.waiting("b")], [2, 1, 1, 0]);
  await end("a1");
  assert.deepEqual(started, ["a1", "a2", "a3"]);
});

test("keeps an owner to its share, however many slots are free", () => {
  const { want, started } = rig(10, 2);
  want("a", "a1", "a2", "a3");
  want("b", "b1");
  assert.deepEqual(started, ["a1", "a2", "b1"]);
});

test("lets owners take turns for the slots that become free", async () => {
  const { want, started, end } = rig(2, 2);
  want("a", "a1", "a2", "a3", "a4");
  want("b", "b1", "b2");
  await end("a1");
  await end("a2");
  await end("b1");
  await end("a3");
  assert.deepEqual(started, ["a1", "a2", "a3", "b1", "a4", "b2"]);
});

test("passes over what has nothing left to do without spending a slot", () => {
  const { want, started, slots } = rig(1, 1);
  slots.enqueue("a", () => null);
  want("a", "a1");
  assert.deepEqual(started, ["a1"]);
});

test("runs everything, forgets its owners, and never breaks its limits", async () => {
  const queue = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 40 });
  const property = fc.asyncProperty(
    queue,
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 5 }),
    async (wanted, all, each) => {
      const slots = createSlots({ inFlightMax: all, perOwnerMax: each });
      const inFlight = new Map<string, number>();
      let ran = 0;
      for (const owner of wanted) {
        slots.enqueue(owner, async () => {
          inFlight.set(owner, (inFlight.get(owner) ?? 0) + 1);
          assert.ok((inFlight.get(owner) ?? 0) <= each && slots.inFlight() <= all);
          await settled();
          inFlight.set(owner, (inFlight.get(owner) ?? 0) - 1);
          ran += 1;
        });
      }
      while (slots.inFlight() > 0) await settled();
      assert.deepEqual([ran, slots.inFlight(), slots.waiting()], [wanted.length, 0, 0]);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});
