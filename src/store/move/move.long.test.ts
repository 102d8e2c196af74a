/** An installation moved from a real SQLite file to a real PostgreSQL, stopped and broken on its way. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { shareCluster } from "../../../test/kit/servers/postgres.ts";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import type { AttemptRecord } from "../../domain/attempt.ts";
import { systemClock } from "../../lib/clock.ts";
import { newId } from "../../domain/id.ts";
import { daysMs, minutesMs } from "../../lib/duration.ts";
import { addNewer, continueInstallation, describeInstallation, fillInstallation } from "../conformance/installation.ts";
import { accept, makeAttempt, claimDue, makeEvent, held, setUp, makeSettlement, T0 } from "../conformance/world.ts";
import { nameOfDay } from "../postgres/days.ts";
import { NEWEST_VERSION } from "../postgres/schema/migrations.ts";
import { FIRST_ATTEMPT } from "../postgres/path/settle-in-memory.ts";
import { openPostgresStore } from "../postgres/open.ts";
import { openConnection } from "../sqlite/connection/connection.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";
import { assertNotMoving } from "./marks.ts";
import { type MoveContext, type Moved, goBack, moveInstallation } from "./move.ts";
import { openSource } from "./source.ts";
import { MARKS } from "./tables.ts";
import { type Target, openTarget } from "./target.ts";

const ROOT = mkdtempSync(join(tmpdir(), "bellwire-move-"));
const cluster = await shareCluster();
let files = 0;
after(async () => {
  rmSync(ROOT, { recursive: true, force: true });
  await cluster[Symbol.asyncDispose]();
});

const openSqlite = (path: string): Promise<Store> => openSqliteStore({ path, clock: systemClock });
const openPostgres = async (url: string): Promise<Store> =>
  (await openPostgresStore({ url, clock: systemClock })).store;

/** A database file with an installation in it. */
async function fill(options: { readonly events?: number } = {}): Promise<string> {
  files += 1;
  const path = join(ROOT, `installation-${files}.db`);
  await using store = await openSqlite(path);
  await fillInstallation(store, options);
  await addNewer(store);
  return path;
}

interface Run extends Partial<Pick<MoveContext, "onProgress" | "isStopping">> {
  readonly path: string;
  readonly url: string;
  /** In the target's place. */
  readonly over?: (target: Target) => Target;
}

async function move({ path, url, over = (target) => target, ...rest }: Run): Promise<Moved> {
  using source = openSource({ path, nowMs: systemClock.nowMs() });
  await using target = await openTarget({ url, clock: systemClock });
  const ctx = { clock: systemClock, random: createSeededRandom(files), onProgress: () => {}, isStopping: () => false };
  return await moveInstallation({ source, ...ctx, ...rest, target: over(target) });
}

/** Both answer alike, to everything that can be asked and in what they do next. */
async function assertSame(path: string, url: string): Promise<void> {
  await using sqlite = await openSqlite(path);
  await using postgres = await openPostgres(url);
  assert.deepEqual(await describeInstallation(postgres), await describeInstallation(sqlite));
  assert.deepEqual(await continueInstallation(postgres), await continueInstallation(sqlite));
}

/** A settlement of one delivery that is due. */
async function heldNow(store: Store, attempt: AttemptRecord): Promise<Settlement> {
  const [claimed] = await claimDue(store, T0 + minutesMs(20), { deliveriesMax: 1 });
  assert.ok(claimed !== undefined);
  return makeSettlement(claimed.id, { attempt: { ...attempt, number: claimed.attemptsMade + 1 } });
}

const findRefusal = (store: Store): Promise<string> =>
  assertNotMoving(store).then(
    () => "none",
    (error: Error) => error.message,
  );

