import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { createInbox } from "./inbox.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { BUILT_IN_TYPES } from "../events/event-types.ts";

const SESSION = demoViewed.example;

let cluster: SharedCluster;
let url: string;
let service: Awaited<ReturnType<typeof createTestApp>>;

before(async () => {
  cluster = await shareCluster();
  url = await cluster.createStoreDatabase();
  service = await createTestApp({ BELLWIRE_DATABASE: url });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const get = (query = "", account = "acct-1") =>
  service.call({ method: "GET", url: `/v1/accounts/${account}/refused-records${query}` });

/** Emits sessions that are all wrong, and lets the node refuse them. */
async function refuse(count: number, account = "acct-1"): Promise<void> {
  const record = JSON.stringify({ ...SESSION, id: uuid(1), completion: 101, private_note: "canary" });
  await cluster.query(
    url,
    `select bellwire.emit_demo_session('${account}', '${record}') from generate_series(1, ${count})`,
  );
  const { store, delivery } = service.app;
  const { clock, random } = delivery;
  const report = { taken: () => {}, refused: () => {}, failed: () => assert.fail("nothing fails") };
  const inbox = createInbox({
    store,
    types: BUILT_IN_TYPES,
    clock,
    random,
    report,
    accept: () => assert.fail("nothing is accepted"),
  });
  for (let taken = 0; taken < count;) taken += (await inbox.step()).taken;
}

test("the product's programmers see what was refused, with the problem that a call would have answered", async () => {
  await refuse(1);
  const answer = await get();
  assert.equal(answer.statusCode, 200);
  const { records, has_more } = answer.json();
  assert.equal(has_more, false);
  const [refused] = records;
  assert.deepEqual(Object.keys(refused), ["inbox_id", "event", "emitted_at", "refused_at", "problem", "record"]);
  assert.equal(refused.event, "demo_viewed");
  assert.equal(JSON.parse(refused.record).private_note, "canary");
  await service.put("/v1/accounts/acct-1", { name: "A", plan: "starter", app_url: "https://app.example.com" });
  const overHttp = await service.post("/v1/accounts/acct-1/demo-sessions", JSON.parse(refused.record));
  assert.deepEqual(refused.problem, overHttp.json());
  assert.equal((await get("", "acct-2")).json().records.length, 0);
});

test("they come page by page, and a page that no list gave is refused", async () => {
  await refuse(25, "acct-3");
  const first = (await get("", "acct-3")).json();
  assert.deepEqual([first.records.length, first.has_more], [20, true]);
  const second = (await get(`?before=${first.records.at(-1).inbox_id}`, "acct-3")).json();
  assert.deepEqual([second.records.length, second.has_more], [5, false]);
  assert.ok(second.records[0].inbox_id < first.records.at(-1).inbox_id);
  for (const place of ["", "0", "-1", "x", "1e3", "99999999999999999"]) {
    const answer = await get(`?before=${place}`);
    assert.equal(answer.statusCode, 400, place);
    assert.equal(answer.json().errors[0].path, "before");
  }
});

test("no caller sees them without the intake key, and the address takes GET alone", async () => {
  const address = "/v1/accounts/acct-1/refused-records";
  assert.equal((await service.app.server.inject({ url: address })).statusCode, 401);
  const posted = await service.post(address, {});
  assert.deepEqual([posted.statusCode, posted.headers["allow"]], [405, "GET, HEAD"]);
});
