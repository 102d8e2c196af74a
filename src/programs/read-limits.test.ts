/** What reads of programs leave to everything else, and to each other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ok } from "../lib/result.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { createReadLimits } from "./read-limits.ts";

/** `begun`: each read by its name, and when it began after the first. */
function makeReads() {
  const clock = createVirtualClock();
  const { inTurn } = createReadLimits(clock);
  const begun: (readonly [string, number])[] = [];
  return {
    clock,
    begun,
    read: async (accountId: string | null, name: string, ms: number) =>
      await inTurn(accountId, async () => {
        begun.push([name, clock.monotonicMs()]);
        await new Promise<void>((resolve) => void clock.after(ms, resolve));
        return ok(name);
      }),
  };
}

test("two accounts read at once, and each one read after another", async () => {
  const { clock, begun, read } = makeReads();
  for (const account of ["a", "b", "c"]) for (const number of [1, 2]) void read(account, `${account}${number}`, 20);
  await clock.advance(120);
  assert.deepEqual(begun, [
    ["a1", 0],
    ["b1", 0],
    ["a2", 20],
    ["b2", 20],
    ["c1", 40],
    ["c2", 60],
  ]);
});

test("an account's read waits for what runs and one read of each other account, however many those have", async () => {
  const { clock, begun, read } = makeReads();
  for (const name of ["a1", "a2", "a3", "a4"]) void read("acme", name, 5);
  for (const name of ["all1", "all2"]) void read(null, name, 5);
  void read("beta", "b1", 5);
  await clock.advance(100);
  assert.deepEqual(
    begun.map(([name]) => name),
    ["a1", "all1", "a2", "all2", "b1", "a3", "a4"],
  );
});

test("an account whose reads fill its own queue is refused, and no other", async () => {
  const { clock, read } = makeReads();
  const asked = Array.from({ length: 30 }, () => read("acme", "a", 5));
  const other = read("beta", "b", 5);
  await clock.advance(1_000);
  const answers = await Promise.all(asked);
  assert.equal(answers.filter((answer) => answer.ok).length, 1 + 25);
  assert.ok(answers.every((answer) => answer.ok || answer.error.code === "too_many_reads"));
  assert.deepEqual(await other, ok("b"));
});

test("a read that fails ends its turn", async () => {
  const { inTurn } = createReadLimits(createVirtualClock());
  await assert.rejects(
    inTurn("acme", () => Promise.reject(new Error("away"))),
    /away/,
  );
  assert.deepEqual(await inTurn("acme", () => Promise.resolve(ok(1))), ok(1));
});
