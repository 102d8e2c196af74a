/** Accepts and the settlements of successes share transactions. What may have to wait does not keep them waiting. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { shareCluster, untilSomeoneWaits } from "../../../test/kit/servers/postgres.ts";
import { openDatabase } from "../../../test/kit/servers/store-database.ts";
import { systemClock } from "../../lib/clock.ts";
import type { NewEvent, Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";
import { toCall } from "../calls.ts";
import {
  ACCEPTED,
  accept,
  claimAt,
  claimDue,
  due,
  held,
  makeEvent,
  makeSettlement,
  SETTLED,
  setUp,
  T0,
} from "../conformance/world.ts";
import { type AttemptColumns, packAttempt } from "./attempts.ts";
import { commitCalls } from "./commit-calls.ts";
import type { Batch } from "./connection/batch.ts";
import { PATH_POOL } from "./connection/connections.ts";
import { openPostgresStore } from "./open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();
await (await openPostgresStore({ url, clock: systemClock })).store[Symbol.asyncDispose]();

/** A test body with a node on an empty database, the calls in each of its commits, and the version of its set-up. */
function onNode(run: (node: Store, commits: number[], configVersion: number) => Promise<void>): () => Promise<void> {
  return async () => {
    await cluster.emptyStore(url);
    const commits: number[] = [];
    const onCommit = ({ commands }: { readonly commands: number }): void => void commits.push(commands);
    await using node = (await openPostgresStore({ url, clock: systemClock, onCommit })).store;
    await run(node, commits, await setUp(node, ["dst_a", "dst_b"]));
  };
}

const eventFor = (n: number, configVersion: number, destinationId = "dst_a") =>
  makeEvent(n, { configVersion, deliveries: [held(`dlv_${n}`, destinationId)] });

const settle = (store: Store, settlement: Settlement, isPatient: boolean) =>
  store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [settlement], isPatient });

const listStates = async () => await cluster.query(url, "select id, state from bellwire.deliveries order by id");

test(
  "a success goes with the accept that comes next",
  onNode(async (node, commits, configVersion) => {
    await accept(node, [eventFor(1, configVersion)]);
    const [settled, accepted] = await Promise.all([
      settle(node, makeSettlement("dlv_1"), true),
      accept(node, [eventFor(2, configVersion)]),
    ]);
    assert.deepEqual([settled, accepted], [[SETTLED], [ACCEPTED]]);
    assert.deepEqual(commits, [1, 2]);
    assert.deepEqual(await listStates(), [{ id: "dlv_1", state: "delivered" }]);
  }),
);

test("a claim of the inbox that finds nothing is one statement, without a transaction", async () => {
  const asked: unknown[] = [];
  const database = openDatabase(url, { ...PATH_POOL, connectionsMax: 1 });
  database.pool.on("connect", (client) => {
    const query = client.query.bind(client) as (batch: Batch) => unknown;
    const noting = (batch: Batch): unknown => {
      asked.push(...batch.statements.map(({ name }) => name));
      return query(batch);
    };
    Object.assign(client, { query: noting });
  });
  const claimed = { nowMs: T0, claim: { token: "token", untilMs: T0 + 30_000 } };
  await commitCalls(database, [
    { verb: "claimInboxRecords", params: { ...claimed, recordsMax: 100, bytesMax: 10 ** 6 } },
  ]);
  assert.deepEqual(asked, ["find due record of inbox"]);
  await database.pool.end();
});

/** The row that a settlement has to wait for. */
interface Row {
  readonly table: "destinations" | "deliveries";
  readonly id: string;
}

const DESTINATION: Row = { table: "destinations", id: "dst_a" };

/** Runs `work` while another session has locked the row. */
async function whileLocked({ table, id }: Row, work: () => Promise<void>): Promise<void> {
  const other = new pg.Client(url);
  await other.connect();
  try {
    await other.query("begin");
    await other.query(`select from bellwire.${table} where id = $1 for update`, [id]);
    await work();
    await other.query("commit");
  } finally {
    await other.end();
  }
}

