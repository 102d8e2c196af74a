/** Which databases are told to be copies, and which homes a shard refuses; `e2e/held.test.ts` has the work of both. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { runCommand } from "../../../../test/kit/process/shards-command.ts";
import { dumpDatabase } from "../../../../test/kit/servers/dump.ts";
import { type Cluster, startCluster } from "../../../../test/kit/servers/postgres.ts";
import { administer } from "../../../../test/kit/servers/shards.ts";
import { listReleases, restoreDatabase } from "../../../../test/kit/world/releases.ts";
import { eventually } from "../../../../test/kit/wait.ts";
import { adopt } from "../../../commands/adopt.ts";
import { type Clock, systemClock } from "../../../lib/clock.ts";
import { HELD_SETTING } from "../../contract/installation.ts";
import { openPostgresStore } from "../open.ts";
import { openMigratingSession } from "../schema/migrating-session.ts";
import { addShard, changeShardOf, lookAtShards, removeShard } from "./admin.ts";
import { adoptInstallation } from "./adopt.ts";
import { keepHome } from "./home-mark.ts";
import { openMoves } from "./moves.ts";

let cluster: Cluster;
before(async () => {
  cluster = await startCluster();
});
after(() => cluster[Symbol.asyncDispose]());

async function whyHeld(url: string, holds = false): Promise<string | null> {
  const { store } = await openPostgresStore({ url, clock: systemClock, openAddress: (address) => address, holds });
  await using opened = store;
  return await opened.loadSetting({ name: HELD_SETTING });
}

async function newHome(): Promise<string> {
  const url = await cluster.createDatabase();
  assert.equal(await whyHeld(url), null);
  return url;
}

async function restore(from: string): Promise<string> {
  const url = await cluster.createDatabase();
  await cluster.query(url, await dumpDatabase(cluster, { url: from, day: "all" }));
  return url;
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
const root = (sql: string) => cluster.query(cluster.toUrl("postgres"), sql);

describe("not held is", () => {
  for (const release of listReleases()) {
    test(`the database of ${release} that comes to this version`, async () => {
      assert.equal(await whyHeld(await restoreDatabase(release, cluster)), null);
    });
  }

  test("one whose rows were frozen and moved by vacuum, and one that was renamed", async () => {
    const url = await newHome();
    await cluster.query(url, "vacuum (full, freeze) bellwire.settings");
    assert.equal(await whyHeld(url), null);
    // Nobody may have a session in it.
    await cluster.stop("fast");
    await cluster.start();
    await root(`alter database ${nameOf(url)} rename to renamed`);
    assert.equal(await whyHeld(cluster.toUrl("renamed")), null);
    await root(`alter database renamed rename to ${nameOf(url)}`);
  });

  test("a standby that was promoted", async () => {
    const url = await newHome();
    await cluster.stop("immediate");
    await cluster.start("standby");
    await root("select pg_promote()");
    assert.equal(await whyHeld(url), null);
  });
});

describe("held is", () => {
  test("a dump that was restored, until it is adopted, and its own dump", async () => {
    const home = await newHome();
    const url = await restore(home);
    assert.match((await whyHeld(url)) ?? "", /^it was restored from a dump/);
    assert.notEqual(await whyHeld(url), null, "a second start ends nothing");
    const { code, out } = await runCommand(adopt, { database: url });
    assert.deepEqual([code, out.at(-1)], [0, "It goes on as the service: nodes accept and send within two seconds."]);
    assert.equal(await whyHeld(url), null);
    assert.deepEqual((await runCommand(adopt, { database: url })).out, ["It was not held."]);
    assert.notEqual(await whyHeld(await restore(url)), null);
    assert.equal(await whyHeld(home), null);
  });

  test("a copy of the database on its server", async () => {
    const url = await newHome();
    await cluster.stop("fast");
    await cluster.start();
    await root(`create database copied template ${nameOf(url)} strategy file_copy`);
    assert.notEqual(await whyHeld(cluster.toUrl("copied")), null);
  });

  test("none that nodes work in, however it is started, before its last lease has ended", async () => {
    const url = await newHome();
    const lease = (seconds: number) => `insert into bellwire.leases (until_at, low_water_at, reads)
      values ((extract(epoch from clock_timestamp()) + ${seconds}) * 1000, 0, 99)`;
    const marks = await readMark(url);
    await cluster.query(url, lease(12));
    await assert.rejects(whyHeld(url, true), /a node is at work in this database, which is not held.* in 12 s$/);
    assert.deepEqual([await whyHeld(url), await readMark(url)], [null, marks]);
    await cluster.query(url, "delete from bellwire.leases");
    await cluster.query(url, lease(-1));
    assert.match((await whyHeld(url, true)) ?? "", /--hold$/);
    await cluster.query(url, lease(12));
    assert.match((await whyHeld(url, true)) ?? "", /--hold$/, "a second start is no start beside it");
  });

  test("one that was started so, and its shards are refused", async () => {
    const { url, second } = await newShards();
    assert.equal(await whyHeld(url, true), "it was started by bellwire serve --hold");
    assert.equal(await whyHeld(url), "it was started by bellwire serve --hold");
    assert.match(await look(url), /production is alive/);
    await age(second, 2);
    assert.match(await look(url), /renewed its mark last at 20.*run bellwire adopt; for a drill/);
  });
});

async function newShards() {
  const [url, second] = [await newHome(), await cluster.createDatabase()];
  await addShard(administer(url), { url: second, schema: "bellwire", takesAccounts: false });
  return { url, second };
}

/** What is said of the second one. */
const look = async (url: string): Promise<string> => JSON.stringify((await lookAtShards(administer(url)))[1]?.found);

