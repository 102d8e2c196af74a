import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { secondsMs } from "../../lib/duration.ts";
import { BacklogPace, computeFloor, computeYieldingCapacity, nextLimit, nextUsualMs } from "./backlog-pace.ts";

/** The starts a second that a backlog always gets. */
const FLOOR = 20;
const USUAL_MS = 4;

const perSecond = fc.integer({ min: 0, max: 5_000 });
const waitMs = fc.double({ min: 0, max: 1_000, noNaN: true });
const aWindow = fc
  .record({
    limit: fc.oneof(fc.constant(Infinity), fc.integer({ min: FLOOR, max: 20_000 })),
    hasFresh: fc.boolean(),
    waitMs,
    usualMs: fc.double({ min: 1, max: 100, noNaN: true }),
    fresh: perSecond,
    joined: perSecond,
    started: perSecond,
  })
  .map((seen) => ({ ...seen, floor: computeFloor(seen.fresh, seen.joined) }));

test("a backlog has no limit while nothing fresh comes in, however long the last ones waited", () => {
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

test("a backlog starts no more than before where fresh events wait too long, down to the floor; else no less", () => {
  fc.assert(
    fc.property(aWindow, (seen) => {
      const [late, early] = [seen.usualMs * 1.6, seen.usualMs].map((ms) =>
        nextLimit({ ...seen, hasFresh: true, waitMs: ms }),
      );
      assert.ok((late ?? Infinity) <= Math.max(seen.floor, seen.limit));
      assert.ok((late ?? Infinity) <= Math.max(seen.floor, seen.started * 2));
      assert.ok((early ?? 0) >= seen.limit);
    }),
  );
});

test("what is usual moves towards the latest wait, and is never below a millisecond", () => {
  fc.assert(
    fc.property(aWindow, (seen) => {
      const usualMs = nextUsualMs(seen);
      return usualMs >= 1 && (seen.waitMs < seen.usualMs ? usualMs <= seen.usualMs : usualMs > seen.usualMs);
    }),
  );
});

/** A pace on a clock and a node that the test sets, with a backlog that takes each start it gets. */
function createPaced() {
  let nowMs = 0;
  const pace = new BacklogPace();
  /** How long a fresh event waits beside so many starts a second. */
  const node = { waitMs: (_started: number): number => USUAL_MS };
  const second: number[] = [];
  /** The starts a second of that time, with `fresh` events a second beside them. */
  const run = (seconds: number, { fresh, wanted }: { fresh: number; wanted: number }): number => {
    let started = 0;
    let owed = 0;
    for (const untilMs = nowMs + secondsMs(seconds); nowMs < untilMs; nowMs += 1) {
      owed += fresh / 1_000;
      for (; owed >= 1; owed -= 1) pace.noteFresh(nowMs, node.waitMs(second.length * 10));
      for (let left = wanted / 1_000; left > 0 && pace.take(nowMs) === 0; left -= 1) {
        started += 1;
        second.push(nowMs);
      }
      while ((second[0] ?? Infinity) < nowMs - 100) second.shift();
    }
    return started / seconds;
  };
  /** Fresh events alone, until their wait is usual. */
  const learn = (): void => void run(10, { fresh: 500, wanted: 0 });
  return { node, run, learn };
}

test("a backlog goes at nine tenths of full speed beside fresh events that do not notice it", () => {
  const { run, learn } = createPaced();
  learn();
  run(5, { fresh: 500, wanted: 3_000 });
  const drained = run(10, { fresh: 500, wanted: 3_000 });
  assert.ok(drained >= 2_650 && drained <= 2_750, `${drained} starts a second`);
});

test("a backlog goes as fast as fresh events let it: where they wait half as long again as usual", () => {
  const { node, run, learn } = createPaced();
  learn();
  node.waitMs = (started) => USUAL_MS * (1 + started / 4_000);
  run(5, { fresh: 500, wanted: 10_000 });
  const drained = run(10, { fresh: 500, wanted: 10_000 });
  assert.ok(drained >= 1_500 && drained <= 2_500, `${drained} starts a second, where 2,000 are allowed`);
});

test("a stall of a tenth of the time that the backlog did not make costs it little", () => {
  const { node, run, learn } = createPaced();
  learn();
  let count = 0;
  node.waitMs = () => ((count += 1) % 500 < 50 ? 40 : USUAL_MS);
  run(5, { fresh: 500, wanted: 3_000 });
  const drained = run(10, { fresh: 500, wanted: 3_000 });
  assert.ok(drained >= 2_500, `${drained} starts a second`);
});

test("a backlog that fresh events cannot stand falls to a share of them in seconds, and is back in seconds", () => {
  const { node, run, learn } = createPaced();
  learn();
  run(5, { fresh: 500, wanted: 3_000 });
  node.waitMs = (started) => (started > 120 ? 10 * USUAL_MS : USUAL_MS);
  run(3, { fresh: 500, wanted: 3_000 });
  const yielded = run(5, { fresh: 500, wanted: 3_000 });
  assert.ok(yielded >= 99 && yielded <= 200, `${yielded} starts a second beside 500`);
  node.waitMs = () => USUAL_MS;
  run(3, { fresh: 500, wanted: 3_000 });
  assert.ok(run(5, { fresh: 500, wanted: 3_000 }) > 2_600);
});

for (const fresh of [2, 8, 50]) {
  test(`a backlog yields to fresh events that come rarely too: ${fresh} a second`, () => {
    const { node, run, learn } = createPaced();
    learn();
    node.waitMs = (started) => (started > 120 ? 10 * USUAL_MS : USUAL_MS);
    run(20, { fresh, wanted: 3_000 });
    const yielded = run(20, { fresh, wanted: 3_000 });
    assert.ok(yielded <= 200, `${yielded} starts a second`);
  });
}

test("a wait that stays without the backlog becomes usual, and the backlog goes on beside it", () => {
  const { node, run, learn } = createPaced();
  learn();
  node.waitMs = () => 5 * USUAL_MS;
  run(10, { fresh: 500, wanted: 3_000 });
  assert.ok(run(5, { fresh: 500, wanted: 3_000 }) > 2_600);
});

test("a backlog that yielded is at full speed a second after the last fresh event", () => {
  const { node, run, learn } = createPaced();
  learn();
  node.waitMs = (started) => (started > 120 ? 10 * USUAL_MS : USUAL_MS);
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

test("starts are spread: after a pause no more than four come at once under a low limit", () => {
  const { node, run, learn } = createPaced();
  learn();
  node.waitMs = (started) => (started > 120 ? 10 * USUAL_MS : USUAL_MS);
  run(5, { fresh: 500, wanted: 1_000 });
  run(0.2, { fresh: 500, wanted: 0 });
  assert.ok(run(0.001, { fresh: 500, wanted: 1_000_000 }) * 0.001 <= 4);
});
