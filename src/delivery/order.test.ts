/** The order of first attempts to a destination that goes well, on both stores: what the documents promise of it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { shareCluster } from "../../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { ACCOUNT, createWorld, session, toValue, uuid } from "../../test/kit/world/world.ts";
import { createClient } from "../client/client.ts";
import { systemClock } from "../lib/clock.ts";
import { openPostgresStore } from "../store/postgres/open.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";

const EVENTS = 500;
const CALLERS = 16;

/** Where each store is, and what goes with it. */
const DATABASES = {
  async SQLite(used: AsyncDisposableStack) {
    const folder = used.adopt(mkdtempSync(join(tmpdir(), "bellwire-order-")), (path) =>
      rmSync(path, { recursive: true }),
    );
    return `sqlite:${folder}/bellwire.db`;
  },
  async PostgreSQL(used: AsyncDisposableStack) {
    return await used.use(await shareCluster()).createDatabase();
  },
};

for (const [name, open] of Object.entries(DATABASES)) {
  test(`${name}: a batch of ${EVENTS}, accepted within a millisecond, starts in its order`, async () => {
    await using used = new AsyncDisposableStack();
    const url = await open(used);
    const clock = systemClock;
    const store = used.use(
      name === "SQLite"
        ? await openSqliteStore({ path: url.slice("sqlite:".length), clock })
        : (await openPostgresStore({ url, clock })).store,
    );
    const world = await createWorld({ store });
    await world.setUpAccount();
    toValue(await world.setUpAlert());
    const numbers = Array.from({ length: EVENTS }, (_, at) => at);
    toValue(await world.accept(...numbers.map((number) => session(number))));
    await world.runToIdle();
    const started = world.sent.map(({ request }) => uuidIn(request.body));
    assert.deepEqual(started, numbers.map(uuid));
  });

  test(`${name}: requests of a batch, and of ${CALLERS} callers at once, arrive about in order`, async () => {
    await using used = new AsyncDisposableStack();
    const receiver = used.use(await startReceiver(slowerThanItsAccept));
    const env = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_DATABASE: await open(used) };
    const service = used.use(await createTestApp(env));
    const { port } = await service.app.start();
    const client = createClient({ url: `http://127.0.0.1:${port}`, key: API_KEY });
    await client.putAccount(ACCOUNT, { name: "Acme", plan: "starter", app_url: "https://app.example.com" });
    await createAlert(service.app.accounts, { accountId: ACCOUNT, url: `${receiver.url}/hook` });
    const records = Array.from({ length: EVENTS }, (_, at) => sessionRecord(uuid(at)));
    await post(port, records.join("\n"), "application/x-ndjson");
    await receiver.received(EVENTS);
    assertInOrder(receiver, 0);
    const singles = Array.from({ length: EVENTS }, (_, at) => sessionRecord(uuid(EVENTS + at))).values();
    const postAll = async (): Promise<void> => {
      for (const record of singles) await post(port, record, "application/json");
    };
    await Promise.all(Array.from({ length: CALLERS }, postAll));
    await receiver.received(2 * EVENTS);
    assertInOrder(receiver, EVENTS);
  });
}

const uuidIn = (body: string): string => /"id":"([0-9a-f-]{36})"/.exec(body)?.[1] ?? "";

/** A receiver takes turns of its loop to accept a connection and to read from it. Its others wait for that here. */
async function slowerThanItsAccept(): Promise<object> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
  return {};
}

async function post(port: number, body: string, type: string): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": type };
  const url = `http://127.0.0.1:${port}/v1/accounts/${ACCOUNT}/demo-sessions`;
  const answer = await fetch(url, { method: "POST", body, headers });
  assert.ok(answer.ok, await answer.text());
}

/** Ids are in the order of acceptance. */
function assertInOrder({ requests, ...receiver }: Receiver, from: number): void {
  const arrived = requests.slice(from).map(({ headers }) => headers["webhook-id"] ?? "");
  const placeOf = new Map(arrived.toSorted().map((id, place) => [id, place]));
  const farthest = Math.max(...arrived.map((id, place) => Math.abs((placeOf.get(id) ?? Infinity) - place)));
  const connections = receiver.connectionCount();
  assert.ok(farthest <= connections, `${farthest} places off with ${connections} connections`);
}
