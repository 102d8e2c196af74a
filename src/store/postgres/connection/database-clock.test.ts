import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock, START_MS } from "../../../../test/kit/world/virtual-clock.ts";
import { createDatabaseClock } from "./database-clock.ts";

const aheadBy = (own: { nowMs(): number }, ms: number) => () => Promise.resolve(own.nowMs() + ms);

test("it is the node's own until it is measured, then the database's", async () => {
  const own = createVirtualClock();
  const { clock, measure } = createDatabaseClock(own);
  assert.equal(clock.nowMs(), START_MS);
  await measure(aheadBy(own, 90_000));
  assert.equal(clock.nowMs(), START_MS + 90_000);
  await own.advance(1_000);
  assert.equal(clock.nowMs(), START_MS + 91_000);
});

test("differences that the round trip can explain do not move it", async () => {
  const own = createVirtualClock();
  const { clock, measure } = createDatabaseClock(own);
  await measure(aheadBy(own, 4));
  assert.equal(clock.nowMs(), START_MS);
  const slowly = async () => {
    await own.advance(400);
    return own.nowMs() + 100;
  };
  await measure(slowly);
  assert.equal(clock.nowMs(), START_MS + 400, "an answer after 400 ms says nothing about 100");
});

test("a node's clock that is set between two measures changes nothing", async () => {
  const own = createVirtualClock();
  let aheadMs = 0;
  const { clock, measure } = createDatabaseClock({ ...own, nowMs: () => own.nowMs() + aheadMs });
  await measure(aheadBy(own, 90_000));
  for (aheadMs of [3_600_000, -3_600_000]) assert.equal(clock.nowMs(), START_MS + 90_000);
});

test("it is measured every ten seconds, and a database that is away changes nothing", async () => {
  const own = createVirtualClock();
  const { clock, measure, follow } = createDatabaseClock(own);
  let answer: () => Promise<number> = aheadBy(own, 60_000);
  await measure(answer);
  const following = follow(() => answer());
  answer = () => Promise.reject(new Error("gone"));
  await own.advance(10_000);
  assert.equal(clock.nowMs() - own.nowMs(), 60_000);
  answer = aheadBy(own, -30_000);
  await own.advance(10_000);
  assert.equal(clock.nowMs() - own.nowMs(), -30_000);
  following[Symbol.dispose]();
  assert.equal(own.pending(), 0);
});
