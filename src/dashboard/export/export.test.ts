/** Exports over real sockets: who may have one, what is in it, and that it ends with its reader. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAccount } from "../../../test/kit/make.ts";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { createAlert } from "../../../test/kit/world/alerts.ts";
import { signIn } from "../../../test/kit/world/signed-in.ts";
import { session, toValue } from "../../../test/kit/world/world.ts";
import { putAccount } from "../../accounts/put-account.ts";
import { accept } from "../../delivery/accept.ts";

const TITLES =
  "Accepted at,Status,Event,Sent for,Webhook URL,Who,What,Response,Response time (ms),Attempts,Next attempt at,Test," +
  "Webhook id,Event id,E-mail,Company,Company domain,Session or conversation id";

async function openApp() {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver(({ path }) => ({ status: path === "/bad" ? 400 : 200 })));
  const { app } = building.use(await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" }));
  const { port } = await app.start();
  for (const id of ["acme", "other"]) {
    await putAccount(app.accounts, makeAccount({ id }));
    await createAlert(app.accounts, { accountId: id, name: `=cmd of ${id}`, url: `${receiver.url}/${id}` });
  }
  const owner = await signIn(app, { accountId: "acme" });
  const viewer = await signIn(app, { accountId: "acme", role: "viewer" });
  const stack = building.move();
  return {
    app,
    viewer: viewer.cookie,
    send: async (accountId: string, ...numbers: readonly number[]): Promise<void> => {
      const records = numbers.map((number) => session(number));
      toValue(await accept({ ctx: app.delivery, engine: app.engine }, accountId, records));
      do await app.engine.lanes.load.idle();
      while ((await app.engine.tick()) > 0);
    },
    async index(): Promise<void> {
      const limits = { nowMs: app.accounts.clock.nowMs(), eventsMax: 1_000, bytesMax: 10 ** 9 };
      while ((await app.store.indexEvents(limits)).hasMore);
    },
    get: (path: string, cookie: string | null = owner.cookie, signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}/dashboard/export/${path}`, {
        headers: cookie === null ? {} : { cookie },
        ...(signal === undefined ? {} : { signal }),
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("a CSV file has its titles, and a line for each delivery of the account that the filters find", async () => {
  await using service = await openApp();
  await service.send("acme", 1, 2);
  await service.send("other", 3);
  const answer = await service.get("deliveries.csv?status=delivered&zone=Europe/Berlin");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename="deliveries-.*\.csv"$/);
  assert.match(answer.headers.get("cache-control") ?? "", /no-store/);
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  const [titles, ...lines] = bytes.toString("utf8").slice(1).split("\r\n");
  assert.equal(titles, TITLES);
  assert.equal(lines.length, 3);
  assert.equal(lines[2], "");
  assert.match(lines[0] ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+\+0[12]:00,delivered,demo_viewed,'=cmd of acme,http:/);
  assert.ok(!lines.join().includes("other"));
  assert.match(lines[0] ?? "", /,ada@example\.com,Example Analytics,example\.com,[\da-f-]{36}$/);
  assert.equal((await (await service.get("deliveries.csv?status=failed")).text()).split("\r\n").length, 2);
});

test("NDJSON has an object a line, of the same columns, and more than one page of them", async () => {
  await using service = await openApp();
  const numbers = Array.from({ length: 1_201 }, (_, place) => place + 1);
  for (let first = 0; first < numbers.length; first += 300)
    await service.send("acme", ...numbers.slice(first, first + 300));
  const answer = await service.get("deliveries.ndjson", service.viewer);
  assert.equal(answer.headers.get("content-type"), "application/x-ndjson; charset=utf-8");
  const rows = (await answer.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(new Set(rows.map((row) => row["webhook_id"])).size, 1_201);
  const times = rows.map((row) => String(row["accepted_at"]));
  assert.deepEqual(times, times.toSorted().toReversed());
  assert.equal(new Set(rows.map((row) => row["source_id"])).size, 1_201);
  assert.ok(rows.every((row) => row["email"] === "ada@example.com"));
  assert.deepEqual([rows[0]?.["sent_for"], rows[0]?.["response"], rows[0]?.["test"]], ["=cmd of acme", "200", false]);
});

test("a search narrows it like any filter, on all its pages", async () => {
  await using service = await openApp();
  await service.send("acme", 1, 2, 3);
  await service.index();
  const count = async (query: string) =>
    (await (await service.get(`deliveries.ndjson?q=${query}`)).text()).split("\n").length - 1;
  assert.equal(await count("lovelace"), 3);
  assert.equal(await count("unknownperson"), 0);
});

test("it is refused to strangers, with filters that cannot be read, and with a zone that is not known", async () => {
  await using service = await openApp();
  const code = async (answer: Response) => ((await answer.json()) as { code: string }).code;
  assert.equal(await code(await service.get("deliveries.csv", null)), "not_signed_in");
  assert.equal(await code(await service.get("deliveries.csv?status=lost")), "invalid_parameter");
  assert.equal(await code(await service.get("deliveries.csv?zone=Mars/Base")), "invalid_parameter");
  assert.equal((await service.get("deliveries.xml")).status, 404);
});

test("a third one at once waits for its turn, and one that is given up makes room", async () => {
  await using service = await openApp();
  await service.send("acme", 1);
  // The store's answer is held back: both exports stay under way.
  const { store } = service.app.accounts;
  const held = Promise.withResolvers<void>();
  const list = store.listDeliveries.bind(store);
  let asked = 0;
  const bothAsked = Promise.withResolvers<void>();
  store.listDeliveries = async (params) => {
    asked += 1;
    if (asked === 2) bothAsked.resolve();
    await held.promise;
    return await list(params);
  };
  const first = service.get("deliveries.csv");
  const second = service.get("deliveries.ndjson");
  await bothAsked.promise;
  const third = await service.get("deliveries.csv");
  assert.equal(third.status, 429);
  assert.equal(((await third.json()) as { code: string }).code, "too_many_exports");
  held.resolve();
  await (await first).text();
  await (await second).text();
  const again = await service.get("deliveries.csv");
  assert.equal(again.status, 200);
  await again.text();
});
