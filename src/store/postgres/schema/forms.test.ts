import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Cluster, startCluster } from "../../../../test/kit/servers/postgres.ts";
import { migrateAhead } from "../../../../test/kit/world/newer-schema.ts";
import { systemClock } from "../../../lib/clock.ts";
import { EVENT_FAMILIES } from "../../../events/catalog.ts";
import { DEMO_VIEWED_SAMPLES } from "../../../events/demo-viewed.ts";
import type { Result } from "../../../domain/problem.ts";
import { accept, claimIds, due, held, LEASE_MS, makeEvent, setUp, T0 } from "../../conformance/world.ts";
import { type Store, StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import { openPostgresStore } from "../open.ts";
import { SHORT_BODIES } from "./forms.ts";
import { NEWEST_VERSION } from "./migrations.ts";

/** One that is kept shortened. */
const BODY = unwrap(EVENT_FAMILIES.demo_viewed.parse(JSON.stringify(DEMO_VIEWED_SAMPLES.knownLead))).buildBody({
  appUrl: "https://app.example.com",
});

function unwrap<Value>(result: Result<Value, unknown>): Value {
  assert.ok(result.ok);
  return result.value;
}

let cluster: Cluster;

before(async () => {
  cluster = await startCluster();
});
after(() => cluster[Symbol.asyncDispose]());

/** A node that knows no short bodies. */
const OLD = { reads: SHORT_BODIES - 1, writes: SHORT_BODIES - 1 };

const open = async (url: string, forms = {}): Promise<Store> =>
  (await openPostgresStore({ url, clock: systemClock, forms })).store;

/** A database that nodes of the version before have made. */
async function createOldDatabase(): Promise<string> {
  const url = await cluster.createDatabase();
  await (await open(url))[Symbol.asyncDispose]();
  await cluster.query(url, "update bellwire.schema_migrations set read_by = 1");
  return url;
}

async function findReadBy(url: string): Promise<unknown> {
  const [row] = await cluster.query(url, "select max(read_by)::integer as number from bellwire.schema_migrations");
  return row?.["number"];
}

/** Longer than a node that withholds a form waits before it asks again. */
const LATER_MS = 6_000;

/** As the fresh event's row has it. */
async function keptBody(url: string, n: number): Promise<string> {
  const [row] = await cluster.query(url, `select body from bellwire.events where id like '%${n}'`);
  return String(row?.["body"]);
}

describe("nodes of two versions on one database", () => {
  test("write what both read until the older one has gone, and the newer form from then on", async () => {
    const url = await createOldDatabase();
    const old = await open(url, OLD);
    const configVersion = await setUp(old, ["dst_a"]);
    await claimIds(old, T0);
    // The start of a newer node raises nothing either.
    await using fresh = await open(url);
    const post = (n: number, nowMs: number) =>
      accept(
        fresh,
        [{ ...makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, "dst_a")] }), body: BODY }],
        nowMs,
      );
    await post(1, T0);
    assert.equal(await keptBody(url, 1), BODY);
    assert.deepEqual(await claimIds(old, T0 + 1), ["dlv_1"]);
    assert.equal(await findReadBy(url), OLD.reads);
    await old[Symbol.asyncDispose]();
    await post(2, T0 + LATER_MS);
    assert.notEqual(await keptBody(url, 2), BODY);
    assert.equal(await findReadBy(url), SHORT_BODIES);
  });

  test("an older one that was frozen claims nothing when it wakes up after the newer form is written", async () => {
    const url = await createOldDatabase();
    await using frozen = await open(url, OLD);
    const configVersion = await setUp(frozen, ["dst_a"]);
    await accept(frozen, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })], T0);
    await using fresh = await open(url);
    const endedMs = T0 + 2 * LEASE_MS;
    // The first claim takes over the lease that has ended.
    const claimed = [...(await claimIds(fresh, endedMs)), ...(await claimIds(fresh, endedMs + LATER_MS))];
    assert.deepEqual(claimed, ["dlv_1"]);
    assert.equal(await findReadBy(url), SHORT_BODIES);
    const event = makeEvent(2, { configVersion, deliveries: [due("dlv_2", "dst_a")] });
    await accept(fresh, [{ ...event, body: BODY }], endedMs + LATER_MS);
    const atMs = endedMs + LATER_MS + 1;
    assert.deepEqual(await claimIds(frozen, atMs), []);
    const isRefusal = (error: unknown) =>
      error instanceof StoreUnavailable &&
      /rows in a form of schema 5, and this node knows schema 4/.test(error.message);
    await assert.rejects(claimIds(frozen, atMs + 1_000), isRefusal);
    assert.deepEqual(await claimIds(fresh, atMs + 1_000), ["dlv_2"]);
  });

  test("an older one that started while the number rose is refused its first claim", async () => {
    const url = await createOldDatabase();
    await using late = await open(url, OLD);
    await using fresh = await open(url);
    await claimIds(fresh, T0);
    await assert.rejects(claimIds(late, T0), StoreUnavailable);
  });

  test("a node from before leases told what they read holds the newer form back by its sessions alone", async () => {
    const url = await createOldDatabase();
    const old = new URL(url);
    old.searchParams.set("application_name", "bellwire");
    const idle = await open(old.href, OLD);
    await claimIds(idle, T0);
    await cluster.query(url, "delete from bellwire.leases");
    await using fresh = await open(url);
    await claimIds(fresh, T0);
    assert.ok(Number(await findReadBy(url)) <= OLD.reads);
    await idle[Symbol.asyncDispose]();
    await claimIds(fresh, T0 + LATER_MS);
    assert.equal(await findReadBy(url), SHORT_BODIES);
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
});
