/** The look at a Citus that an operator is told of, where one is given (`BELLWIRE_TEST_CITUS`). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type CitusCluster, inDatabase, openCitus, withoutCitus } from "../../../../test/kit/servers/citus.ts";
import { systemClock } from "../../../lib/clock.ts";
import { inspectPostgres } from "../inspect.ts";
import { openPostgresStore } from "../open.ts";

describe("a look at a Citus", { skip: withoutCitus }, () => {
  let citus: CitusCluster;
  before(() => void (citus = openCitus()));
  after(() => citus[Symbol.asyncDispose]());

  test("finds the slot of a copy that nothing reads, on the server that has it, and no other program's", async () => {
    const url = await citus.createDatabase();
    await (await openPostgresStore({ url, clock: systemClock })).store[Symbol.asyncDispose]();
    const [, , worker] = await citus.listServers();
    assert.ok(worker !== undefined);
    const onWorker = inDatabase(worker.url, new URL(url).pathname.slice(1));
    const slots = [`citus_shard_move_slot_${process.pid}`, `another_slot_${process.pid}`];
    const look = async () => (await inspectPostgres({ url, pooler: "none", clock: systemClock })).citus?.slotsLeft;
    assert.deepEqual(await look(), []);
    for (const slot of slots)
      await citus.query(onWorker, `select pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
    const found = await look();
    for (const slot of slots) await citus.query(onWorker, `select pg_drop_replication_slot('${slot}')`);
    assert.deepEqual(
      found?.map(({ server, slot }) => [server, slot]),
      [[`${worker.host}:${worker.port}`, slots[0]]],
    );
    assert.ok(found.every(({ bytes }) => bytes >= 0));
    assert.deepEqual(await look(), []);
  });
});
