import assert from "node:assert/strict";
import { test } from "node:test";
import { HANDED_OUT_MAX } from "../domain/pull.ts";
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
    pass: (ms: number) => (nowMs += ms),
    limit: inHand.limit,
    /** The acknowledgement gets no answer. */
    dealUnconfirmed: (messages: readonly { readonly id: string }[]) => inHand.handleAll(messages, handle([])),
    async deal(messages: readonly { readonly id: string }[], fails: readonly string[] = []) {
      const isHandled = await inHand.handleAll(messages, handle(fails));
      if (isHandled) inHand.forgetLast();
      return isHandled;
    },
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
  const { deal, dealUnconfirmed, seen } = start();
  assert.equal(await deal(number(4), ["dlv_2"]), false);
  assert.deepEqual(seen, ["dlv_0", "dlv_1", "dlv_2"]);
  assert.equal(await dealUnconfirmed(number(4)), true);
  assert.deepEqual(seen.slice(3), ["dlv_2", "dlv_3"]);
  // The acknowledgement has not arrived in time.
  assert.equal(await deal(number(4)), true);
  assert.deepEqual(seen.slice(5), []);
  // It has been acknowledged: when somebody sends it again it is meant.
  assert.equal(await deal(number(1)), true);
  assert.deepEqual(seen.slice(5), ["dlv_0"]);
});

test("what nobody has confirmed for an hour is handled when it comes again", async () => {
  const { dealUnconfirmed, seen, pass } = start();
  await dealUnconfirmed(number(2));
  pass(30 * 60_000);
  await dealUnconfirmed(number(2));
  assert.equal(seen.length, 2);
  pass(31 * 60_000);
  await dealUnconfirmed(number(2));
  assert.equal(seen.length, 4);
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

test("a number that is given is the most", async () => {
  const { deal, limit } = start({ limit: 3 });
  const limits = [limit()];
  for (let n = 0; n < 3; n += 1) {
    await deal(number(limit()));
    limits.push(limit());
  }
  assert.deepEqual(limits, [1, 2, 3, 3]);
  await deal(number(3), ["dlv_0"]);
  assert.equal(limit(), 1);
});

/** As the service hands out, oldest first, until each is acknowledged or has come ten times. */
async function runOut({ limit, fails }: { readonly limit: number; readonly fails: readonly string[] }) {
  const { deal, seen, limit: ask } = start({ limit });
  let waiting = number(limit + 1).map(({ id }) => ({ id, times: 0 }));
  const failed: string[] = [];
  while (waiting.length > 0) {
    const messages = waiting.slice(0, ask());
    const rest = waiting.slice(messages.length);
    if (await deal(messages, fails)) {
      waiting = rest;
      continue;
    }
    const counted = messages.map(({ id, times }) => ({ id, times: times + 1 }));
    failed.push(...counted.filter(({ times }) => times === HANDED_OUT_MAX).map(({ id }) => id));
    waiting = [...counted.filter(({ times }) => times < HANDED_OUT_MAX), ...rest];
  }
  return { failed, seen: new Set(seen) };
}

test("messages that always fail take no other with them, wherever they stand", async () => {
  const numbers = Array.from({ length: 101 }, (_, n) => n);
  const wherever = [
    ...numbers.map((n) => [n]),
    ...numbers.map((n) => [n, n + 1, n + 2, n + 5]),
    numbers.filter((n) => n % 2 === 0),
    numbers.slice(1),
  ];
  for (const places of wherever) {
    const fails = places.map((n) => `dlv_${n}`);
    const { failed, seen } = await runOut({ limit: 100, fails });
    assert.equal(seen.size, 101);
    assert.deepEqual(
      failed,
      fails.filter((id) => seen.has(id)),
    );
  }
  const { seen } = await runOut({ limit: 500, fails: numbers.map((n) => `dlv_${n * 5}`) });
  assert.equal(seen.size, 501);
});
