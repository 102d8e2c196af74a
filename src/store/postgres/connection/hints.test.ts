import assert from "node:assert/strict";
import { after, test } from "node:test";
import { eventually } from "../../../../test/kit/wait.ts";
import { startCluster } from "../../../../test/kit/servers/postgres.ts";
import { createVirtualClock } from "../../../../test/kit/world/virtual-clock.ts";
import { systemClock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import { accept, due, makeEvent, held, setUp } from "../../conformance/world.ts";
import { openHints } from "./hints.ts";
import { openPostgresStore } from "../open.ts";

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

/** A node that accepts, and one that counts the hints it gets. */
async function openPair() {
  const url = await cluster.createDatabase();
  const counted = { hints: 0 };
  const { store } = await openPostgresStore({ url, clock: systemClock });
  const onHint = () => (counted.hints += 1);
  const { store: listener } = await openPostgresStore({ url, clock: systemClock, onHint });
  const configVersion = await setUp(store, ["dst_a"]);
  // The first one says that it listens now.
  await eventually("the node listens", async () => counted.hints > 0);
  counted.hints = 0;
  const end = () => Promise.all([store[Symbol.asyncDispose](), listener[Symbol.asyncDispose]()]);
  return { store, configVersion, counted, [Symbol.asyncDispose]: async () => void (await end()) };
}

test("what one node leaves due is told to the others, many at once as one", async () => {
  await using pair = await openPair();
  const { store, configVersion, counted } = pair;
  const events = Array.from({ length: 50 }, (_, n) =>
    makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, "dst_a")] }),
  );
  await Promise.all(events.map((event) => accept(store, [event])));
  await eventually("a hint comes", async () => counted.hints > 0);
  assert.ok(counted.hints <= 3, `${counted.hints} hints`);
});

test("what a node holds itself is no news", async () => {
  await using pair = await openPair();
  const { store, configVersion, counted } = pair;
  await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
  // Nor is a look for replays where none runs, which each node does now and then.
  await store.stepReplays({ nowMs: systemClock.nowMs(), deliveriesMax: 10 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(counted.hints, 0);
});

test("a node that cannot listen keeps no session of its tries, and listens when it can", async () => {
  const url = await cluster.createDatabase();
  const clock = createVirtualClock();
  let hints = 0;
  const listening = `select count(*)::int as count from pg_stat_activity where query like '%listen bellwire_due'`;
  const sessions = async () => (await cluster.query(url, listening))[0]?.["count"];
  await cluster.stop("fast");
  await cluster.start("standby");
  const connections = { url, pooler: "none", forcesSync: false } as const;
  const node = openHints({ connections, clock, send: () => {}, onHint: () => (hints += 1) });
  for (let tries = 1; tries <= 5; tries += 1) {
    await eventually("it tries again", async () => clock.pending() > 0);
    assert.equal(await sessions(), 0);
    await clock.advance(secondsMs(2));
  }
  await cluster.query(url, "select pg_promote()");
  await eventually("it listens", async () => {
    await clock.advance(secondsMs(2));
    return hints > 0;
  });
  assert.equal(await sessions(), 1);
  await node.close();
});

test("a node listens again when the database is back", async () => {
  await using pair = await openPair();
  const { store, configVersion, counted } = pair;
  await cluster.stop("immediate");
  await cluster.start();
  await eventually("it listens again", async () => counted.hints > 0);
  counted.hints = 0;
  await accept(store, [makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a")] })]);
  await eventually("a hint comes", async () => counted.hints > 0);
});
