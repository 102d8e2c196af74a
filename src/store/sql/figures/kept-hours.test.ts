import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttemptCount } from "../../contract/log.ts";
import { HOUR_MS, KeptHours } from "./kept-hours.ts";

const count = (atMs: number, of: number): AttemptCount => ({
  destinationId: "dst_1",
  atMs,
  kind: "attempt",
  result: "delivered",
  code: "",
  bin: 0,
  count: of,
});

/** What the account's bars of two hours are, and which of them were read. */
async function findTwo(kept: KeptHours, counts: readonly [number, number]) {
  const hours = [0, HOUR_MS];
  const all = hours.map((atMs, place) => count(atMs, counts[place] ?? 0));
  const reads: number[] = [];
  const found = await kept.findOrRead(hours, {
    accountId: "acc_1",
    sums: all,
    read(changed) {
      reads.push(...changed);
      return all.filter(({ atMs }) => changed.includes(atMs));
    },
  });
  assert.deepEqual(found, all);
  return reads;
}

test("hours are read when their sum has changed, and else come from memory", async () => {
  const kept = new KeptHours();
  assert.deepEqual(await findTwo(kept, [3, 4]), [0, HOUR_MS]);
  assert.deepEqual(await findTwo(kept, [3, 4]), []);
  assert.deepEqual(await findTwo(kept, [3, 5]), [HOUR_MS]);
});

test("an hour that is known is not lost where what is kept becomes too much meanwhile", async () => {
  const kept = new KeptHours();
  await findTwo(kept, [3, 4]);
  kept.keep(
    "acc_2",
    0,
    Array.from({ length: 199_998 }, () => count(0, 1)),
  );
  assert.deepEqual(await findTwo(kept, [3, 5]), [HOUR_MS]);
});

test("hours of days ago are forgotten, so that what is kept does not grow with the days", async () => {
  const kept = new KeptHours();
  const days = 40;
  for (let day = 0; day < days; day += 1) {
    const atMs = day * 24 * HOUR_MS;
    const results = Array.from({ length: 10_000 }, () => count(atMs, 1));
    const sums = [{ atMs, count: results.length }];
    await kept.findOrRead([atMs], { accountId: "acc_1", sums, read: () => results });
    assert.ok(day === 0 || kept.find("acc_1", atMs - 24 * HOUR_MS) !== null);
    assert.equal(kept.find("acc_1", atMs - 48 * HOUR_MS), null);
  }
});
