/**
 * Accounts that are suspended, go on and are deleted, on both stores and through the whole program: what each of their
 * callers is told, what is sent, and at the end what every table has left of one.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { createAlert, createPulled } from "../../test/kit/world/alerts.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { linkToken, signIn } from "../../test/kit/world/signed-in.ts";
import { makeAlertSettings } from "../../test/kit/make.ts";
import { ask } from "../../test/kit/process/asking.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { demoViewed } from "../events/demo-viewed.ts";

const GONER = "acme.leaves";
const STAYS = "acme.stays";
const by = { person: "ana@example.com", role: "owner" } as const;

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

interface Database extends AsyncDisposable {
  readonly url: string;
  /** Of every table with an account's id: how many rows the account has. */
  count(accountId: string): Promise<Record<string, number>>;
  /** Of one of the others. */
  total(table: string): Promise<number>;
}

function onSqlite(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-leaving-"));
  const path = join(folder, "bellwire.db");
  const query = (sql: string): Record<string, unknown>[] => {
    using db = new DatabaseSync(path, { readOnly: true });
    return db.prepare(sql).all();
  };
  const tables = () =>
    query(`select m.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'
      and c.name = 'account_id'`);
  return Promise.resolve({
    url: `sqlite:${path}`,
    count: (accountId) =>
      Promise.resolve(
        Object.fromEntries(
          tables().map(({ name }) => [
            String(name),
            Number(query(`select count(*) as n from ${String(name)} where account_id = '${accountId}'`)[0]?.["n"]),
          ]),
        ),
      ),
    total: (table) => Promise.resolve(Number(query(`select count(*) as n from ${table}`)[0]?.["n"])),
    [Symbol.asyncDispose]: () => Promise.resolve(rmSync(folder, { recursive: true })),
  });
}