describe("a move", () => {
  test("takes everything along, and both stores answer and go on alike", async () => {
    const [path, url] = [await fill({ events: 5_000 }), await cluster.createDatabase()];
    const progress: string[] = [];
    const moved = await move({ path, url, onProgress: ({ step, rows }) => progress.push(`${step} ${rows.ofStep}`) });
    assert.ok(moved.kind === "moved");
    const rows = Object.fromEntries(moved.tables.map(({ table, rows: count }) => [table, count]));
    const filled = Object.entries(rows).filter(([, count]) => count === 0);
    assert.deepEqual(filled, [], "every table is put to the test");
    const all = moved.tables.reduce((sum, { rows: count }) => sum + count, 0);
    assert.deepEqual([progress.at(-1), progress.includes(`copied ${all}`)], [`compared ${all}`, true]);
    assert.ok(new Set(moved.tables.map(({ hash }) => hash)).size === moved.tables.length);
    await assertSame(path, url);
  });

  test("replaces what PostgreSQL's text does not take, as its store does", async () => {
    const [path, url] = [await fill(), await cluster.createDatabase()];
    {
      await using sqlite = await openSqlite(path);
      const attempt = makeAttempt(1, { outcome: { kind: "dns_error", code: "E", message: "a\0b" } });
      await sqlite.settleAttemptsIfClaimed({ nowMs: T0, settlements: [await heldNow(sqlite, attempt)] });
    }
    assert.equal((await move({ path, url })).kind, "moved");
    const rows = await cluster.query(url, "select error_message from bellwire.attempts where error_code = 'E'");
    assert.deepEqual(rows, [{ error_message: "a\ufffdb" }]);
  });

  test("puts what was done on earlier days into tables of those days", async () => {
    const [path, url] = [join(ROOT, "days.db"), await cluster.createDatabase()];
    const random = createSeededRandom(3);
    const days = [5, 3, 1].map((ago) => systemClock.nowMs() - daysMs(ago));
    {
      await using sqlite = await openSqlite(path);
      const configVersion = await setUp(sqlite, ["dst_a"]);
      for (const [n, atMs] of days.entries()) {
        const deliveries = [held(newId("dlv", atMs, random), "dst_a")];
        const event = makeEvent(n, { id: newId("evt", atMs, random), configVersion, deliveries });
        await accept(sqlite, [event], atMs);
        const settlements = deliveries.map(({ id }) => makeSettlement(id));
        await sqlite.settleAttemptsIfClaimed({ nowMs: atMs + 5, settlements });
      }
    }
    assert.equal((await move({ path, url })).kind, "moved");
    for (const table of ["events", "deliveries", "attempts"]) {
      const names = days.map((dayMs) => `${table}_${nameOfDay(dayMs)}`);
      const id = table === "attempts" ? "delivery_id" : "id";
      const rows = await cluster.query(
        url,
        `select distinct tableoid::regclass::text as name from bellwire.${table} where ${id} ~ '^..._0[0-9a-z]{25}$'`,
      );
      assert.deepEqual(rows.map(({ name }) => String(name).replace("bellwire.", "")).toSorted(), names, table);
    }
  });

  test("lets no service start on the source any more, and opens the target", async () => {
    const [path, url] = [await fill(), await cluster.createDatabase()];
    await move({ path, url });
    await using sqlite = await openSqlite(path);
    await using postgres = await openPostgres(url);
    assert.match(await findRefusal(sqlite), /^the installation has moved to the database \w+ of .* --go-back/);
    assert.equal(await findRefusal(postgres), "none");
  });

  test("that has ended says so when it is asked for again, and names nothing else", async () => {
    const [path, url] = [await fill(), await cluster.createDatabase()];
    await move({ path, url });
    {
      await using postgres = await openPostgres(url);
      await continueInstallation(postgres);
    }
    assert.deepEqual(await move({ path, url }), { kind: "moved_before" });
    const other = await cluster.createDatabase();
    await assert.rejects(move({ path, url: other }), /has moved to the database .* has nothing of that/);
  });

  test("finds what somebody changed at the target before it was compared", async () => {
    const changes = [
      ["different", "update bellwire.events set body = body || ' ' where id = 'evt_2'", { id: "evt_2" }],
      ["missing", "delete from bellwire.attempts where delivery_id = 'dlv_1_a'", { delivery_id: "dlv_1_a", number: 1 }],
      ["too_many", "insert into bellwire.replay_items values ('rpl_x', 'dlv_x')", null],
    ] as const;
    for (const [what, sql, where] of changes) {
      const [path, url] = [await fill(), await cluster.createDatabase()];
      let isChanged = false;
      const over = (target: Target): Target => ({
        ...target,
        async find(table, rows) {
          if (!isChanged) await cluster.query(url, sql);
          isChanged = true;
          return await target.find(table, rows);
        },
      });
      const moved = await move({ path, url, over });
      assert.ok(moved.kind === "differs", what);
      assert.equal(moved.difference.what, what);
      if (where !== null) assert.deepEqual(moved.difference.where, where);
      await using postgres = await openPostgres(url);
      assert.match(await findRefusal(postgres), /^the database holds only a part/);
    }
  });
});

