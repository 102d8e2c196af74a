/**
 * People are erased who are anywhere in what the product, receivers and the network may send, and what is left is
 * searched for their address: a copy of all tables, on SQLite the bytes of the files, and the log. Each search finds it
 * before, so that none is for something that was never there.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { makeNewDelivery, makeNewEvent } from "../../test/kit/make.ts";
import { DECLARED_TYPES, EVENTS_FOLDER } from "../../test/kit/declared-types.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import type { Outcome } from "../domain/attempt.ts";
import { newId } from "../domain/id.ts";
import { systemRandom } from "../lib/random.ts";
import { createLog } from "../observe/log.ts";
import * as world from "../store/conformance/world.ts";
import { backUp } from "../store/sqlite/backup.ts";
import type { Store } from "../store/contract/store.ts";

const JANE = "jane.canary@example.com";
const ACCOUNT = world.ACCOUNT.id;
const URL = `/v1/accounts/${ACCOUNT}/people`;

const SEED = Number(process.env["BELLWIRE_FUZZ_SEED"] ?? 37);
const RUNS = Number(process.env["BELLWIRE_FUZZ_RUNS"] ?? 12);

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

const has = (text: string, name: string): boolean =>
  [name, Buffer.from(name).toString("hex")].some((form) => text.toLowerCase().includes(form));

interface Kept {
  readonly database: string;
  /** Everything that it has on disk, or would put into a dump. */
  read(): string | Promise<string>;
  /** Puts a record into the outbox that waits, and a refused one. Returns how many. */
  emit(record: string): Promise<number>;
  readonly stack: AsyncDisposableStack;
}

function onSqlite(): Promise<Kept> {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-erased-"));
  const stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true }));
  function read(): string {
    const backup = join(folder, "backup.db");
    rmSync(backup, { force: true });
    toValue(backUp(join(folder, "bellwire.db"), { to: backup, nowMs: 0 }));
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("\n");
  }
  return Promise.resolve({ database: `sqlite:${folder}/bellwire.db`, read, emit: () => Promise.resolve(0), stack });
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
  async function emit(record: string): Promise<number> {
    const row = `'${ACCOUNT}', 'demo_viewed', $record$${record}$record$, 1`;
    const rows = await cluster.query(
      database,
      `with emitted as (
         insert into bellwire.inbox (account_id, type, record, emitted_at, due_at)
         values (${row}, 9e15::bigint)
         returning seq
       )
       insert into bellwire.refused_records
         (account_id, type, record, emitted_at, seq, refused_at, code, detail, errors)
       select ${row}, seq + 1000, 1, 'invalid_record', 'no', '[]' from emitted
       returning seq`,
    );
    return rows.length * 2;
  }
  return { database, read, emit, stack: new AsyncDisposableStack() };
}

/** Where an address may stand besides the body. */
const PLACES = "key not_sent trace url header message answer_header answer test replay outbox".split(" ");

interface Planted {
  readonly type: string;
  /** Of the texts in the type's example; -1 for an event that does not have the address in its body. */
  readonly field: number;
  readonly places: readonly string[];
  /** As people and programs write it. */
  readonly write: (email: string) => string;
  readonly end: "delivered" | "failed" | "pending" | "untried";
}

const planted: fc.Arbitrary<Planted> = fc
  .record({
    type: fc.constantFrom("demo_viewed", "chat_conversation_completed", "lead_identified", "form_submitted"),
    field: fc.integer({ min: -1, max: 40 }),
    places: fc.subarray(PLACES),
    write: fc.constantFrom(
      (email: string) => email,
      (email: string) => email.toUpperCase(),
      (email: string) => `mailto:${encodeURIComponent(email)}?subject=hello`,
      (email: string) => `<${email}>, ${"x".repeat(3_000)}`,
    ),
    end: fc.constantFrom("delivered", "failed", "pending", "untried"),
  })
  .filter(({ field, places, end }) => field >= 0 || (places.some(isOfEvent) && ["delivered", "pending"].includes(end)));

const EVERYWHERE: Planted = {
  type: "demo_viewed",
  field: 3,
  places: PLACES,
  write: (email) => email,
  end: "delivered",
};

const isOfEvent = (place: string): boolean => place !== "test" && place !== "outbox";

const ONLY_ANSWERED: Planted = { ...EVERYWHERE, field: -1, places: ["answer"] };

/** The type's example, with a text in the place of one of its texts. */
function bodyOf(type: string, field: number, text: string): string {
  let texts = 0;
  const example = DECLARED_TYPES.find(type)?.example ?? {};
  JSON.stringify(example, (_, value: unknown) => ((texts += typeof value === "string" ? 1 : 0), value));
  let left = field % texts;
  const replace = (_: string, value: unknown) => (typeof value === "string" && left-- === 0 ? text : value);
  return JSON.stringify(example, field === -1 ? undefined : replace);
}

function outcomeOf(text: (place: string) => string, end: Planted["end"]): Outcome {
  const message = text("message");
  if (end === "failed") return { kind: "tls_error", code: "ERR_TLS_CERT_ALTNAME_INVALID", message };
  const response = { status: 200, headers: { "x-echo": text("answer_header") }, body: Buffer.from(text("answer")) };
  return { kind: "response", response: { ...response, bodyCut: false }, message };
}

interface Given {
  readonly store: Store;
  readonly kept: Kept;
  readonly destinationId: string;
}

