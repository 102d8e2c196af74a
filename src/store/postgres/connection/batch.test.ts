import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe, test } from "node:test";
import type { Socket } from "node:net";
import type pg from "pg";
import { startCluster } from "../../../../test/kit/servers/postgres.ts";
import { type Batches, openBatches, PassedOver } from "./batch.ts";
import { newSession } from "./connections.ts";

interface Chunk {
  readonly chunk: Buffer;
}

const cluster = await startCluster();
const url = await cluster.createDatabase();
await cluster.query(url, "create table notes (id bigint primary key, words text)");
let client: pg.Client;
let batches: Batches;
/** The bytes written to the server, a text for each write. */
let written: string[];

after(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  const connections = { url, pooler: "none", forcesSync: false } as const;
  client = newSession(connections, { options: "", pipeline: true, query_timeout: 2_000 });
  client.on("error", () => {});
  await client.connect();
  batches = openBatches(client);
  written = [];
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  const writev = Reflect.get(stream, "_writev") as (chunks: readonly Chunk[], done: unknown) => void;
  Object.assign(stream, {
    _writev(chunks: readonly Chunk[], done: unknown) {
      written.push(chunks.map(({ chunk }) => String(chunk)).join(""));
      writev.call(stream, chunks, done);
    },
  });
});
afterEach(async () => {
  await client.end();
  await cluster.query(url, "delete from notes");
});

const ask = (text: string, ...values: unknown[]) => batches.ask({ name: `statement of ${text.length}`, text, values });
const ADD = "insert into notes (id, words) values ($1, $2)";
const FIND = "select id, words from notes order by id";

/** How each has ended: its first row, its command, or its error's message. */
async function endsOf(asked: readonly Promise<pg.QueryResult>[]): Promise<unknown[]> {
  const ended = await Promise.allSettled(asked);
  return ended.map((end) =>
    end.status === "fulfilled" ? (end.value.rows[0] ?? end.value.command) : (end.reason as Error).message,
  );
}

/** Messages end a batch with it; its length is that of nothing. */
const countSyncs = (): number => written.join("").split("S\0\0\0\u0004").length - 1;

test("what is asked in one turn goes out in one write with one Sync, and each gets its own answer", async () => {
  const asked = [ask("begin"), ask(ADD, 1, "one"), ask(FIND), ask(ADD, 2, "two"), ask("commit")];
  assert.deepEqual(await endsOf(asked), ["BEGIN", "INSERT", { id: 1, words: "one" }, "INSERT", "COMMIT"]);
  assert.deepEqual([written.length, countSyncs()], [1, 1]);
});

test("batches follow each other without waiting, and a statement is parsed once in a session", async () => {
  const first = [ask("begin"), ask(ADD, 1, "one")];
  batches.send();
  const second = [ask(ADD, 2, "two"), ask("commit")];
  assert.deepEqual(await endsOf([...first, ...second]), ["BEGIN", "INSERT", "INSERT", "COMMIT"]);
  assert.equal(countSyncs(), 2);
  assert.equal(written.join("").split(ADD).length - 1, 1);
  assert.deepEqual(await endsOf([ask(FIND)]), [{ id: 1, words: "one" }]);
});

describe("a statement that fails", () => {
  test("fails all behind it in its batch, which say that they were passed over", async () => {
    const asked = [ask("begin"), ask(ADD, 1, "one"), ask("select 1 / $1::integer", 0), ask(FIND), ask("commit")];
    const [, added, , found, commit] = await Promise.allSettled(asked);
    assert.equal(added?.status, "fulfilled");
    for (const end of [found, commit]) {
      assert.ok(end?.status === "rejected" && end.reason instanceof PassedOver);
      assert.match((end.reason.cause as Error).message, /division by zero/);
    }
  });

  test("leaves nothing behind, and a session that knows what it was asked", async () => {
    await endsOf([ask("begin"), ask(ADD, 1, "one"), ask("select 1 / $1::integer", 0), ask(FIND), ask("commit")]);
    assert.deepEqual(await endsOf([ask("rollback")]), ["ROLLBACK"]);
    assert.deepEqual(await endsOf([ask(FIND), ask(ADD, 1, "one"), ask(FIND)]), [
      "SELECT",
      "INSERT",
      { id: 1, words: "one" },
    ]);
  });

  test("because its values cannot be written fails its batch, of which nothing is sent", async () => {
    const words = { toPostgres: () => assert.fail("no such value") };
    const ends = await endsOf([ask("begin"), ask(ADD, 1, words), ask(ADD, 2, "two"), ask("commit")]);
    assert.deepEqual([...new Set(ends)], ["the values of a statement cannot be sent"]);
    assert.deepEqual(written, []);
    assert.deepEqual(await cluster.query(url, FIND), []);
  });

  test("because it was cancelled says so", async () => {
    const pid = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
    const asked = [ask("begin"), ask("select pg_cancel_backend($1::integer), pg_sleep(5)", pid), ask("commit")];
    const ended = await endsOf(asked);
    assert.match(String(ended[1]), /canceling statement due to user request/);
    assert.match(String(ended[2]), /a statement before it failed/);
  });
});

test("where the server goes away, no statement says that it was passed over", async () => {
  const asked = [ask("begin"), ask("select pg_sleep(5)"), ask("commit")];
  const ends = endsOf(asked);
  await new Promise((resolve) => setImmediate(resolve));
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  for (const end of (await ends).slice(1)) assert.match(String(end), /Connection terminated/);
});

test("where the server ends the session, what was behind is not known to be passed over", async () => {
  const ends = await endsOf([ask("begin"), ask("select pg_terminate_backend(pg_backend_pid())"), ask("commit")]);
  assert.match(String(ends[1]), /terminating connection/);
  assert.match(String(ends[2]), /^Connection terminated/);
});

test("where no answer comes in time, no statement says that it was passed over", async () => {
  const ends = await endsOf([ask("select pg_sleep(5)"), ask("commit")]);
  assert.deepEqual(ends, ["Query read timeout", "Query read timeout"]);
});

test("on a connection that has ended each is refused", async () => {
  await client.end();
  const ends = await endsOf([ask("begin"), ask("commit")]);
  for (const end of ends) assert.match(String(end), /^Client (?:was closed|has encountered)/);
});
