/** Pools by lane under a virtual clock: how many there are, which go first, and when idle ones go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { Connections } from "./connections.ts";

const ORIGIN = "http://127.0.0.1:8080";

function setUp(lanesMax = 3) {
  const clock = createVirtualClock();
  const guard = {
    checkUrl: () => Promise.resolve(null),
    connector: () => () => assert.fail("no connection is opened without a request"),
  };
  const connections = new Connections({ guard, clock, connectDeadlineMs: 1_000, connectionsPerLane: 1, lanesMax });
  const use = (lane: string) => {
    const pool = connections.take(lane, ORIGIN);
    connections.release(pool);
    return pool;
  };
  return { clock, connections, use };
}

test("gives a lane the same pool again, and each lane its own", () => {
  const { use } = setUp();
  const first = use("a");
  assert.equal(use("a"), first);
  assert.notEqual(use("b"), first);
});

test("closes the pool that was not used for longest when there are too many", async () => {
  const { connections, use } = setUp(2);
  const [a, b] = [use("a"), use("b")];
  use("a");
  use("c");
  await b.gone;
  assert.equal(connections.count(), 2);
  assert.equal(use("a"), a);
});

test("passes over pools in use, and has one more rather than none", async () => {
  const { connections, use } = setUp(1);
  const busy = connections.take("a", ORIGIN);
  const other = use("b");
  assert.equal(connections.count(), 2);
  use("c");
  await other.gone;
  connections.release(busy);
  assert.equal(connections.take("a", ORIGIN), busy);
});

test("closes the pool of a lane that moved to another origin when its last request is done", async () => {
  const { connections } = setUp();
  const before = connections.take("a", ORIGIN);
  const after = connections.take("a", "http://127.0.0.1:9090");
  assert.notEqual(after, before);
  assert.equal(before.isRetired, true);
  assert.equal(before.pool.destroyed, false);
  connections.release(before);
  await before.gone;
  assert.equal(before.pool.destroyed, true);
  assert.equal(after.isRetired, false);
});

test("closes pools that were idle for a while, not those in use, and stops looking", async () => {
  const { clock, connections, use } = setUp();
  const idle = use("a");
  const busy = connections.take("b", ORIGIN);
  await clock.advance(30_000);
  await idle.gone;
  assert.equal(connections.count(), 1);
  connections.release(busy);
  await clock.advance(30_000);
  assert.equal(connections.count(), 0);
  assert.equal(clock.pending(), 0);
});

test("closes everything at the end, after what is in use", async () => {
  const { connections, use } = setUp();
  use("a");
  const busy = connections.take("b", ORIGIN);
  let isClosed = false;
  const closed = connections.close().then(() => (isClosed = true));
  await new Promise(setImmediate);
  assert.equal(isClosed, false);
  connections.release(busy);
  await closed;
  assert.equal(connections.count(), 0);
});