interface Waiting {
  /** Its settlement waits for the row. */
  readonly end: () => Promise<unknown>;
  readonly row: Row;
  readonly event: NewEvent;
}

/** The event is accepted while the settlement waits. */
async function assertAcceptsBeside(node: Store, { end, row, event }: Waiting): Promise<void> {
  let settling: Promise<unknown> = Promise.resolve();
  await whileLocked(row, async () => {
    settling = end();
    await untilSomeoneWaits(cluster, url);
    assert.deepEqual(await accept(node, [event]), [ACCEPTED]);
  });
  assert.deepEqual(await settling, [SETTLED]);
}

const FAILURE: Partial<Settlement> = {
  next: { state: "pending", dueAtMs: T0 + 60_000 },
};

test(
  "a failure that waits for its destination keeps no accept waiting",
  onNode(async (node, _, configVersion) => {
    await accept(node, [eventFor(1, configVersion)]);
    const event = eventFor(2, configVersion, "dst_b");
    const fail = () => settle(node, makeSettlement("dlv_1", FAILURE), false);
    await assertAcceptsBeside(node, { end: fail, row: DESTINATION, event });
  }),
);

test(
  "nor does a success that ends its trouble",
  onNode(async (node, _, configVersion) => {
    await accept(node, [eventFor(1, configVersion)]);
    await settle(node, makeSettlement("dlv_1", FAILURE), false);
    await accept(node, [eventFor(2, configVersion)]);
    const event = eventFor(3, configVersion, "dst_b");
    const succeed = () => settle(node, makeSettlement("dlv_2"), true);
    await assertAcceptsBeside(node, { end: succeed, row: DESTINATION, event });
  }),
);

test(
  "nor does one of a delivery that has a row, which somebody else may hold",
  onNode(async (node, _, configVersion) => {
    await accept(node, [makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a")] })]);
    await claimDue(node, T0);
    const row: Row = { table: "deliveries", id: "dlv_1" };
    const event = eventFor(2, configVersion, "dst_b");
    const succeed = () => settle(node, makeSettlement("dlv_1"), true);
    await assertAcceptsBeside(node, { end: succeed, row, event });
  }),
);

test("a settlement that the database refuses fails alone, and so does an accept", async () => {
  await cluster.emptyStore(url);
  await using node = (await openPostgresStore({ url, clock: systemClock })).store;
  const configVersion = await setUp(node, ["dst_a"]);
  const database = openDatabase(url, PATH_POOL);
  const acceptCall = (n: number, parts = {}) => {
    const events = [{ ...eventFor(n, configVersion), ...parts }];
    return toCall("acceptEvents", { nowMs: T0, claim: claimAt(T0), events });
  };
  const settleCall = (n: number, parts: Partial<AttemptColumns> = {}) => {
    const { attempt, ...settlement } = makeSettlement(`dlv_${n}`);
    const packed = { ...settlement, attempt: { ...packAttempt(attempt), ...parts } };
    const params = { nowMs: T0, settlements: [packed] };
    return toCall<"settleAttemptsIfClaimed", AttemptColumns>("settleAttemptsIfClaimed", params);
  };
  const commit = async (calls: Parameters<typeof commitCalls>[1]) =>
    (await commitCalls(database, calls)).map(({ kind }) => kind);
  const nul = "\u0000";
  assert.deepEqual(await commit([acceptCall(1), acceptCall(2)]), ["done", "done"]);
  const mixed = [settleCall(1, { error_message: nul }), acceptCall(3), settleCall(2), acceptCall(4, { body: nul })];
  assert.deepEqual(await commit(mixed), ["fault", "done", "done", "fault"]);
  assert.deepEqual(await commit([settleCall(1), settleCall(3)]), ["done", "done"]);
  const states = (await listStates()).map(({ id, state }) => `${String(id)} ${String(state)}`);
  assert.deepEqual(states, ["dlv_1 delivered", "dlv_2 delivered", "dlv_3 delivered"]);
  await database.pool.end();
});
