import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { type Connection, overClient } from "./connection.ts";

const cluster = await shareCluster();
const client = new pg.Client({ connectionString: await cluster.createStoreDatabase(), pipeline: true });
await client.connect();
after(async () => {
  await client.end();
  await cluster[Symbol.asyncDispose]();
});

const DIVIDE = "-- name: divide by zero\n select 1 / $1::integer";
const ANSWER = "-- name: answer one\n select 1";

async function inTransaction(work: (db: Connection) => Promise<void>): Promise<void> {
  await work(overClient(client, { sql: "begin", keepsStatements: true }));
  await client.query("rollback");
}

test("a statement behind one that failed tells why that one did", () =>
  inTransaction(async (db) => {
    const [first, behind, last] = await Promise.allSettled([db.run(DIVIDE, 0), db.run(ANSWER), db.exec("select 1")]);
    for (const settled of [first, behind, last]) {
      assert.match(String(settled.status === "rejected" && settled.reason), /division by zero/);
    }
  }));

test("after a savepoint the next failure is told as its own", () =>
  inTransaction(async (db) => {
    await db.exec("savepoint one");
    await assert.rejects(db.run(DIVIDE, 0), /division by zero/);
    await db.exec("rollback to savepoint one");
    assert.equal(await db.run(ANSWER), 1);
    await assert.rejects(db.exec("select nothing from nowhere"), /"nowhere" does not exist/);
    await assert.rejects(db.run(ANSWER), /"nowhere" does not exist/);
  }));
