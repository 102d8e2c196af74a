import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { secondsMs } from "../../lib/duration.ts";
import { BacklogPace, computeYieldingCapacity, nextLimit } from "./backlog-pace.ts";

const BUSY = 0.9;
const IDLE = 0.1;
/** The starts a second that a backlog always gets. */
const FLOOR = 20;

const perSecond = fc.integer({ min: 0, max: 5_000 });
const aWindow = fc.record({
  limit: fc.oneof(fc.constant(Infinity), fc.integer({ min: FLOOR, max: 20_000 })),
  busy: fc.double({ min: 0, max: 1, noNaN: true }),
  hasFresh: fc.boolean(),
  fresh: perSecond,
  joined: perSecond,
  started: perSecond,
});

test("a backlog has no limit while nothing fresh comes in, however busy the node is", () => {
  fc.assert(fc.property(aWindow, (seen) => nextLimit({ ...seen, hasFresh: false }) === Infinity));
});

test("a backlog is never starved, and drains faster than it fills", () => {
  fc.assert(
    fc.property(aWindow, (seen) => {
      const limit = nextLimit(seen);
      return limit >= FLOOR && limit > seen.joined && limit >= seen.fresh / 5;
    }),
  );
});

test("a busy node lets a backlog start no more than before, down to the floor; a free one no less", () => {
  fc.assert(
    fc.property(aWindow, (seen) => {
      const floor = Math.max(FLOOR, seen.fresh / 5, seen.joined * 1.25);
      const [busy, free] = [BUSY, IDLE].map((share) => nextLimit({ ...seen, hasFresh: true, busy: share }));
      assert.ok((busy ?? Infinity) <= Math.max(floor, Math.min(seen.limit, seen.started)) + 1e-6);
      assert.ok((free ?? 0) >= seen.limit);
    }),
  );
});

/** A pace on a clock and a node that the test sets, with a backlog that takes each start it gets. */
function createPaced() {
  const node = { busy: IDLE };
  let nowMs = 0;
  const pace = new BacklogPace(() => node.busy);
  /** The starts of that time, with `fresh` events a second beside them. */
  const run = (seconds: number, { fresh, wanted }: { fresh: number; wanted: number }): number => {
    let started = 0;
    let owed = 0;
    for (const untilMs = nowMs + secondsMs(seconds); nowMs < untilMs; nowMs += 1) {
      owed += fresh / 1_000;
      for (; owed >= 1; owed -= 1) pace.noteFresh(nowMs);
      for (let left = wanted / 1_000; left > 0 && pace.take(nowMs) === 0; left -= 1) started += 1;
    }
    return started / seconds;
  };
  return { node, run };
}

test("a backlog goes at full speed beside fresh events while the node has time for both", () => {
  const { run } = createPaced();
  assert.equal(run(5, { fresh: 500, wanted: 1_000 }), 1_000);
});

test("a backlog on a busy node falls to a share of the fresh events in seconds, and is back in seconds", () => {
  const { node, run } = createPaced();
  run(2, { fresh: 500, wanted: 1_000 });
  node.busy = BUSY;
  run(5, { fresh: 500, wanted: 1_000 });
  const yielded = run(5, { fresh: 500, wanted: 1_000 });
  assert.ok(yielded >= 99 && yielded <= 108, `${yielded} starts a second beside 500`);
  node.busy = IDLE;
  run(10, { fresh: 500, wanted: 1_000 });
  assert.ok(run(5, { fresh: 500, wanted: 1_000 }) > 950);
});

test("a backlog that yielded is at full speed a second after the last fresh event", () => {
  const { node, run } = createPaced();
  node.busy = BUSY;
  run(5, { fresh: 500, wanted: 1_000 });
  run(1.5, { fresh: 0, wanted: 1_000 });
  assert.equal(run(1, { fresh: 0, wanted: 1_000 }), 1_000);
});

test("what is claimed ahead of a limit starts within half a second, a few at a time", () => {
  fc.assert(
    fc.property(fc.integer({ min: FLOOR, max: 20_000 }), fc.nat(20_000), (limit, waiting) => {
      const capacity = computeYieldingCapacity(limit, waiting);
      const ahead = Math.max(8, Math.ceil(limit / 2));
      return (
        capacity >= 0 &&
        capacity <= 48 &&
        (capacity === 0 || waiting + capacity <= ahead) &&
        (waiting * 2 > ahead || capacity > 0)
      );
    }),
  );
});

test("starts are spread: after a pause no more than four come at once", () => {
  const { node, run } = createPaced();
  node.busy = BUSY;
  run(5, { fresh: 500, wanted: 1_000 });
  assert.ok(run(0.001, { fresh: 500, wanted: 1_000_000 }) * 0.001 <= 4);
});
