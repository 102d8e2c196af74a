import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ACCOUNT, conversation, createWorld, session, uuid, toValue } from "../../test/kit/world/world.ts";
import { systemClock } from "../lib/clock.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";

test("a record of an unknown account is refused and names the call that creates it", async () => {
  const world = await createWorld();
  const accepted = await world.accept(session(1));
  assert.equal(accepted.ok, false);
  assert.equal(accepted.ok ? "" : accepted.error.code, "account_not_found");
});

test("an alert on the free plan sends nothing and keeps its settings; on starter it sends", async () => {
  const world = await createWorld();
  await world.setUpAccount("starter");
  toValue(await world.setUpAlert());
  await world.setUpAccount("free");
  assert.equal((await world.acceptOne(session(1))).deliveries, 0);
  const kept = (await world.ctx.accounts.load(ACCOUNT))?.alerts[0];
  assert.equal(kept?.alert.webhooksOn, true);
  assert.equal(kept?.destination?.url, "https://hook.example.com/in");
  await world.setUpAccount("starter");
  assert.equal((await world.acceptOne(session(2))).deliveries, 1);
  await world.run();
  assert.equal(world.sent.length, 1);
});

test("on the free plan an alert with webhooks cannot be saved", async () => {
  const world = await createWorld();
  await world.setUpAccount("free");
  const saved = await world.setUpAlert();
  assert.equal(saved.ok ? "" : saved.error.code, "plan_too_low");
});

test("with the Webhooks toggle off nothing is sent", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  toValue(await world.setUpAlert({ settings: { webhooksOn: false } }));
  assert.equal((await world.acceptOne(session(1))).deliveries, 0);
  await world.run();
  assert.equal(world.sent.length, 0);
});

test("each alert that fires gets its own delivery of the one event", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  toValue(await world.setUpAlert({ settings: { name: "All" } }));
  toValue(await world.setUpAlert({ settings: { name: "Leads", audience: "known_lead" } }));
  toValue(await world.setUpAlert({ settings: { name: "Other demo", demos: ["Some other demo"] } }));
  const { deliveries } = await world.acceptOne(session(1));
  await world.run();
  assert.equal(deliveries, 2);
  assert.equal(new Set(world.sent.map(({ request }) => request.headers["webhook-id"])).size, 2);
  assert.equal(new Set(world.sent.map(({ request }) => request.body)).size, 1);
});

test("a batch that names two hundred new assistants does not starve another call of its account", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-accept-"));
  const world = await createWorld({ store: await openSqliteStore({ path: join(folder, "a.db"), clock: systemClock }) });
  try {
    await world.setUpAccount();
    await world.acceptOne(conversation(1, { assistant_id: "known" }));
    const batch = Array.from({ length: 200 }, (_, n) => conversation(1_000 + n, { assistant_id: `new-${n}` }));
    const others = Array.from({ length: 10 }, (_, n) =>
      world.acceptOne(conversation(2 + n, { assistant_id: "known" })),
    );
    await Promise.all([world.accept(...batch), ...others]);
    assert.equal((await world.ctx.accounts.load(ACCOUNT))?.assistants.size, 201);
  } finally {
    await world.store[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  }
});

test("a conversation of an unknown assistant creates it and sends nothing", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { deliveries } = await world.acceptOne(conversation(1, { assistant_id: "brand-new" }));
  assert.equal(deliveries, 0);
  assert.equal((await world.ctx.accounts.load(ACCOUNT))?.assistants.get("brand-new")?.name, "brand-new");
});

test("a repeat answers with the first event's id and sends nothing more", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  const first = await world.acceptOne(session(1));
  const again = await world.acceptOne(session(1, { id: uuid(1).toUpperCase() }));
  await world.run();
  assert.deepEqual(again, { eventId: first.eventId, deliveries: 1, duplicate: true, differs: false });
  assert.equal(world.sent.length, 1);
});

test("one conversation posted 200 times at once is one event and one delivery", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  await world.setUpAssistant("sales");
  const posts = Array.from({ length: 200 }, () => world.acceptOne(conversation(1, { assistant_id: "sales" })));
  const answers = await Promise.all(posts);
  await world.run();
  assert.equal(new Set(answers.map(({ eventId }) => eventId)).size, 1);
  assert.equal(answers.filter(({ duplicate }) => !duplicate).length, 1);
  assert.equal(world.sent.length, 1);
  assert.deepEqual(world.engine.lanes.load.counts(), { inFlight: 0, deliveries: 0 });
});

test("a second conversation of the same visitor is an event of its own", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  await world.setUpAssistant("sales");
  const first = await world.acceptOne(conversation(1, { assistant_id: "sales" }));
  const second = await world.acceptOne(conversation(2, { assistant_id: "sales" }));
  await world.run();
  assert.notEqual(first.eventId, second.eventId);
  assert.equal(world.sent.length, 2);
});

test("a change that was saved while records were being routed is applied to them", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { id, revision } = toValue(await world.setUpAlert());
  // The accept below has read the account; the change reaches the store before its commit does.
  const accepting = world.acceptOne(session(1));
  const saving = world.setUpAlert({ existing: { id, revision }, settings: { webhooksOn: false } });
  const [{ deliveries }] = [await accepting, await saving];
  await world.run();
  assert.equal(world.sent.length, deliveries);
  assert.equal((await world.acceptOne(session(2))).deliveries, 0);
});

test("a record whose body cannot be built costs the lanes no place", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  const broken = { ...session(2), buildBody: () => assert.fail("a bug") };
  await assert.rejects(world.accept(session(1), broken), /a bug/);
  assert.deepEqual(world.engine.lanes.load.counts(), { inFlight: 0, deliveries: 0 });
});
