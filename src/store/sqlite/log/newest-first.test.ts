import assert from "node:assert/strict";
import { test } from "node:test";
import { findNewest, type Ordered, type ReadList } from "./newest-first.ts";

const row = (createdAtMs: number, id: string): Ordered => ({ createdAtMs, id });

const isBehind = (one: Ordered, other: Ordered): boolean =>
  one.createdAtMs < other.createdAtMs || (one.createdAtMs === other.createdAtMs && one.id < other.id);

/** A list that notes how many rows were read of it. */
function makeList(rows: readonly Ordered[]): { readonly read: ReadList<Ordered>; rowsRead: number } {
  const list = {
    rowsRead: 0,
    read: (before: Ordered | null, limit: number) => {
      const behind = rows.filter((each) => before === null || isBehind(each, before)).slice(0, limit);
      list.rowsRead += behind.length;
      return behind;
    },
  };
  return list;
}

test("lists are joined by time, and by id within a millisecond", () => {
  const lists = [makeList([row(5, "a"), row(3, "b")]), makeList([row(5, "c"), row(4, "a")]), makeList([])];
  const joined = findNewest(
    lists.map(({ read }) => read),
    9,
  );
  assert.deepEqual(joined, [row(5, "c"), row(5, "a"), row(4, "a"), row(3, "b")]);
});

test("however the rows lie, the page is the newest of all", () => {
  for (const count of [1, 2, 3, 5, 8, 13, 40]) {
    for (const lists of [1, 2, 7]) {
      const all = Array.from({ length: 40 }, (_, n) => row(Math.floor((n * 7) / 3) % 11, `id ${n}`));
      const sorted = all.toSorted((one, other) => (isBehind(one, other) ? 1 : -1));
      const parts = Array.from({ length: lists }, (_, list) =>
        makeList(sorted.filter(({ id }) => Number(id.slice(3)) % lists === list)),
      );
      const joined = findNewest(
        parts.map(({ read }) => read),
        count,
      );
      assert.deepEqual(joined, sorted.slice(0, count));
    }
  }
});

test("of many lists only a few rows each are read, and of one no more than the page", () => {
  const long = (list: number) => makeList(Array.from({ length: 99 }, (_, n) => row(99 - n, `${list}`)));
  const many = Array.from({ length: 50 }, (_, list) => long(list));
  findNewest(
    many.map(({ read }) => read),
    51,
  );
  assert.ok(many.reduce((sum, { rowsRead }) => sum + rowsRead, 0) <= 50 * 6);
  const one = long(0);
  findNewest([one.read], 51);
  assert.equal(one.rowsRead, 51);
});

test("no lists, no rows", () => assert.deepEqual(findNewest([], 9), []));
