/** Keys are inserted as new ones. One that is known costs its transaction a second run, and hardly any other one. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { shareCluster, untilSomeoneWaits } from "../../../test/kit/servers/postgres.ts";
import { openDatabase } from "../../../test/kit/servers/store-database.ts";
import { systemClock } from "../../lib/clock.ts";
import { type Answer, toCall } from "../calls.ts";
import { ACCEPTED, claimAt, held, makeEvent, setUp, T0 } from "../conformance/world.ts";
import { commitCalls } from "./commit-calls.ts";
import { PATH_POOL } from "./connection/connections.ts";
import { openPostgresStore } from "./open.ts";
import { Repeats } from "./repeats.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();
await (await openPostgresStore({ url, clock: systemClock })).store[Symbol.asyncDispose]();

interface Node {
  /** Accepts events of these numbers in one transaction, with ids that begin so. */
  accept(prefix: string, numbers: readonly number[]): Promise<unknown[]>;
  /** Transactions that have failed: each one's connection is thrown away. */
  countFailed(): number;
}

async function onNode(run: (node: Node) => Promise<void>): Promise<void> {
  await cluster.emptyStore(url);
  const { store } = await openPostgresStore({ url, clock: systemClock });
  const configVersion = await setUp(store, ["dst_a"]);
  await store[Symbol.asyncDispose]();
  const database = openDatabase(url, PATH_POOL);
  let failed = 0;
  // Not "remove", which comes when the connection has ended.
  database.pool.on("release", (error) => (failed += error ? 1 : 0));
  try {
    await run({
      async accept(prefix, numbers) {
        const events = numbers.map((n) => {
          const deliveries = [held(`dlv_${prefix}_${n}`, "dst_a")];
          return { ...makeEvent(n, { configVersion, deliveries }), id: `evt_${prefix}_${n}` };
        });
        const call = toCall("acceptEvents", { nowMs: T0, claim: claimAt(T0), events });
        return (await commitCalls(database, [call])).flatMap(valueOf);
      },
      countFailed: () => failed,
    });
  } finally {
    await database.pool.end();
  }
}

function valueOf(answer: Answer): unknown {
  assert.ok(answer.kind === "done", JSON.stringify(answer));
  return answer.value;
}

const duplicateOf = (eventId: string) => ({ kind: "duplicate", eventId, deliveries: 1, differs: false });

const listKeys = async () =>
  (await cluster.query(url, 'select event_id from bellwire.event_keys order by event_id collate "C"')).map(
    ({ event_id }) => event_id,
  );

test("the first repeat makes its transaction fail and run again; repeats after it do not", () =>
  onNode(async ({ accept, countFailed }) => {
    assert.deepEqual(await accept("a", [1, 2, 3]), [ACCEPTED, ACCEPTED, ACCEPTED]);
    assert.equal(countFailed(), 0);
    assert.deepEqual(await accept("b", [4, 2]), [ACCEPTED, duplicateOf("evt_a_2")]);
    assert.equal(countFailed(), 1);
    assert.deepEqual(await accept("c", [1, 5, 4]), [duplicateOf("evt_a_1"), ACCEPTED, duplicateOf("evt_b_4")]);
    assert.equal(countFailed(), 1);
    assert.deepEqual(await listKeys(), ["evt_a_1", "evt_a_2", "evt_a_3", "evt_b_4", "evt_c_5"]);
  }));

test("a record that stands twice in one batch makes nothing fail", () =>
  onNode(async ({ accept, countFailed }) => {
    assert.deepEqual(await accept("a", [1, 1]), [ACCEPTED, duplicateOf("evt_a_1")]);
    assert.equal(countFailed(), 0);
  }));

for (const ending of ["commit", "rollback"] as const) {
  test(`an accept waits for another node that has inserted its key, which ends with a ${ending}`, () =>
    onNode(async ({ accept }) => {
      await accept("a", [1]);
      const other = new pg.Client(url);
      await other.connect();
      try {
        await other.query("begin");
        // As the other node would: the key of record 2.
        const { sourceId } = makeEvent(2, { configVersion: 1 });
        await other.query(
          `insert into bellwire.event_keys
           select account_id, type, $1, 'evt_other', 1 from bellwire.event_keys where event_id = 'evt_a_1'`,
          [sourceId],
        );
        const answers = accept("b", [2]);
        await untilSomeoneWaits(cluster, url);
        await other.query(ending);
        assert.deepEqual(await answers, [ending === "commit" ? duplicateOf("evt_other") : ACCEPTED]);
      } finally {
        await other.end();
      }
    }));
}

test("repeats are expected for the next 10,000 transactions", () => {
  const repeats = new Repeats();
  assert.equal(repeats.countAsking(), false);
  repeats.seen();
  for (let each = 0; each < 10_000; each += 1) assert.equal(repeats.countAsking(), true, String(each));
  assert.equal(repeats.countAsking(), false);
});
