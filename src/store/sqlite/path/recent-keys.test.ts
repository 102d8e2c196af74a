import assert from "node:assert/strict";
import { test } from "node:test";
import { type EventKey, RecentKeys } from "./recent-keys.ts";

/** Key `n`, whose source begins with that byte. */
function toKey(n: number, accountId = "acc_1"): EventKey {
  const source = Uint8Array.from({ length: 16 }, (_, place) => (place === 0 ? n : 7));
  return { accountId, type: "demo_viewed", source };
}

/** Its event is the next number. */
const add = (keys: RecentKeys, key: EventKey): void => keys.add(key, (key.source[0] ?? 0) + 1);

function addAll(keys: RecentKeys, added: readonly EventKey[]): void {
  keys.begin();
  for (const key of added) add(keys, key);
  keys.commit();
}

function takeAll(keys: RecentKeys, count: number): number[] {
  const taken = keys.take(count).map(({ seq }) => seq);
  keys.commit();
  return taken;
}

test("a full generation is merged by account and source, whatever the order in which its keys came", () => {
  const keys = new RecentKeys(4);
  addAll(keys, [toKey(200), toKey(3, "acc_2"), toKey(9), toKey(100)]);
  assert.deepEqual(takeAll(keys, 3), [10, 101, 201]);
  assert.deepEqual(takeAll(keys, 3), [4]);
  assert.deepEqual(takeAll(keys, 3), []);
});

test("a key is known while it is young, while it is merged, and for the transaction that brings it", () => {
  const keys = new RecentKeys(2);
  keys.begin();
  add(keys, toKey(1));
  assert.equal(keys.findSeq(toKey(1)), 2);
  keys.commit();
  assert.equal(keys.findSeq(toKey(1)), 2);
  addAll(keys, [toKey(2)]);
  assert.deepEqual([keys.findSeq(toKey(1)), keys.findSeq(toKey(3))], [2, null]);
  assert.equal(keys.findSeq(toKey(1, "acc_2")), null, "another account's");
});

test("what a transaction that was rolled back has brought or taken is forgotten", () => {
  const keys = new RecentKeys(2);
  keys.begin();
  add(keys, toKey(1));
  keys.begin();
  assert.equal(keys.findSeq(toKey(1)), null);
  addAll(keys, [toKey(5), toKey(6)]);
  assert.equal(keys.take(2).length, 2);
  keys.begin();
  assert.deepEqual(takeAll(keys, 2), [6, 7]);
});

test("the transaction that takes a generation's last key learns up to which event all are merged", () => {
  const keys = new RecentKeys(2);
  addAll(keys, [toKey(5), toKey(6)]);
  addAll(keys, [toKey(8)]);
  keys.take(1);
  assert.equal(keys.findMergedTo(), null);
  keys.take(1);
  assert.equal(keys.findMergedTo(), 8);
  keys.commit();
  assert.equal(keys.findSeq(toKey(5)), null, "the table has it now");
  assert.deepEqual(
    [...keys.all()].map(({ seq }) => seq),
    [9],
  );
});

test("a large generation is taken by the first byte, and each part sorted when it comes", () => {
  const keys = new RecentKeys(3_000);
  const added = Array.from({ length: 3_000 }, (_, n) => {
    const source = Uint8Array.from(
      { length: 16 },
      (_byte, place) => (place < 2 ? (n * 7_919) >> (place * 8) : n) & 255,
    );
    return { accountId: "acc_1", type: "demo_viewed", source };
  });
  addAll(keys, added);
  const taken = keys.take(3_000).map(({ source }) => Buffer.from(source).toString("hex"));
  assert.deepEqual(taken, taken.toSorted());
  assert.equal(new Set(taken).size, 3_000);
});
