import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";
import type pg from "pg";
import { startCluster, untilSomeoneWaits } from "../../../../test/kit/servers/postgres.ts";
import { newId } from "../../../domain/id.ts";
import { systemClock } from "../../../lib/clock.ts";
import { daysMs, hoursMs, minutesMs } from "../../../lib/duration.ts";
import { systemRandom } from "../../../lib/random.ts";
import {
  ACCEPTED,
  ACCOUNT,
  ADA,
  accept,
  BODY,
  claimAt,
  due,
  makeEvent,
  purgeStep,
  setUp,
  makeSettlement,
  requestOneResend,
} from "../../conformance/world.ts";
import type { Purge } from "../../contract/log.ts";
import type { Store } from "../../contract/store.ts";
import { type Connection, overClient } from "../connection/connection.ts";
import { newSession } from "../connection/connections.ts";
import { daysFrom, endOfDay, nameOfDay, startOfDay } from "../days.ts";
import { openPostgresStore } from "../open.ts";
import { DAYS_AHEAD, daysReady, dropOldTable, loadCalendar, makeDays } from "./partitions.ts";

const accountId = ACCOUNT.id;
const TODAY = startOfDay(systemClock.nowMs());
/** Long over. */
const OLD_DAY = TODAY - daysMs(100);
const NOON = OLD_DAY + hoursMs(12);
const TABLES = ["events", "deliveries", "attempts"];

const BEGIN = { sql: "begin", keepsStatements: true };

const cluster = await startCluster();
let url: string;
after(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  url = await cluster.createDatabase();
});

const open = async (): Promise<Store> => (await openPostgresStore({ url, clock: systemClock })).store;

/** A test body with a node on a database that has tables for `days` besides those of this week. */
const onDays = (days: readonly number[], run: (store: Store) => Promise<void>) => async () => {
  await using store = await open();
  await inTransaction(async (db) => assert.ok(await makeDays(db, new Map(), days)));
  await run(store);
};

