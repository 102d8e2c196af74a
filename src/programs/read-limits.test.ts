/** What reads of programs leave to everything else, and to each other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ok } from "../lib/result.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { createReadLimits } from "./read-limits.ts";

/** `begun`: each read by its name, and when it began after the first. */
function makeReads({ isOneThread = true } = {}) {
  const clock = createVirtualClock();
  const { inTurn } = createReadLimits({ clock, isOneThread });
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

test("reads take turns, and a dear one is followed by a rest as long as its excess", async () => {
  const { clock, begun, read } = makeReads();
  const asked = [read("acme", "dear", 20), read("acme", "usual", 5), read("acme", "last", 1)];
  await clock.advance(120);
  assert.deepEqual(begun, [
    ["dear", 0],
    ["usual", 20 + 15],
    ["last", 20 + 15 + 5],
  ]);
  assert.deepEqual(await Promise.all(asked), [ok("dear"), ok("usual"), ok("last")]);
});

test("a read that took a minute is followed by a rest of two seconds", async () => {
  const { clock, begun, read } = makeReads();
  void read("acme", "dearest", 60_000);
  void read("acme", "next", 1);
  await clock.advance(200_000);
  assert.deepEqual(begun, [
    ["dearest", 0],
    ["next", 62_000],
  ]);
});

test("a server reads for two accounts at once, and rests from none", async () => {
  const { clock, begun, read } = makeReads({ isOneThread: false });
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
    ["a1", "a2", "all1", "b1", "a3", "all2", "a4"],
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
  const { inTurn } = createReadLimits({ clock: createVirtualClock(), isOneThread: true });
  await assert.rejects(
    inTurn("acme", () => Promise.reject(new Error("away"))),
    /away/,
  );
  assert.deepEqual(await inTurn("acme", () => Promise.resolve(ok(1))), ok(1));
});