/** Accepted, sent, answered and searched for, as the planted one says. Returns what the erasing is to count. */
async function plant(
  { store, kept, destinationId }: Given,
  email: string,
  { type, field, places, write, end }: Planted,
) {
  const text = (place: string) => (places.includes(place) ? write(email) : "nothing");
  const nowMs = Date.now();
  const [id, deliveryId] = [newId("evt", nowMs, systemRandom), newId("dlv", nowMs, systemRandom)];
  const event = world.makeEvent(
    0,
    makeNewEvent({
      id,
      type,
      configVersion: await world.loadVersion(store),
      sourceId: places.includes("key") ? `${id} ${write(email)}` : id,
      body: bodyOf(type, field, write(email)),
      deliveries: [makeNewDelivery({ id: deliveryId, destinationId, claimed: end !== "untried" })],
      notSent: places.includes("not_sent")
        ? `[0,["dst_b","all",["lead.email","is_not",${JSON.stringify(write(email))}]]]`
        : null,
      traceContext: `00-1 vendor=${text("trace")}`,
    }),
  );
  assert.equal((await world.accept(store, [event], nowMs))[0]?.kind, "accepted");
  const attempt = {
    ...world.makeAttempt(1, { outcome: outcomeOf(text, end) }),
    url: `https://user@dst.example/hook?${text("url")}`,
    requestHeaders: { "x-owner": text("header"), "webhook-id": deliveryId },
  };
  const next = end === "pending" ? { state: "pending" as const, dueAtMs: nowMs } : { state: end as "failed" };
  const settlements = end === "untried" ? [] : [world.makeSettlement(deliveryId, { attempt, next })];
  await store.settleAttemptsIfClaimed({ nowMs, settlements });
  if (places.includes("test")) {
    const ids = { deliveryId: newId("dlv", nowMs, systemRandom), eventId: newId("evt", nowMs, systemRandom) };
    await store.recordTestDelivery({ ...world.TEST_DELIVERY, ...ids, destinationId, nowMs, body: event.body, attempt });
  }
  const filter = { states: ["failed"], ...(places.includes("replay") && { q: write(email).slice(0, 90) }) } as const;
  const replay = { accountId: ACCOUNT, id: newId("rpl", nowMs, systemRandom), filter, by: world.ADA, nowMs };
  await store.createReplay({ ...replay, deliveriesMax: 99, ratePerSecond: 1, startPaused: true });
  await store.indexEvents({ nowMs, eventsMax: 100, bytesMax: 10 ** 7 });
  const records = places.includes("outbox") ? await kept.emit(JSON.stringify({ email: write(email) })) : 0;
  return { event, records };
}

for (const [store, keep] of [
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const) {
  test(`an erased person is nowhere on ${store}, and another one is where they were`, async () => {
    const kept = await keep();
    await using stack = kept.stack.move();
    const sink = new PassThrough();
    let log = "";
    sink.on("data", (chunk: Buffer) => (log += chunk.toString()));
    const env = {
      BELLWIRE_DATABASE: kept.database,
      BELLWIRE_EVENTS: EVENTS_FOLDER,
      BELLWIRE_EGRESS_ALLOW: "127.0.0.1/32",
    };
    await using service = stack.use(await createTestApp(env, { log: createLog("trace", sink) }));
    const { store: database } = service.app;
    await service.put(`/v1/accounts/${ACCOUNT}`, {
      name: "Acme",
      plan: "growth",
      app_url: "https://app.example.com",
    });
    const { destinationId } = await createAlert(service.app.accounts, {
      accountId: ACCOUNT,
      url: "https://127.0.0.1/in",
    });
    const given = { store: database, kept, destinationId };
    await plant(given, "bo.canary@example.com", { ...EVERYWHERE, places: PLACES.slice(0, -2) });
    const listAudit = () =>
      database.listAudit({ accountId: ACCOUNT, action: "person_erased", before: null, limit: 999 });
    let people = 0;
    const property = fc.asyncProperty(planted, async (one) => {
      const name = `jane${(people += 1)}canary`;
      const email = `${name}@example.com`;
      const { event, records } = await plant(given, email, one);
      assert.ok(has(await kept.read(), name), "the address is found where it is");
      const url = `${URL}?email=${encodeURIComponent(email)}`;
      const audited = (await listAudit()).length;
      const erased = await service.call({ method: "DELETE", url });
      assert.equal(erased.statusCode, 200, log.slice(-3000));
      const { next, in_flight: inFlight, inbox_records: waiting, refused_records: refused, ...counts } = erased.json();
      const isCounted = Object.values({ ...counts, records }).some((count) => count !== 0);
      assert.equal((await listAudit()).length, audited + (isCounted ? 1 : 0));
      assert.deepEqual([next, inFlight, waiting + refused], [null, 0, records]);
      assert.ok(!has(await kept.read(), name), "the database has the address");
      assert.ok(!has(log, name), "the log has the address");
      const nothing = { events: 0, answers: 0, cancelled: 0, searches: 0, inbox_records: 0, refused_records: 0 };
      assert.deepEqual((await service.call({ method: "DELETE", url })).json(), {
        ...nothing,
        in_flight: 0,
        next: null,
      });
      if (one.places.includes("key")) return;
      const [again] = await world.accept(database, [{ ...event, configVersion: await world.loadVersion(database) }]);
      assert.equal(again?.kind, "duplicate");
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS, examples: [[EVERYWHERE], [ONLY_ANSWERED]] });
    assert.ok(has(await kept.read(), "bo.canary"), "the other person is still there");
    const [entry] = await listAudit();
    assert.deepEqual([entry?.person, entry?.address], ["intake key", "127.0.0.1"]);
  });
}

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
    assert.ok(!has(answer.body, "jane.canary"), answer.body);
  }
  const url = `/v1/accounts/nobody/people?email=${JANE}`;
  assert.equal((await service.call({ method: "DELETE", url })).statusCode, 404);
  assert.equal((await service.app.server.inject({ method: "DELETE", url })).statusCode, 401);
  assert.ok(API_KEY.length > 0);
});
