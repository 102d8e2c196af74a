import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startCluster } from "../../../../test/kit/servers/postgres.ts";
import { makeDestinationSetup } from "../../../../test/kit/make.ts";
import { migrateAhead } from "../../../../test/kit/world/newer-schema.ts";
import { systemClock } from "../../../lib/clock.ts";
import { PULL_URL } from "../../../domain/pull.ts";
import {
  accept,
  ACCOUNT,
  ADA,
  ALERT_DESTINATION,
  alertToSave,
  channelToAdd,
  claimIds,
  due,
  held,
  LEASE_MS,
  makeEvent,
  setUp,
  T0,
  WEBHOOK,
  webhookToSave,
} from "../../conformance/world.ts";
import type { DestinationSetup } from "../../contract/accounts.ts";
import { type Store, StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import { openPostgresStore } from "../open.ts";
import { mayWrite, newForms } from "./forms.ts";
import { MIGRATIONS, NEWEST_FORM, NEWEST_VERSION } from "./migrations.ts";

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

/** The newest schema of nodes that know no webhook that is asked. */
const BEFORE_PULLS = 3;
const BEFORE_ORDER = 7;

/** The newest schema that knows no groups of event types. */
const BEFORE_GROUPS = 8;

const NEXT_FORM = NEWEST_VERSION + 1;
/** A node of the version after this one, which brings a new form of rows. */
const NEWER = { reads: NEXT_FORM, writes: NEXT_FORM };
/** A node of 1.0.0, which knows no body but the event. */
const V1_0 = { reads: 2, writes: 1 };

const open = async (url: string, forms = {}): Promise<Store> =>
  (await openPostgresStore({ url, clock: systemClock, forms })).store;

async function findReadBy(url: string): Promise<unknown> {
  const [row] = await cluster.query(url, "select max(read_by)::integer as number from bellwire.schema_migrations");
  return row?.["number"];
}

/** Longer than a node that withholds a form waits before it asks again. */
const LATER_MS = 6_000;

test("a form is written by nodes that know it, once every node of the database reads it", () => {
  const [today, newer] = [newForms(), newForms(NEWER)];
  assert.ok(!mayWrite({ ...newer, readBy: NEWEST_VERSION }, NEXT_FORM));
  assert.ok(mayWrite({ ...newer, readBy: NEXT_FORM }, NEXT_FORM));
  assert.ok(!mayWrite({ ...today, readBy: NEXT_FORM }, NEXT_FORM));
});

describe("of nodes of two versions on one database", () => {
  test("the newer one waits with its form until the older one has gone", async () => {
    const url = await cluster.createDatabase();
    const old = await open(url);
    await claimIds(old, T0);
    await using fresh = await open(url, NEWER);
    await claimIds(fresh, T0);
    assert.equal(await findReadBy(url), Math.max(NEWEST_FORM, ...MIGRATIONS.map(({ readBy }) => readBy)));
    await old[Symbol.asyncDispose]();
    await claimIds(fresh, T0 + LATER_MS);
    assert.equal(await findReadBy(url), NEXT_FORM);
  });

  test("a webhook that is asked is saved when the last one that would call it has gone", async () => {
    const url = await cluster.createDatabase();
    const old = await open(url, { reads: BEFORE_PULLS, writes: BEFORE_PULLS });
    await setUp(old, []);
    await claimIds(old, T0);
    await using fresh = await open(url);
    await claimIds(fresh, T0);
    const asked = webhookToSave({ destination: makeDestinationSetup({ id: "dst_asked", url: PULL_URL }) });
    assert.deepEqual(await fresh.saveWebhook(asked), { kind: "older_nodes" });
    assert.equal((await fresh.loadAccount({ accountId: asked.accountId }))?.webhooks.length, 0);
    await old[Symbol.asyncDispose]();
    await claimIds(fresh, T0 + LATER_MS);
    assert.deepEqual(await fresh.saveWebhook(asked), { kind: "saved", revision: 1 });
  });

  test("an order is saved when the last one that would send as it pleases has gone", async () => {
    const url = await cluster.createDatabase();
    const old = await open(url, { reads: BEFORE_ORDER, writes: BEFORE_ORDER });
    await setUp(old, []);
    await claimIds(old, T0);
    await using fresh = await open(url);
    await claimIds(fresh, T0);
    const ordered = webhookToSave({ destination: makeDestinationSetup({ id: "dst_ordered", oneAtATime: true }) });
    assert.deepEqual(await fresh.saveWebhook(ordered), { kind: "older_nodes" });
    await old[Symbol.asyncDispose]();
    await claimIds(fresh, T0 + LATER_MS);
    assert.deepEqual(await fresh.saveWebhook(ordered), { kind: "saved", revision: 1 });
  });

  test("a webhook on a group of types is saved when the last one that would find none of them has gone", async () => {
    const url = await cluster.createDatabase();
    const old = await open(url, { reads: BEFORE_GROUPS, writes: BEFORE_GROUPS });
    await setUp(old, []);
    await claimIds(old, T0);
    await using fresh = await open(url);
    await claimIds(fresh, T0);
    const grouped = webhookToSave({ webhook: { ...WEBHOOK, events: [{ type: "order.*", conditions: null }] } });
    assert.deepEqual(await fresh.saveWebhook(grouped), { kind: "older_nodes" });
    assert.equal((await fresh.loadAccount({ accountId: grouped.accountId }))?.webhooks.length, 0);
    await old[Symbol.asyncDispose]();
    await claimIds(fresh, T0 + LATER_MS);
    assert.deepEqual(await fresh.saveWebhook(grouped), { kind: "saved", revision: 1 });
  });

  test("an older one that was frozen claims nothing when it wakes up after the newer form is written", async () => {
    const url = await cluster.createDatabase();
    await using frozen = await open(url);
    const configVersion = await setUp(frozen, ["dst_a"]);
    await accept(frozen, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })], T0);
    await using fresh = await open(url, NEWER);
    const endedMs = T0 + 2 * LEASE_MS;
    // The first claim takes over the lease that has ended.
    const claimed = [...(await claimIds(fresh, endedMs)), ...(await claimIds(fresh, endedMs + LATER_MS))];
    assert.deepEqual(claimed, ["dlv_1"]);
    assert.equal(await findReadBy(url), NEXT_FORM);
    await accept(fresh, [makeEvent(2, { configVersion, deliveries: [due("dlv_2", "dst_a")] })], endedMs + LATER_MS);
    const atMs = endedMs + LATER_MS + 1;
    assert.deepEqual(await claimIds(frozen, atMs), []);
    const message = `rows in a form of schema ${NEXT_FORM}, and this node knows schema ${NEWEST_VERSION}`;
    const isRefusal = (error: unknown) => error instanceof StoreUnavailable && error.message.includes(message);
    await assert.rejects(claimIds(frozen, atMs + 1_000), isRefusal);
    assert.deepEqual(await claimIds(fresh, atMs + 1_000), ["dlv_2"]);
  });

  test("an older one that started while the number rose is refused its first claim", async () => {
    const url = await cluster.createDatabase();
    await using late = await open(url);
    await using fresh = await open(url, NEWER);
    await claimIds(fresh, T0);
    await assert.rejects(claimIds(late, T0), StoreUnavailable);
  });

  test("a step that older ones cannot work with is refused while one runs, and made when it has stopped", async () => {
    const url = await cluster.createDatabase();
    const old = await open(url);
    await claimIds(old, systemClock.nowMs() + 365 * 86_400_000);
    const breaking = [{ sql: "alter table deliveries drop column attempts_made" }];
    const isRefusal = (error: unknown) =>
      error instanceof StoreUnusable && /used by nodes of an older Bellwire.*stop all of them/.test(error.message);
    await assert.rejects(migrateAhead(url, breaking), isRefusal);
    await claimIds(old, systemClock.nowMs() + 365 * 86_400_000 + 1);
    await old[Symbol.asyncDispose]();
    await migrateAhead(url, [{ sql: "select 1" }]);
    assert.equal(await findReadBy(url), NEWEST_VERSION + 1);
    await assert.rejects(open(url), StoreUnusable);
  });

  test("a body that the older one would not know is saved when that has gone, and the event at any time", async () => {
    const url = await cluster.createDatabase();
    const old = await open(url, V1_0);
    await setUp(old, []);
    await claimIds(old, T0);
    await using fresh = await open(url);
    await claimIds(fresh, T0);
    const { destination } = webhookToSave();
    const save = (parts: Partial<DestinationSetup>) =>
      fresh.saveWebhook(webhookToSave({ destination: { ...destination, ...parts } }));
    const template = { body: "template", template: "{}" } as const;
    assert.deepEqual(await save(template), { kind: "older_nodes" });
    assert.deepEqual(await save({ body: "slack" }), { kind: "older_nodes" });
    assert.equal((await fresh.loadAccount({ accountId: ACCOUNT.id }))?.webhooks.length, 0, "nothing of it is there");
    assert.deepEqual(await save({}), { kind: "saved", revision: 1 });
    assert.equal(await fresh.addChannel(channelToAdd("ops")), "added");
    const teams = channelToAdd("team", { channel: { ...channelToAdd("team").channel, kind: "teams" } });
    assert.equal(await fresh.addChannel(teams), "older_nodes");
    await old[Symbol.asyncDispose]();
    await claimIds(fresh, T0 + LATER_MS);
    const again = webhookToSave({ destination: { ...destination, ...template }, expectedRevision: 1 });
    assert.deepEqual(await fresh.saveWebhook(again), { kind: "saved", revision: 2 });
    assert.equal(await fresh.addChannel(teams), "added");
    await assert.rejects(
      open(url, V1_0).then((store) => claimIds(store, T0 + LATER_MS)),
      StoreUnavailable,
    );
  });

  test("an assistant's webhook and an alert's are withheld alike, and a node that has just started asks", async () => {
    const url = await cluster.createDatabase();
    const old = await open(url, V1_0);
    await setUp(old, ["dst_a"]);
    await claimIds(old, T0);
    const accountId = ACCOUNT.id;
    const chat = { body: "discord", template: null } as const;
    const destination = { ...makeDestinationSetup({ id: "dst_a", url: "https://dst_a.example/hook" }), ...chat };
    const change = {
      accountId,
      assistantId: "assistant of dst_a",
      destination,
      expectedRevision: 2,
      by: ADA,
      nowMs: T0,
    };
    const alert = alertToSave({ destination: { ...ALERT_DESTINATION, ...chat } });
    {
      await using fresh = await open(url);
      assert.deepEqual(await fresh.saveAssistantDestination(change), { kind: "older_nodes" });
      assert.deepEqual(await fresh.saveAlert(alert), { kind: "older_nodes" });
    }
    await old[Symbol.asyncDispose]();
    // It has claimed nothing yet, so it has no sight of its own.
    await using fresh = await open(url);
    assert.deepEqual(await fresh.saveAssistantDestination(change), { kind: "saved", revision: 3 });
    assert.deepEqual(await fresh.saveAlert(alert), { kind: "saved", revision: 1 });
  });
});
