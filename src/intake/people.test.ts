/**
 * A person is erased, and what is left is searched for their address: a copy of all tables, on SQLite the bytes of the
 * files, and the log. Each search finds it before, so that none is for something that was never there.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, before, describe, test } from "node:test";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";
import { session, uuid } from "../../test/kit/world/world.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { createLog } from "../observe/log.ts";

const ACCOUNT = "acme";
const JANE = "jane.canary@example.com";
const URL = `/v1/accounts/${ACCOUNT}/people`;

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

const record = (n: number, email: string) => ({
  ...demoViewed.example,
  id: session(n).sourceId,
  // Long enough for pages of its own.
  referers: Array.from(
    { length: 20 },
    (_, at) => `https://blog.example/${"x".repeat(600)}/${at}?who=${encodeURIComponent(email)}`,
  ),
  name: `A demo for ${email}`,
  lead: { id: uuid(n), email: email.toUpperCase(), first_name: "Jane" },
});

const has = (text: string, email = JANE): boolean =>
  [email, Buffer.from(email).toString("hex"), encodeURIComponent(email)].some((form) =>
    text.toLowerCase().includes(form.toLowerCase()),
  );

interface Kept {
  readonly database: string;
  /** Everything that it has on disk, or would put into a dump. */
  read(): string | Promise<string>;
  readonly stack: AsyncDisposableStack;
}

function onSqlite(): Promise<Kept> {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-erased-"));
  const stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true }));
  const read = () =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("\n");
  return Promise.resolve({ database: `sqlite:${folder}/bellwire.db`, read, stack });
}

const LIST_TABLES = `
  select c.relname as name
  from pg_class c
  where c.relnamespace = 'bellwire'::regnamespace and c.relkind = 'r'`;

async function onPostgres(): Promise<Kept> {
  const database = await cluster.createStoreDatabase();
  const read = async () => {
    const texts: string[] = [];
    for (const { name } of await cluster.query(database, LIST_TABLES)) {
      const rows = await cluster.query(database, `select t::text as line from bellwire."${String(name)}" t`);
      texts.push(...rows.map(({ line }) => String(line)));
    }
    return texts.join("\n");
  };
  return { database, read, stack: new AsyncDisposableStack() };
}

for (const [store, keep] of [
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const) {
  describe(`erasing a person on ${store}`, () => {
    test("leaves their address nowhere, and another person's where it was", async () => {
      const kept = await keep();
      await using stack = kept.stack.move();
      const receiver = stack.use(
        await startReceiver(({ body }) => ({
          headers: { "x-echo": JSON.parse(body.toString()).lead.email },
          body: body.toString(),
        })),
      );
      const sink = new PassThrough();
      let log = "";
      sink.on("data", (chunk: Buffer) => (log += chunk.toString()));
      const env = { BELLWIRE_DATABASE: kept.database, BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" };
      await using service = await createTestApp(env, { log: createLog("trace", sink) });
      const { app } = service;
      await service.put(`/v1/accounts/${ACCOUNT}`, {
        name: "Acme",
        plan: "growth",
        app_url: "https://app.example.com",
      });
      await createAlert(app.accounts, { accountId: ACCOUNT, url: `${receiver.url}/hook` });
      for (const [n, email] of [JANE, JANE, "bo.canary@example.com"].entries()) {
        const answer = await service.post(`/v1/accounts/${ACCOUNT}/demo-sessions`, record(n, email));
        assert.equal(answer.statusCode, 202, answer.body);
      }
      await eventually("all to be delivered", async () => {
        await app.engine.tick();
        await app.engine.lanes.load.idle();
        return (await app.store.countWaiting({ nowMs: Date.now() })).waiting === 0;
      });
      await app.store.indexEvents({ nowMs: Date.now(), eventsMax: 10, bytesMax: 10 ** 6 });
      assert.ok(has(await kept.read()), "the address is found where it is");
      const erased = await service.call({ method: "DELETE", url: `${URL}?email=${encodeURIComponent(JANE)}` });
      assert.equal(erased.statusCode, 200, erased.body);
      const nothing = { cancelled: 0, searches: 0, inbox_records: 0, refused_records: 0, in_flight: 0, next: null };
      assert.deepEqual(erased.json(), { events: 2, answers: 2, ...nothing });
      const left = await kept.read();
      assert.ok(!has(left), "the database has the address");
      assert.ok(has(left, "bo.canary@example.com"), "the other person is still there");
      assert.ok(log.includes("delivery.attempted") && !has(log), "the log has the address");
      const [entry] = await app.store.listAudit({ accountId: ACCOUNT, before: null, limit: 1 });
      assert.deepEqual(
        [entry?.action, entry?.person, entry?.address, entry?.subject],
        ["person_erased", "intake key", "127.0.0.1", "events: 2, records of the outbox: 0"],
      );
      const again = await service.post(`/v1/accounts/${ACCOUNT}/demo-sessions`, record(0, JANE));
      assert.equal(again.json().duplicate, true);
      assert.ok(!has(await kept.read()), "a repeat has brought it back");
    });
  });
}

test("what the outbox has of a person goes, before it becomes an event and after it was refused", async () => {
  const kept = await onPostgres();
  await using service = await createTestApp({ BELLWIRE_DATABASE: kept.database });
  await service.put(`/v1/accounts/${ACCOUNT}`, { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  const waits = JSON.stringify({ lead: { email: JANE } });
  await cluster.query(
    kept.database,
    `insert into bellwire.inbox (account_id, type, record, emitted_at, due_at)
     select account_id, 'demo_viewed', '${waits}', 1, 9e15::bigint
     from unnest(array['${ACCOUNT}', 'other']) as account_id`,
  );
  await cluster.query(
    kept.database,
    `insert into bellwire.refused_records (seq, account_id, type, record, emitted_at, refused_at, code, detail, errors)
     values (99, '${ACCOUNT}', 'demo_viewed', '${waits}', 1, 1, 'invalid_record', 'no', '[]')`,
  );
  const erased = (await service.call({ method: "DELETE", url: `${URL}?email=${JANE}` })).json();
  assert.deepEqual([erased.inbox_records, erased.refused_records, erased.next], [1, 1, null]);
  const left = await cluster.query(kept.database, "select account_id from bellwire.inbox");
  assert.deepEqual(left, [{ account_id: "other" }]);
  assert.deepEqual(await cluster.query(kept.database, "select record from bellwire.refused_records"), [{ record: "" }]);
});

test("a call without one address, or with a mistyped parameter, erases nothing and repeats no address", async () => {
  await using service = await createTestApp();
  await service.put(`/v1/accounts/${ACCOUNT}`, { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  for (const query of [
    "",
    "?email=",
    "?email=jane",
    `?mail=${JANE}`,
    `?email=${JANE}&email=${JANE}`,
    `?email=${JANE}&after=x`,
  ]) {
    const answer = await service.call({ method: "DELETE", url: `${URL}${query}` });
    assert.deepEqual([answer.statusCode, answer.json().code], [400, "invalid_parameter"], query);
    assert.ok(!has(answer.body), answer.body);
  }
  const url = `/v1/accounts/nobody/people?email=${JANE}`;
  assert.equal((await service.call({ method: "DELETE", url })).statusCode, 404);
  assert.equal((await service.app.server.inject({ method: "DELETE", url })).statusCode, 401);
  assert.ok(API_KEY.length > 0);
});
