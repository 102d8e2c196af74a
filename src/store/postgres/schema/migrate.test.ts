import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import pg from "pg";
import { startCluster } from "../../../../test/kit/servers/postgres.ts";
import { COLUMN, INDEX, migrateAhead } from "../../../../test/kit/world/newer-schema.ts";
import { systemClock } from "../../../lib/clock.ts";
import {
  ACCOUNT,
  ADA,
  accept,
  claimIds,
  due,
  held,
  LEASE_MS,
  makeEvent,
  setUp,
  makeSettlement,
  T0,
  requestOneResend,
} from "../../conformance/world.ts";
import { type Store, StoreUnusable } from "../../contract/store.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openPostgresStore } from "../open.ts";

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const open = async (url: string): Promise<Store> => (await openPostgresStore({ url, clock: systemClock })).store;

/** A tenth of a second each: longer than a migration waits for a lock, and than it steps aside. */
const WAITS = 15;

/** Later than anything of the round before. */
const LATER = 10 * LEASE_MS;

async function appliedSteps(url: string): Promise<number> {
  const rows = await cluster.query(url, "select 1 from bellwire.schema_migrations");
  return rows.length - MIGRATIONS.length;
}

async function isIndexValid(url: string): Promise<boolean> {
  const valid = "select 1 from pg_index where indexrelid = to_regclass('bellwire.deliveries_coloured') and indisvalid";
  return (await cluster.query(url, valid)).length === 1;
}

describe("a newer node migrates", () => {
  test("while nodes of the version before accept, claim and settle, and they go on", async () => {
    const url = await cluster.createDatabase();
    await using old = await open(url);
    const configVersion = await setUp(old, ["dst_a"]);
    let isMigrated = false;
    let events = 0;
    let settled = 0;
    let writtenOnce = 0;
    const round = async (): Promise<void> => {
      const n = (events += 1);
      const deliveries = [due(`dlv_${n}`, "dst_a"), held(`dlv_${n}_once`, "dst_a")];
      const [answer] = await accept(old, [makeEvent(n, { configVersion, deliveries })]);
      assert.equal(answer?.kind, "accepted");
      const once = [makeSettlement(`dlv_${n}_once`)];
      const [written] = await old.settleAttemptsIfClaimed({ nowMs: T0 + 1, settlements: once });
      writtenOnce += written?.kind === "settled" ? 1 : 0;
      const settlements = (await claimIds(old, T0 + 1)).map((id) => makeSettlement(id));
      const answers = await old.settleAttemptsIfClaimed({ nowMs: T0 + 1, settlements });
      settled += answers.filter(({ kind }) => kind === "settled").length;
    };
    const traffic = async (): Promise<void> => {
      while (!isMigrated) await round();
      for (let more = 0; more < 5; more += 1) await round();
    };
    const running = traffic();
    await migrateAhead(url, [COLUMN, INDEX]).finally(() => (isMigrated = true));
    await running;
    assert.deepEqual([settled, writtenOnce], [events, events]);
    assert.equal(await appliedSteps(url), 2);
    assert.ok(await isIndexValid(url));
  });

  test("and does not hold anybody up while it waits for somebody's long transaction", async () => {
    const url = await cluster.createDatabase();
    await using old = await open(url);
    const configVersion = await setUp(old, ["dst_a"]);
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query("begin; select from bellwire.deliveries");
    let isMigrated = false;
    const migrating = migrateAhead(url, [COLUMN]).finally(() => (isMigrated = true));
    for (let n = 1; n <= WAITS; n += 1) {
      await cluster.query(url, "select pg_sleep(0.1)");
      const [answer] = await accept(old, [makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, "dst_a")] })]);
      assert.equal(answer?.kind, "accepted");
    }
    assert.ok(!isMigrated);
    assert.equal(await appliedSteps(url), 0);
    await reader.end();
    await migrating;
    assert.equal(await appliedSteps(url), 1);
  });

  test("and of several that start at once each step is made once", async () => {
    const url = await cluster.createDatabase();
    await Promise.all([1, 2, 3].map(() => migrateAhead(url, [COLUMN, INDEX])));
    assert.equal(await appliedSteps(url), 2);
    assert.ok(await isIndexValid(url));
  });

  test("and takes up an index again that a node left unfinished when it died", async () => {
    const url = await cluster.createDatabase();
    await (await open(url))[Symbol.asyncDispose]();
    await cluster.query(url, "create index deliveries_coloured on bellwire.deliveries_pending (claim_token)");
    await cluster.query(
      url,
      "update pg_index set indisvalid = false where indexrelid = 'bellwire.deliveries_coloured'::regclass",
    );
    await migrateAhead(url, [COLUMN, INDEX]);
    assert.ok(await isIndexValid(url));
    assert.equal(await appliedSteps(url), 2);
  });
});

describe("a node that starts on a newer schema", () => {
  test("works where every step since says that it may", async () => {
    const url = await cluster.createDatabase();
    await migrateAhead(url, [COLUMN, INDEX]);
    await using store = await open(url);
    const configVersion = await setUp(store, ["dst_a"]);
    await accept(store, [makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a")] })]);
    assert.deepEqual(await claimIds(store, T0), ["dlv_1"]);
  });

  test("takes over what a node that died had in memory, whichever of them is the older", async () => {
    const url = await cluster.createDatabase();
    for (const [n, isMigratedBefore] of [false, true].entries()) {
      await using dying = await open(url);
      const configVersion = await setUp(dying, ["dst_a"]);
      const event = makeEvent(n, { configVersion, deliveries: [held(`dlv_${n}`, "dst_a")] });
      await accept(dying, [event], T0 + n * LATER);
      if (!isMigratedBefore) await migrateAhead(url, [COLUMN, INDEX]);
      await using other = await open(url);
      const atMs = T0 + n * LATER + LEASE_MS;
      // The first claim takes the lease over.
      const claimed = [...(await claimIds(other, atMs)), ...(await claimIds(other, atMs + 1))];
      assert.deepEqual(claimed, [`dlv_${n}`]);
      const [settled] = await other.settleAttemptsIfClaimed({ nowMs: atMs, settlements: [makeSettlement(`dlv_${n}`)] });
      assert.equal(settled?.kind, "settled");
    }
  });

  test("keeps what a newer node wrote that it does not know, through claim, settlement and resend", async () => {
    const url = await cluster.createDatabase();
    await migrateAhead(url, [COLUMN, INDEX]);
    await using old = await open(url);
    const configVersion = await setUp(old, ["dst_a"]);
    await accept(old, [makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a")] })]);
    await cluster.query(url, "update bellwire.deliveries set colour = 'red'");
    const findRow = () => cluster.query(url, "select state, colour from bellwire.deliveries");
    assert.deepEqual(await claimIds(old, T0), ["dlv_1"]);
    await old.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
    assert.deepEqual(await findRow(), [{ state: "delivered", colour: "red" }]);
    await requestOneResend(old, { accountId: ACCOUNT.id, deliveryId: "dlv_1", by: ADA, nowMs: T0 });
    assert.deepEqual(await findRow(), [{ state: "pending", colour: "red" }]);
  });

  test("refuses where one of them does not", async () => {
    const url = await cluster.createDatabase();
    await migrateAhead(url, [{ sql: "select 1" }, COLUMN]);
    const message = new RegExp(`has schema version ${MIGRATIONS.length + 2} .*, this Bellwire knows up to`);
    await assert.rejects(open(url), (error) => error instanceof StoreUnusable && message.test(error.message));
  });
});