describe("a move that is stopped", () => {
  test("after each batch goes on where it was, and nobody starts on either side meanwhile", async () => {
    const [path, url] = [await fill({ events: 5_000 }), await cluster.createDatabase()];
    let runs = 0;
    let hasCopied = true;
    for (; hasCopied; runs += 1) {
      hasCopied = false;
      const onProgress: MoveContext["onProgress"] = ({ step }) => void (hasCopied ||= step === "copied");
      const moved = await move({ path, url, onProgress, isStopping: () => true });
      assert.equal(moved.kind, "stopped");
      await using sqlite = await openSqlite(path);
      await using postgres = await openPostgres(url);
      assert.match(await findRefusal(sqlite), /^the installation is being moved to/);
      assert.match(await findRefusal(postgres), /^the database holds only a part/);
    }
    const moved = await move({ path, url });
    assert.ok(moved.kind === "moved" && runs > moved.tables.length, `${runs} runs`);
    await assertSame(path, url);
  });

  test("by losing its connection, before or after a commit, goes on where it was", async () => {
    const [path, url] = [await fill({ events: 5_000 }), await cluster.createDatabase()];
    const random = createSeededRandom(5);
    const over = (target: Target): Target => ({
      ...target,
      async insert(...params) {
        if (random.unit() < 0.2) throw new Error("lost before");
        await target.insert(...params);
        if (random.unit() < 0.2) throw new Error("lost after");
      },
      async complete(...params) {
        await target.complete(...params);
        throw new Error("lost at the end");
      },
    });
    let losses = 0;
    while ((await move({ path, url, over }).catch((error: Error) => error.message)) !== "lost at the end") losses += 1;
    assert.ok(losses > 3, `${losses} losses`);
    assert.deepEqual(await move({ path, url }), { kind: "moved_before" });
    await assertSame(path, url);
  });

  test("and given up leaves the source as it was, and its part at the target to nobody", async () => {
    const [path, url] = [await fill(), await cluster.createDatabase()];
    await move({ path, url, isStopping: () => true });
    {
      using source = openSource({ path, nowMs: systemClock.nowMs() });
      assert.equal((await goBack(source))?.endedAt, null);
      assert.equal(await goBack(source), null);
    }
    await using sqlite = await openSqlite(path);
    assert.equal(await findRefusal(sqlite), "none");
    await sqlite[Symbol.asyncDispose]();
    await assert.rejects(move({ path, url }), /has a part of another move, from .*: empty it \(drop schema bellwire/);
    await cluster.query(url, "drop schema bellwire cascade");
    assert.equal((await move({ path, url })).kind, "moved");
  });

  test("fails where another process moves into the same place, whoever is first", async () => {
    const [path, url] = [await fill({ events: 5_000 }), await cluster.createDatabase()];
    const over = (target: Target): Target => ({
      ...target,
      async insert(table, rows, marks) {
        // The transaction of a process that was killed arrives late.
        if (table.name === "events") await target.insert(table, rows, marks);
        await target.insert(table, rows, marks);
      },
    });
    await assert.rejects(move({ path, url, over }), /another process moves into this database too|duplicate key/);
    assert.equal((await move({ path, url })).kind, "moved");
    await assertSame(path, url);
  });
});

describe("a target is refused", () => {
  const expected = async (url: string, message: RegExp): Promise<void> => {
    const path = await fill();
    await assert.rejects(move({ path, url }), message);
    await using sqlite = await openSqlite(path);
    assert.equal(await findRefusal(sqlite), "none", "the source is not touched");
  };

  test("that has an installation of its own", async () => {
    const url = await cluster.createDatabase();
    {
      await using postgres = await openPostgres(url);
      await fillInstallation(postgres);
    }
    await expected(url, /has an installation already: there are rows in settings; empty it/);
  });

  test("of a newer version", async () => {
    const url = await cluster.createDatabase();
    await (await openPostgres(url))[Symbol.asyncDispose]();
    await cluster.query(
      url,
      `update bellwire.schema_migrations set version = ${NEWEST_VERSION + 1} where version = ${NEWEST_VERSION}`,
    );
    await expected(url, new RegExp(`has schema version ${NEWEST_VERSION + 1}, this Bellwire knows up to`));
  });

  const skip = NEWEST_VERSION < 2 && "there is no older version yet";
  test("that an older Bellwire has in use, and it stays of that version", { skip }, async () => {
    const url = await cluster.createDatabase();
    {
      await using postgres = await openPostgres(url);
      await fillInstallation(postgres);
    }
    await cluster.query(url, `delete from bellwire.schema_migrations where version = ${NEWEST_VERSION}`);
    await expected(url, /has an installation already; name another/);
    const versions = await cluster.query(
      url,
      "select max(version)::integer as version from bellwire.schema_migrations",
    );
    assert.deepEqual(versions, [{ version: NEWEST_VERSION - 1 }]);
  });

  test("that is not there", () =>
    expected(cluster.toUrl("nowhere"), /cannot be used: there is no such database there/));
});

describe("the list of tables", () => {
  /** Rows that a database writes for itself, the inbox, of which SQLite has none, and what nodes have in memory. */
  const NOT_MOVED = new Set([
    "schema_migrations",
    "probes",
    "inbox",
    "refused_records",
    "low_water_marks",
    "attempt_deltas",
    "leases",
    "attempt_deltas",
    "account_hours",
    // Everything arrives in the home shard.
    "shards",
    "accounts_at",
    "fences",
    "arriving_accounts",
    "departed_accounts",
  ]);
  /** Computed by the database, how SQLite packs it, or what only SQLite finds rows by. */
  const NOT_COPIED = new Set([
    "destinations.wake_at",
    // Nothing of it has moved between shards.
    "accounts.closed_until",
    "accounts.moves",
    "attempt_counts.bins",
    "account_attempt_counts.bins",
    "deliveries.event_seq",
    "attempts.seq",
    "attempts.detail",
    "events.deliveries",
    ...["attempted_at", "attempt_detail", "answer_headers", "answer_body"].map((name) => `deliveries.${name}`),
    // Moved deliveries have rows, and all of their attempts too.
    ...["in_memory", "lease_id", "held_until", "claim_token"].map((column) => `events.${column}`),
    ...FIRST_ATTEMPT.map((column) => `deliveries.${column}`),
  ]);
  async function findMissing(rows: readonly Record<string, unknown>[]): Promise<string[]> {
    await using target = await openTarget({ url: await cluster.createDatabase(), clock: systemClock });
    const listed = target.tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`));
    // The new home makes its own index of search, from the events.
    const isMoved = (table: string): boolean => !NOT_MOVED.has(table) && !table.startsWith("search_");
    const columns = rows
      .filter(({ table }) => isMoved(String(table)))
      .map(({ table, column }) => `${String(table)}.${String(column)}`);
    return columns.filter((column) => !listed.includes(column) && !NOT_COPIED.has(column));
  }

  test("leaves out no column of SQLite", async () => {
    const db = openConnection(await fill());
    const rows = db.all<{ table: string; column: string }>(
      `select t.name as "table", c.name as "column" from sqlite_schema t cross join pragma_table_xinfo(t.name) c
      where t.type = 'table' and t.name not like 'sqlite_%'`,
    );
    db.close();
    assert.deepEqual(await findMissing(rows), []);
  });

  test("fills every column of PostgreSQL", async () => {
    const url = await cluster.createDatabase();
    await (await openPostgres(url))[Symbol.asyncDispose]();
    const rows = await cluster.query(
      url,
      `select c.relname as "table", a.attname as "column"
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'bellwire'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped`,
    );
    assert.deepEqual(await findMissing(rows), []);
  });

  test("names the marks, which are no settings of the installation", async () => {
    using source = openSource({ path: await fill(), nowMs: 0 });
    await using target = await openTarget({ url: await cluster.createDatabase(), clock: systemClock });
    const [settings] = target.tables;
    assert.ok(settings?.name === "settings");
    const count = source.countRows(settings);
    await source.settings.saveSetting({ name: MARKS.away, value: "{}" });
    assert.equal(source.countRows(settings), count);
  });
});
