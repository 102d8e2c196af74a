/** While an account is being moved its calls wait apart: nothing of another account waits with them. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { shareCluster } from "../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Store } from "../contract/store.ts";
import {
  ACCEPTED,
  ACCOUNT,
  accept,
  ADA,
  held,
  makeEvent,
  makeSettlement,
  SETTLED,
  setUp,
  T0,
} from "../conformance/world.ts";
import { openPostgresStore } from "./open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();
await (await openPostgresStore({ url, clock: systemClock })).store[Symbol.asyncDispose]();

interface World {
  readonly node: Store;
  /** An event of the account that is being moved, and one of another's. */
  readonly ofMoving: (n: number) => ReturnType<typeof makeEvent>;
  readonly ofOther: (n: number) => ReturnType<typeof makeEvent>;
}

const MOVING = ACCOUNT.id;
const OTHER = "acc_2";

/** A test body with a node on an empty database, where both have an event in memory. */
function onNode(run: (world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    await cluster.emptyStore(url);
    await using node = (await openPostgresStore({ url, clock: systemClock })).store;
    const eventOf = async (accountId: string, destinationId: string) => {
      const configVersion = await setUp(node, [destinationId], { ...ACCOUNT, id: accountId });
      return (n: number) => makeEvent(n, { accountId, configVersion, deliveries: [held(`dlv_${n}`, destinationId)] });
    };
    const world = { node, ofMoving: await eventOf(MOVING, "dst_a"), ofOther: await eventOf(OTHER, "dst_b") };
    await accept(node, [world.ofMoving(1)]);
    await accept(node, [world.ofOther(2)]);
    await run(world);
  };
}

/** As a move holds it. What `work` returns is awaited when the account is free again. */
async function whileMoving<Value>(work: () => Promise<{ readonly waiting: Promise<Value> }>): Promise<Value> {
  const move = new pg.Client(url);
  await move.connect();
  try {
    await move.query("begin");
    await move.query("select from bellwire.accounts where id = $1 for update", [MOVING]);
    const { waiting } = await work();
    await move.query("commit");
    return await waiting;
  } finally {
    await move.end();
  }
}

const settle = (node: Store, n: number, accountId: string) =>
  node.settleAttemptsIfClaimed({
    nowMs: T0,
    settlements: [makeSettlement(`dlv_${n}`, { accountId })],
    isPatient: true,
  });

const SESSIONS = "select pid from pg_stat_activity where datname = current_database()";

const listSessions = async (): Promise<readonly unknown[]> =>
  (await cluster.query(url, SESSIONS)).map(({ pid }) => pid);

const countWaiting = async (): Promise<number> =>
  (await cluster.query(url, `${SESSIONS} and wait_event_type = 'Lock'`)).length;

/** Whether it has ended by now. */
function watch(work: Promise<unknown>): () => boolean {
  let isDone = false;
  void work.finally(() => (isDone = true));
  return () => isDone;
}

test(
  "a commit that several accounts share goes on without it, and nothing of it is lost",
  onNode(async ({ node, ofMoving, ofOther }) => {
    const sessions = await listSessions();
    const settled = await whileMoving(async () => {
      const waiting = Promise.all([accept(node, [ofMoving(3)]), settle(node, 1, MOVING)]);
      const isDone = watch(waiting);
      const others = Promise.all([accept(node, [ofOther(4)]), settle(node, 2, OTHER)]);
      assert.deepEqual(await others, [[ACCEPTED], [SETTLED]]);
      assert.deepEqual(await accept(node, [ofOther(5)]), [ACCEPTED]);
      assert.equal(isDone(), false);
      return { waiting };
    });
    assert.deepEqual(settled, [[ACCEPTED], [SETTLED]]);
    const now = new Set(await listSessions());
    const gone = sessions.filter((pid) => !now.has(pid));
    assert.deepEqual(gone, [], "sessions were thrown away");
  }),
);

test(
  "an account that is new costs no session, although it is looked for first",
  onNode(async ({ node }) => {
    const sessions = await listSessions();
    for (const id of ["acc_3", "acc_4", "acc_5"]) await setUp(node, [], { ...ACCOUNT, id });
    const now = new Set(await listSessions());
    assert.deepEqual(
      sessions.filter((pid) => !now.has(pid)),
      [],
    );
  }),
);

test(
  "its calls wait without a lock, in their order",
  onNode(async ({ node, ofMoving, ofOther }) => {
    const pausing = { accountId: MOVING, destinationId: "dst_a", by: ADA, nowMs: T0 };
    const [changed, , accepted] = await whileMoving(async () => {
      const first = node.setDestinationState({ ...pausing, state: "paused", reason: "owner" });
      const more = Array.from({ length: 20 }, (_, n) => settle(node, 100 + n, MOVING));
      const waiting = Promise.all([first, Promise.all(more), accept(node, [ofMoving(3)])]);
      const isDone = watch(waiting);
      assert.deepEqual(await accept(node, [ofOther(4)]), [ACCEPTED]);
      assert.deepEqual([isDone(), await countWaiting()], [false, 0]);
      return { waiting };
    });
    assert.equal(changed, "changed");
    // It was decided with the version before the pause, which was called first.
    assert.deepEqual(accepted, [{ kind: "config_changed" }]);
  }),
);

test(
  "nobody begins to hold an account that a move is about to lock",
  onNode(async ({ node, ofMoving, ofOther }) => {
    await setClosed("extract(epoch from clock_timestamp()) * 1000 + 60000");
    const waiting = accept(node, [ofMoving(3)]);
    const isDone = watch(waiting);
    assert.deepEqual(await accept(node, [ofOther(4)]), [ACCEPTED]);
    assert.equal(isDone(), false);
    // The move died, and its time is over.
    await setClosed("extract(epoch from clock_timestamp()) * 1000 - 1");
    assert.deepEqual(await waiting, [ACCEPTED]);
  }),
);

const setClosed = (until: string) =>
  cluster.query(url, `update bellwire.accounts set closed_until = ${until} where id = '${MOVING}'`);