/** A session beside the nodes', which ends with the test also when that fails. */
async function openSession(): Promise<pg.Client & AsyncDisposable> {
  const client = newSession({ url, pooler: "none", forcesSync: false }, { pipeline: true });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function inTransaction(work: (db: Connection) => Promise<void>): Promise<void> {
  await using client = await openSession();
  await work(overClient(client, BEGIN));
  await client.query("commit");
}

/** Names of the tables that hold what is asked for, each once. */
async function tablesWith(table: string, where = "true"): Promise<string[]> {
  const found = await cluster.query(
    url,
    `select distinct tableoid::regclass::text as name from bellwire.${table} where ${where} order by 1`,
  );
  return found.map(({ name }) => String(name).replace("bellwire.", ""));
}

async function dayTables(): Promise<string[]> {
  const found = await cluster.query(url, "select relname from pg_class where relname ~ '_\\d{8}$' and relkind = 'r'");
  return found.map(({ relname }) => String(relname)).toSorted();
}

/** One event with one delivery, accepted at `atMs` with ids of that instant. */
async function acceptAt(store: Store, atMs: number, n = 1): Promise<{ eventId: string; deliveryId: string }> {
  const configVersion = (await store.loadAccount({ accountId }))?.configVersion ?? (await setUp(store, ["dst_a"]));
  const eventId = newId("evt", atMs, systemRandom);
  const deliveryId = newId("dlv", atMs, systemRandom);
  const event = makeEvent(n, { id: eventId, configVersion, deliveries: [due(deliveryId, "dst_a")] });
  assert.deepEqual(await accept(store, [event], atMs), [ACCEPTED]);
  return { eventId, deliveryId };
}

async function deliver(store: Store, nowMs: number): Promise<number> {
  const limits = {
    deliveriesMax: 99,
    perDestinationMax: 99,
    perAccountMax: 100,
    accountSlots: {},
    freeSlots: {},
    bodyCharsMax: 10 ** 6,
  };
  const claimed = await store.claimDueDeliveries({ nowMs, claim: claimAt(nowMs), ...limits });
  const settlements = claimed.map(({ id, attemptsMade }) => {
    const attempt = { ...makeSettlement(id).attempt, number: attemptsMade + 1, startedAtMs: nowMs };
    return makeSettlement(id, { attempt });
  });
  await store.settleAttemptsIfClaimed({ nowMs, settlements });
  // Figures so old are joined by any step; what tests count is something else. An hour ago, so that nothing rests yet.
  while ((await purge(store, { nowMs: TODAY - hoursMs(1) })) > 0);
  return claimed.length;
}

const purge = async (store: Store, parts: Partial<Purge> = {}): Promise<number> =>
  (await purgeStep(store, { nowMs: TODAY, ...parts })).purged;

describe("days", () => {
  test(
    "are there from the start, today's and a week of them ahead, in each table",
    onDays([], async () => {
      const days = daysFrom(TODAY, DAYS_AHEAD + 1).map(nameOfDay);
      const expected = TABLES.flatMap((table) => days.map((day) => `${table}_${day}`));
      assert.deepEqual(await dayTables(), expected.toSorted());
    }),
  );

  test(
    "hold what was made in them, until and after midnight; what waits is in the queue, whatever its day",
    onDays([OLD_DAY], async (store) => {
      const last = endOfDay(OLD_DAY) - 1;
      await acceptAt(store, last);
      await acceptAt(store, last + 1, 2);
      assert.deepEqual(await tablesWith("events"), [`events_${nameOfDay(OLD_DAY)}`, "events_default"]);
      assert.deepEqual(await tablesWith("deliveries"), ["deliveries_pending"]);
      assert.equal(await deliver(store, last + hoursMs(5)), 2);
      assert.deepEqual(await tablesWith("deliveries"), [`deliveries_${nameOfDay(OLD_DAY)}`, "deliveries_default"]);
      // An attempt lies where its delivery does, whenever it was made.
      assert.deepEqual(await tablesWith("attempts"), [`attempts_${nameOfDay(OLD_DAY)}`, "attempts_default"]);
    }),
  );

  test(
    "that are missing are made by the next step of retention, once, whichever node it is",
    onDays([], async (one) => {
      await using other = await open();
      const all = await dayTables();
      const lost = daysFrom(TODAY, 3).map(nameOfDay);
      for (const day of lost)
        for (const table of TABLES) await cluster.query(url, `drop table bellwire.${table}_${day}`);
      await Promise.all([purge(one), purge(other)]);
      assert.deepEqual(await dayTables(), all);
      await inTransaction(async (db) => assert.equal(daysReady(await loadCalendar(db)), DAYS_AHEAD + 1));
    }),
  );

  test(
    "whose rows lie in the default tables already stay there, and those behind them are made all the same",
    onDays([], async (store) => {
      const today = nameOfDay(TODAY);
      const tomorrow = nameOfDay(TODAY + daysMs(1));
      for (const day of [today, tomorrow])
        for (const table of TABLES) await cluster.query(url, `drop table bellwire.${table}_${day}`);
      await acceptAt(store, systemClock.nowMs());
      assert.deepEqual(await tablesWith("events"), ["events_default"]);
      await purge(store);
      const made = await dayTables();
      assert.ok(!made.includes(`events_${today}`) && made.includes(`events_${tomorrow}`), made.join(" "));
      assert.equal(await deliver(store, systemClock.nowMs() + 1_000), 1);
    }),
  );
});

describe("retention", () => {
  test(
    "drops a day that is over, a table at a step, and the event's key stays",
    onDays(daysFrom(OLD_DAY, 2), async (store) => {
      const { eventId, deliveryId } = await acceptAt(store, NOON);
      await deliver(store, NOON);
      const all = await dayTables();
      assert.equal(await purge(store, { rowsBeforeMs: endOfDay(OLD_DAY) - 1 }), 1, "its payload, as it is old");
      assert.deepEqual(await dayTables(), all);
      const rowsBeforeMs = endOfDay(OLD_DAY);
      for (let step = 0; step < 3; step += 1) assert.equal(await purge(store, { rowsBeforeMs }), 1);
      assert.equal(await purge(store, { rowsBeforeMs }), 0);
      const gone = TABLES.map((table) => `${table}_${nameOfDay(OLD_DAY)}`);
      assert.deepEqual(
        await dayTables(),
        all.filter((name) => !gone.includes(name)),
      );
      assert.equal(await store.loadDelivery({ accountId, deliveryId }), null);
      const configVersion = (await store.loadAccount({ accountId }))?.configVersion ?? 0;
      const repeat = await accept(store, [makeEvent(1, { id: "evt_repeat", configVersion })]);
      assert.deepEqual(repeat, [{ kind: "duplicate", eventId, deliveries: 1, differs: false }]);
    }),
  );

  test(
    "goes row by row where something of a day is pending, and drops it when that has ended",
    onDays([OLD_DAY], async (store) => {
      const ended = await acceptAt(store, NOON);
      await deliver(store, NOON);
      const waiting = await acceptAt(store, NOON, 2);
      const old = { rowsBeforeMs: endOfDay(OLD_DAY) };
      while ((await purge(store, old)) > 0);
      assert.deepEqual(await tablesWith("events"), [`events_${nameOfDay(OLD_DAY)}`]);
      assert.equal(await store.loadDelivery({ accountId, deliveryId: ended.deliveryId }), null);
      const kept = await store.loadDelivery({ accountId, deliveryId: waiting.deliveryId });
      assert.deepEqual([kept?.state, kept?.body], ["pending", BODY]);
      assert.equal(await deliver(store, NOON), 1);
      const later = { ...old, nowMs: TODAY + minutesMs(11) };
      while ((await purge(store, later)) > 0);
      assert.deepEqual(await tablesWith("events"), []);
      assert.ok(!(await dayTables()).includes(`events_${nameOfDay(OLD_DAY)}`));
    }),
  );

  test(
    "takes payloads and answers of days as of everything else: to the millisecond, and no more than it may",
    onDays(daysFrom(OLD_DAY, 2), async (store) => {
      const ids: string[] = [];
      for (const [n, atMs] of [NOON, NOON + 1, NOON + daysMs(1), NOON + daysMs(2)].entries()) {
        ids.push((await acceptAt(store, atMs, n)).deliveryId);
        await deliver(store, atMs);
      }
      const load = async () =>
        await Promise.all(ids.map((deliveryId) => store.loadDelivery({ accountId, deliveryId })));
      const payloadsBeforeMs = NOON + daysMs(2);
      for (const purged of [2, 1, 0]) assert.equal(await purge(store, { payloadsBeforeMs, rowsMax: 2 }), purged);
      const bodies = (await load()).map((delivery) => delivery?.body ?? null);
      assert.deepEqual(bodies, [null, null, null, BODY]);
      const later = { attemptBodiesBeforeMs: NOON + 1, nowMs: TODAY + minutesMs(11) };
      assert.equal(await purge(store, later), 1);
      const answers = (await load()).map((delivery) => {
        const outcome = delivery?.attempts[0]?.result.outcome;
        return outcome?.kind === "response" ? outcome.response.body.length : -1;
      });
      assert.deepEqual(answers, [0, 2, 2, 2]);
    }),
  );

  test(
    "gives up a day whose tables are in use before anybody waits long, does its other work, and tries again later",
    onDays([OLD_DAY], async (store) => {
      await acceptAt(store, NOON);
      await deliver(store, NOON);
      await acceptAt(store, NOON + daysMs(1), 2);
      await deliver(store, NOON + daysMs(1));
      await using reader = await openSession();
      await reader.query("begin; select count(*) from events");
      const old = { rowsBeforeMs: endOfDay(OLD_DAY), payloadsBeforeMs: NOON + daysMs(2) };
      const startedMs = performance.now();
      assert.equal(await purge(store, old), 2, "two payloads, and no row");
      assert.ok(performance.now() - startedMs < 30_000, "it does not wait for the lock");
      assert.ok((await dayTables()).includes(`events_${nameOfDay(OLD_DAY)}`));
      await reader.query("commit");
      assert.equal(await purge(store, { ...old, nowMs: TODAY + minutesMs(11) }), 1);
      assert.ok(!(await dayTables()).includes(`events_${nameOfDay(OLD_DAY)}`));
    }),
  );

  test(
    "does not drop a day of which somebody resends at that moment",
    onDays([OLD_DAY], async (store) => {
      const { deliveryId } = await acceptAt(store, NOON);
      await deliver(store, NOON);
      await using resending = await openSession();
      // A resend, as far as it is when the day is to be dropped.
      await resending.query(`begin; select 1 from events for key share`);
      await resending.query(`update deliveries set ${PENDING} where id = '${deliveryId}'`);
      const old = { rowsBeforeMs: endOfDay(OLD_DAY) };
      const first = purge(store, old);
      await untilSomeoneWaits(cluster, url);
      await resending.query("commit");
      await first;
      while ((await purge(store, { ...old, nowMs: TODAY + minutesMs(11) })) > 0);
      const kept = await store.loadDelivery({ accountId, deliveryId });
      assert.deepEqual([kept?.state, kept?.body], ["pending", BODY]);
      assert.equal(await requestOneResend(store, { accountId, deliveryId, by: ADA, nowMs: TODAY }), "queued");
    }),
  );

  test(
    "lets go of its locks when it is called off, whatever its transaction does afterwards",
    onDays([OLD_DAY], async (store) => {
      const { deliveryId } = await acceptAt(store, NOON);
      await deliver(store, NOON);
      await using resending = await openSession();
      await resending.query("begin; select 1 from events for key share");
      await resending.query(`update deliveries set ${PENDING} where id = '${deliveryId}'`);
      await inTransaction(async (db) => {
        const { days } = await loadCalendar(db);
        const dropping = dropOldTable(db, days, endOfDay(OLD_DAY));
        await untilSomeoneWaits(cluster, url);
        await resending.query("commit");
        assert.equal((await dropping).drop, "later");
        const locks =
          "select 1 from pg_locks where mode = 'AccessExclusiveLock' and relation = 'bellwire.events'::regclass";
        assert.deepEqual(await cluster.query(url, locks), []);
      });
    }),
  );
});

const PENDING = "state = 'pending', is_ended = false, due_at = 0, settled_at = null";
