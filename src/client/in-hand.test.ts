import assert from "node:assert/strict";
import { test } from "node:test";
import { createInHand } from "./in-hand.ts";

const HOLD_MS = 60_000;
const number = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `dlv_${n}` }));

/** Handles what it is given, in an invented time each. */
function start(options: { readonly limit?: number; readonly eachMs?: number } = {}) {
  let nowMs = 0;
  const seen: string[] = [];
  const inHand = createInHand<{ readonly id: string }>({ limit: options.limit, holdMs: HOLD_MS, nowMs: () => nowMs });
  const handle = (fails: readonly string[]) => (message: { readonly id: string }) => {
    nowMs += options.eachMs ?? 1;
    seen.push(message.id);
    return Promise.resolve(!fails.includes(message.id));
  };
  return {
    seen,
    limit: inHand.limit,
    deal: (messages: readonly { readonly id: string }[], fails: readonly string[] = []) =>
      inHand.handleAll(messages, handle(fails)),
  };
}

test("more are asked for while they are handled soon, and one after a failure", async () => {
  const { deal, limit } = start();
  const limits = [limit()];
  for (let n = 0; n < 9; n += 1) {
    assert.equal(await deal(number(limit())), true);
    limits.push(limit());
  }
  assert.deepEqual(limits, [1, 2, 4, 8, 16, 32, 64, 100, 100, 100]);
  assert.equal(await deal(number(3), ["dlv_1"]), false);
  assert.equal(limit(), 1);
});

test("what was handled before one failed is not handled again when it comes again", async () => {
  const { deal, seen } = start();
  assert.equal(await deal(number(4), ["dlv_2"]), false);
  assert.deepEqual(seen, ["dlv_0", "dlv_1", "dlv_2"]);
  assert.equal(await deal(number(4)), true);
  assert.deepEqual(seen.slice(3), ["dlv_2", "dlv_3"]);
  // It has been acknowledged: when somebody sends it again it is meant.
  assert.equal(await deal(number(1)), true);
  assert.deepEqual(seen.slice(5), ["dlv_0"]);
});

test("slow ones are asked for one by one, and what would outlast its time is given back before", async () => {
  const { deal, limit, seen } = start({ eachMs: 10_000 });
  assert.equal(await deal(number(1)), true);
  assert.equal(limit(), 1);
  assert.equal(await deal(number(6)), false, "40 of 60 s are over");
  assert.equal(seen.length, 1 + 4);
  assert.equal(await deal(number(6)), true);
  assert.equal(seen.length, 1 + 6);
});

test("a number that is given stays", async () => {
  const { deal, limit } = start({ limit: 7 });
  await deal(number(7));
  await deal(number(7), ["dlv_0"]);
  assert.equal(limit(), 7);
});