type Marks = Readonly<Record<string, string | number>>;

const readMark = async (url: string): Promise<Marks> =>
  JSON.parse(
    String((await cluster.query(url, "select value from bellwire.settings where name = 'home_mark'"))[0]?.["value"]),
  ) as Marks;

/** As Bellwire writes it. */
const change = (url: string, marks: Marks) =>
  cluster.query(
    url,
    `update bellwire.settings set value = (value::jsonb || '${JSON.stringify(marks)}' ||
      jsonb_build_object('xid', pg_current_xact_id()::xid::text))::text where name = 'home_mark'`,
  );

async function age(url: string, minutes: number): Promise<void> {
  await change(url, { atMs: Number((await readMark(url))["atMs"]) - minutes * 60_000 });
}

const FOUND = /"accounts":0/;

describe("a shard is", () => {
  test("home's when home fell behind by less than a minute, and another's when by more", async () => {
    const { url, second } = await newShards();
    const { generation, next } = await readMark(url);
    await change(second, { generation: Number(generation) + 1, mark: String(next) });
    assert.match(await look(url), FOUND);
    await change(second, { generation: Number(generation) + 2, mark: "drawn later" });
    assert.match(await look(url), /belongs to another home/);
  });

  test("home's when it was restored to an older moment", async () => {
    const { url, second } = await newShards();
    const { generation } = await readMark(url);
    await change(second, { generation: Number(generation) - 1, mark: "drawn before" });
    assert.match(await look(url), FOUND);
  });

  test("home's that never had a mark", async () => {
    const { url, second } = await newShards();
    await cluster.query(second, "delete from bellwire.settings where name = 'home_mark'");
    assert.match(await look(url), FOUND);
  });

  test("given home's new mark each minute, and is left when another home has taken it", async () => {
    const { url, second } = await newShards();
    const { next } = await readMark(second);
    await age(url, 2);
    /** Its looks at the directory come in a tenth of a second. */
    const soon: Clock["after"] = (ms, work) => systemClock.after(ms === 15_000 ? 100 : ms, work);
    const hasty = { ...systemClock, after: soon };
    const opened = await openPostgresStore({ url, clock: hasty, openAddress: (address) => address });
    await using store = opened.store;
    const isAway = async (): Promise<boolean> => {
      await store.countWaiting({ nowMs: 0 });
      return opened.shards.list()[1]?.isAway ?? false;
    };
    await eventually("the next mark is drawn and given", async () => (await readMark(second))["mark"] === next);
    assert.equal((await readMark(url))["generation"], 2);
    assert.equal(await isAway(), false);
    await change(second, { home: "another" });
    await eventually("it is left", isAway);
    assert.equal((await readMark(second))["home"], "another");
    assert.equal((await runCommand(adopt, { database: url })).code, 1);
  });
});

describe("a copy on which no node has started", () => {
  test("has no shard of production's, and gets its own for a drill", async () => {
    const { url, second } = await newShards();
    const copy = administer(await restore(url));
    const marks = await readMark(second);
    assert.match(await look(copy.url), /production is alive/);
    await assert.rejects(adoptInstallation(copy), /production is alive; no shard was taken/);
    await assert.rejects(removeShard(copy, { name: "1", isLost: false }), /production is alive/);
    await assert.rejects(changeShardOf(copy, { name: "1", url: second }), /production is alive/);
    await using moves = openMoves(copy);
    await assert.rejects(moves.shard("1"), /production is alive/);
    assert.deepEqual(await readMark(second), marks);
    await changeShardOf(copy, { name: "1", url: await restore(second) });
    assert.match(await look(copy.url), FOUND);
    assert.match((await whyHeld(copy.url)) ?? "", /^it was restored/);
    assert.match(await look(copy.url), FOUND, "and has it when a node has started");
    assert.match(await look(url), FOUND);
  });

  test("is adopted where production is gone, with what is left of its shards", async () => {
    const { url, second } = await newShards();
    const third = await cluster.createDatabase();
    await addShard(administer(url), { url: third, schema: "bellwire", takesAccounts: false });
    const copy = administer(await restore(url));
    await age(second, 2);
    await cluster.query(third, "drop schema bellwire cascade");
    const { away, ...adopted } = await adoptInstallation(copy);
    assert.deepEqual(adopted, { wasHeld: true, taken: ["1"] });
    assert.match(away.join(), /^shard 2: .* does not have shard 2 in its schema bellwire/);
    assert.equal(await whyHeld(copy.url), null);
    assert.match(await look(copy.url), FOUND);
    assert.match(await look(url), /belongs to another home/);
    // An address that leads to another service's home by now.
    await changeRow(copy.url, await newHome());
    assert.deepEqual((await adoptInstallation(copy)).taken, ["1"]);
  });

  const changeRow = (url: string, to: string) =>
    cluster.query(url, `update bellwire.shards set sealed_address = '${to}' where name = '2'`);
});

test("two first starts at once draw one line of marks", async () => {
  const url = await newHome();
  await cluster.query(url, "delete from bellwire.settings where name = 'home_mark'");
  const connections = { url, schema: "bellwire", pooler: "none", forcesSync: false } as const;
  await using first = await openMigratingSession(connections);
  await using second = await openMigratingSession(connections);
  const waits = "select 1 from pg_locks where not granted";
  const drawn = await first.transaction(async (db) => {
    const mark = await keepHome(db);
    const next = second.transaction(keepHome);
    await eventually("the second one waits", async () => (await cluster.query(url, waits)).length > 0);
    return { mark, next };
  });
  assert.deepEqual(await drawn.next, drawn.mark);
  assert.equal((await readMark(url))["home"], drawn.mark.home);
});
