import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KeyTable } from "./key-table.ts";
import { leastFirst } from "./least-first.ts";

/** Keys that differ in one byte, at both ends and between. */
const toKey = (place: number, value: number): Uint8Array => {
  const key = new Uint8Array(16);
  key[place] = value;
  return key;
};

const toText = (key: Uint8Array): string => Buffer.from(key).toString("hex");

const entriesOf = (table: KeyTable): [key: string, seq: number][] =>
  [...leastFirst(table.listSlots(), (one, other) => table.isBefore(one, other))].map((slot) => [
    toText(table.keyIn(slot)),
    table.seqIn(slot),
  ]);

test("a table has what a map has, whatever came, went and came again, in the order of its keys", () => {
  const key = fc.tuple(fc.nat({ max: 15 }), fc.nat({ max: 255 })).map(([place, value]) => toKey(place, value));
  const step = fc.tuple(key, fc.option(fc.integer({ min: 1 }), { freq: 4 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const [table, map] = [new KeyTable(), new Map<string, number>()];
      for (const [changed, seq] of steps) {
        if (seq === null) table.remove(changed);
        else table.set(changed, seq);
        if (seq === null) map.delete(toText(changed));
        else map.set(toText(changed), seq);
        assert.equal(table.find(changed), seq);
      }
      assert.deepEqual(
        entriesOf(table),
        [...map].toSorted(([one], [other]) => (one < other ? -1 : 1)),
      );
    }),
  );
});

test("a table grows, and finds each of many keys", () => {
  const table = new KeyTable();
  const keys = Array.from({ length: 5_000 }, (_, n) => {
    const key = Buffer.alloc(16, 9);
    key.writeUInt32LE(n, (n % 4) * 4);
    return key;
  });
  for (const [place, key] of keys.entries()) table.set(key, place + 1);
  assert.deepEqual(
    keys.map((key) => table.find(key)),
    keys.map((_, place) => place + 1),
  );
  assert.equal(table.find(Buffer.alloc(16, 8)), null);
});