async function onPostgres(): Promise<Database> {
  const url = await cluster.createStoreDatabase();
  const LIST = `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'bellwire'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname = 'account_id'`;
  return {
    url,
    async count(accountId) {
      const counts: Record<string, number> = {};
      for (const { name } of await cluster.query(url, LIST)) {
        const sql = `select count(*) as n from bellwire."${String(name)}" where account_id = '${accountId}'`;
        counts[String(name)] = Number((await cluster.query(url, sql))[0]?.["n"]);
      }
      return counts;
    },
    total: async (table) => Number((await cluster.query(url, `select count(*) as n from bellwire.${table}`))[0]?.["n"]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Two accounts with the same: what was sent, what fails and waits, what is asked, what was tested and searched. */
async function setUp(database: Database) {
  const stack = new AsyncDisposableStack();
  stack.use(database);
  const receiver = stack.use(await startReceiver());
  const failing = stack.use(await startReceiver({ status: 503 }));
  const env = { BELLWIRE_DATABASE: database.url, BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" };
  const service = stack.use(await createTestApp(env));
  const { port } = await service.app.start();
  const tokens: Record<string, string> = {};
  const { app } = service;
  for (const accountId of [GONER, STAYS]) {
    await service.put(`/v1/accounts/${accountId}`, {
      name: "Acme",
      plan: "growth",
      app_url: "https://app.example.com",
    });
    await createAlert(app.accounts, { accountId, url: `${receiver.url}/${accountId}` });
    await createAlert(app.accounts, { accountId, url: `${failing.url}/${accountId}` });
    const pulled = await createPulled(app.accounts, { accountId });
    tokens[accountId] = pulled.token;
  }
  const post = async (accountId: string, n: number) =>
    await service.post(`/v1/accounts/${accountId}/demo-sessions`, { ...demoViewed.example, id: uuid(n) });
  for (const accountId of [GONER, STAYS]) for (let n = 1; n <= 5; n += 1) await post(accountId, n);
  await eventually("both have been tried", async () => receiver.requests.length >= 10 && failing.requests.length >= 2);
  return { service, app, database, receiver, tokens, post, url: `http://127.0.0.1:${port}`, stack };
}

const codeOf = ({ body }: { readonly body: string }) => (JSON.parse(body) as { code?: string }).code;
const stateOf = ({ body }: { readonly body: string }) => JSON.parse(body) as { state: string; changed: boolean };

const STORES = [
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const;

for (const [name, open] of STORES) {
  describe(`an account on ${name}`, () => {
    test("takes and sends nothing while it is suspended, and goes on with what waits", async () => {
      const { service, app, receiver, tokens, post, url, stack } = await setUp(await open());
      await using _ = stack;
      const owner = await signIn(app, { accountId: GONER });
      const change = () =>
        owner.call("POST /alerts", { body: { ...makeAlertSettings({ name: "New" }), webhook: null } });
      const suspend = () => service.post(`/v1/accounts/${GONER}/suspend`);
      assert.deepEqual(stateOf(await suspend()), { id: GONER, state: "suspended", changed: true });
      assert.equal(stateOf(await suspend()).changed, false);
      const [refused, allowed] = [await post(GONER, 6), await post(STAYS, 6)];
      assert.deepEqual([refused.statusCode, codeOf(refused), allowed.statusCode], [403, "account_suspended", 202]);
      const asked = await ask(url, tokens[GONER] ?? "");
      assert.deepEqual([asked.status, (asked.answer as unknown as { code: string }).code], [403, "account_suspended"]);
      assert.equal((await ask(url, tokens[STAYS] ?? "")).answer.messages.length, 6);
      assert.equal((await change()).code, "account_suspended");
      const session = await owner.call("GET /session");
      assert.equal((session.answer as { isSuspended: boolean }).isSuspended, true);
      const shown = await service.call({ method: "GET", url: `/v1/accounts/${GONER}` });
      assert.equal(stateOf(shown).state, "suspended");
      const states = async () =>
        (await app.store.loadAccount({ accountId: GONER }))?.alerts.map(({ destination }) => destination?.state);
      assert.deepEqual(await states(), ["paused", "paused"]);
      const [alert] = (await app.store.loadAccount({ accountId: GONER }))?.alerts ?? [];
      const sentBefore = receiver.requests.length;
      assert.deepEqual(stateOf(await service.post(`/v1/accounts/${GONER}/resume`)), {
        id: GONER,
        state: "active",
        changed: true,
      });
      assert.deepEqual(await states(), ["on", "on"]);
      assert.equal(alert?.destination?.state, "paused");
      assert.equal((await post(GONER, 6)).statusCode, 202);
      await eventually("it is sent", async () => receiver.requests.length > sentBefore);
      assert.equal((await ask(url, tokens[GONER] ?? "")).answer.messages.length, 6);
      assert.equal((await change()).code, null);
    });

    test("what its owner had paused stays paused when it goes on", async () => {
      const { service, app, stack } = await setUp(await open());
      await using _ = stack;
      const [alert] = (await app.store.loadAccount({ accountId: GONER }))?.alerts ?? [];
      const destinationId = alert?.destination?.id ?? "";
      const nowMs = Date.now();
      await app.store.setDestinationState({
        accountId: GONER,
        destinationId,
        state: "paused",
        by,
        reason: "a fair",
        nowMs,
      });
      await service.post(`/v1/accounts/${GONER}/suspend`);
      await service.post(`/v1/accounts/${GONER}/resume`);
      const now = (await app.store.loadAccount({ accountId: GONER }))?.alerts ?? [];
      assert.deepEqual(
        new Map(now.map(({ destination }) => [destination?.id === destinationId, destination?.state])),
        new Map([
          [false, "on"],
          [true, "paused"],
        ]),
      );
    });

    test("is gone at once when it is deleted, and its rows in steps", async () => {
      const { service, app, database, tokens, post, url, stack } = await setUp(await open());
      await using _ = stack;
      const owner = await signIn(app, { accountId: GONER });
      const link = await linkToken(app, { accountId: GONER });
      const made = await service.post(`/v1/accounts/${GONER}/read-keys`, { name: "support" });
      const { key } = JSON.parse(made.body) as { key: string };
      const remove = (confirm: string) => service.call({ method: "DELETE", url: `/v1/accounts/${GONER}${confirm}` });
      for (const wrong of ["", "?confirm=", `?confirm=${STAYS}`, `?confirm=${GONER}&force=1`]) {
        assert.equal(codeOf(await remove(wrong)), "invalid_parameter", wrong);
      }
      assert.deepEqual(stateOf(await remove(`?confirm=${GONER}`)), { id: GONER, state: "deleting", changed: true });
      const put = { name: "Acme", plan: "growth", app_url: "https://app.example.com" };
      const reader = { authorization: `Bearer ${key}` };
      const codes = {
        put: codeOf(await service.put(`/v1/accounts/${GONER}`, put)),
        assistant: codeOf(await service.put(`/v1/accounts/${GONER}/chat-assistants/a`, { name: "Ada" })),
        suspend: codeOf(await service.post(`/v1/accounts/${GONER}/suspend`)),
        record: codeOf(await post(GONER, 1)),
        link: codeOf(await service.post(`/v1/accounts/${GONER}/dashboard-links`, {})),
        read: codeOf(await service.call({ method: "GET", url: `/v1/accounts/${GONER}`, headers: reader })),
        pull: ((await ask(url, tokens[GONER] ?? "")).answer as unknown as { code: string }).code,
        page: (await owner.call("GET /session")).code,
        oldLink: codeOf(await service.post("/dashboard/sign-in", { token: link }, { "sec-fetch-site": "same-origin" })),
      };
      assert.deepEqual(codes, {
        put: "account_deleted",
        assistant: "account_not_found",
        suspend: "account_deleted",
        record: "account_not_found",
        link: "account_not_found",
        read: "not_found",
        pull: "pull_token_unknown",
        page: "not_signed_in",
        oldLink: "link_unknown",
      });
      await forgetAll(app.store);
      assert.deepEqual(stateOf(await remove(`?confirm=${GONER}`)), { id: GONER, state: "deleted", changed: false });
      const left = Object.entries(await database.count(GONER)).filter(([, rows]) => rows > 0);
      assert.deepEqual(Object.fromEntries(left), {
        account_states: 1,
        audit_entries: 1,
        event_keys: 5,
      });
      const stays = await database.count(STAYS);
      assert.deepEqual([stays["events"], stays["deliveries"], await database.total("deliveries")], [5, 15, 15]);
      assert.equal((await post(STAYS, 1)).statusCode, 200);
      const counts = JSON.parse((await service.call({ method: "GET", url: "/v1/accounts" })).body) as {
        accounts: { id: string }[];
      };
      assert.deepEqual(
        counts.accounts.map(({ id }) => id),
        [STAYS],
      );
    });
  });
}

/** As housekeeping does, in steps of few rows. What a node holds is left to it until its attempt has ended. */
async function forgetAll(store: Awaited<ReturnType<typeof createTestApp>>["app"]["store"]): Promise<void> {
  await eventually("nothing is left of it", async () => {
    const nowMs = Date.now() + 1_000;
    const ages = { payloadsBeforeMs: 0, attemptBodiesBeforeMs: 0, rowsBeforeMs: 0 };
    const { expired } = await store.expireWaiting({ nowMs, dueBeforeMs: 0, rowsMax: 7 });
    const { purged } = await store.purge({ nowMs, ...ages, rowsMax: 7 });
    const state = await store.setAccountState({ accountId: GONER, state: "active", by, nowMs });
    return expired + purged === 0 && state !== "missing" && state.state === "deleted";
  });
}
