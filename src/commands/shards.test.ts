/** How `bellwire shards` is called, and what it refuses in a sentence; `e2e/shards.test.ts` has its work. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeAccount } from "../../test/kit/make.ts";
import { type SharedCluster, shareCluster, startCluster } from "../../test/kit/servers/postgres.ts";
import { runShards } from "../../test/kit/process/shards-command.ts";
import { systemClock } from "../lib/clock.ts";
import type { Store } from "../store/contract/store.ts";
import { openPostgresStore } from "../store/postgres/open.ts";

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

const run = (database: string, ...args: string[]) => runShards({ database }, ...args);

/** An installation that a node has run on. */
async function openHome(): Promise<string> {
  const url = await cluster.createStoreDatabase();
  const { store } = await openPostgresStore({ url, clock: systemClock });
  await putAccount(store, "acme");
  await store.saveSettingUnlessThere({ name: "a", value: "b" });
  await store[Symbol.asyncDispose]();
  return url;
}

async function putAccount(store: Store, id: string): Promise<void> {
  const account = makeAccount({ id });
  await store.putAccount({ account, newSealedSecret: "sealed", nowMs: 1 });
}

/** The list's lines, each with shard, accounts, and whether it takes new ones. */
async function list(home: string): Promise<string[]> {
  const { out } = await run(home);
  return out.slice(1).map((line) => {
    const [name, accounts, , , , takes] = line.split("\t");
    return `${name}: ${accounts}, ${takes}`;
  });
}

describe("a wrong call gets a sentence, and the usage", () => {
  const CALLS: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [["ad"], /^shards takes "add", "change", .* or nothing; it is "ad"\n\nUsage: bellwire shards/],
    [["add"], /^shards add needs the address of a PostgreSQL database/],
    [["add", "sqlite:some.db"], /must be one of PostgreSQL, such as postgres:/],
    [["add", "postgres://u@h/d", "--schema", "Shard 1"], /^--schema must be up to 63 of a-z, .*; it is "Shard 1"/],
    [["move", "acme"], /^shards move takes one of --to, --back, --balance and --all-from/],
    [["move", "acme", "--all-from", "1"], /^--all-from goes with --to alone/],
    [["move", "--all-from", "1", "--to", "1"], /^--all-from and --to name the same shard/],
    [["change"], /^shards change needs the name of a shard, such as 1/],
    [["change", "1"], /^shards change needs an address or a flag/],
    [["change", "1", "--new-accounts", "--no-new-accounts"], /^shards change takes --new-accounts or --no-new-/],
    [["remove"], /^shards remove needs the name of one shard/],
    [["move", "--to", "1"], /^shards move needs the id of an account, or several/],
    [["move", "acme", "--balance"], /^--balance chooses accounts by itself/],
  ];
  for (const [args, said] of CALLS) {
    test(args.join(" "), async () => {
      const { code, err } = await run("postgres://u@127.0.0.1:1/x", ...args);
      assert.equal(code, 2);
      assert.match(err, said);
    });
  }
});

describe("what cannot be is told in a sentence, and nothing is changed", () => {
  test("shards of a SQLite database", async () => {
    const { code, err } = await run("sqlite:some.db");
    assert.equal(code, 1);
    assert.match(err, /^BELLWIRE_DATABASE names a SQLite database, which is one shard\./);
  });

  test("a server that cannot be reached", async () => {
    const { code, err } = await run("postgres://u:canary@127.0.0.1:1/x");
    assert.equal(code, 1);
    assert.match(err, /^the database x of u at 127\.0\.0\.1:1 cannot be reached now: .*ECONNREFUSED/);
    assert.doesNotMatch(err, /canary/);
  });

  test("a shard in the home schema itself, in another installation, and before the first node", async () => {
    const home = await openHome();
    const used = await openHome();
    for (const address of [home, used]) {
      const { code, err } = await run(home, "add", address);
      assert.equal(code, 1);
      assert.match(err, /is used by an installation of its own; name an empty schema, by --schema\.$/);
    }
    const { err } = await run(await cluster.createDatabase(), "add", home);
    assert.match(err, /has no tables of Bellwire yet: start a node of this version on it once, then run this again\.$/);
    assert.equal((await run(home)).out.length, 2);
    const [listed] = JSON.parse((await run(home, "--json")).out.join("\n")) as Record<string, unknown>[];
    const { place, bytes, schema_version: version, ...counts } = listed ?? {};
    assert.deepEqual(counts, {
      shard: "0",
      takes_accounts: true,
      accounts: 1,
      waiting: { count: 0, is_capped: false },
    });
    assert.deepEqual([typeof place, typeof bytes, typeof version], ["string", "number", "number"]);
    assert.equal((await run(home, "add", home, "--json")).code, 2);
  });

  test("one of another installation, whose tables stay as they are", async () => {
    const [home, used] = [await openHome(), await openHome()];
    const days = "select tablename from pg_tables where schemaname = 'bellwire' and tablename ~ '^attempts_[0-9]+$'";
    const [day] = await cluster.query(used, `${days} order by 1 desc`);
    await cluster.query(used, `drop table bellwire.${String(day?.["tablename"])}`);
    const found = await cluster.query(used, days);
    assert.match((await run(home, "add", used)).err, /is used by an installation of its own/);
    assert.deepEqual(await cluster.query(used, days), found);
    assert.equal((await run(used, "add", used, "--schema", "second")).code, 0);
    assert.match((await run(home, "add", used, "--schema", "second")).err, /has a shard of another installation; name/);
  });

  test("a database that is not there, by its address and not by the setting of the home database", async () => {
    const { err } = await run(await openHome(), "add", cluster.toUrl("nowhere"));
    assert.match(
      err,
      /there is no such database there.*; check its address, the database's name and the user's rights/,
    );
  });

  test("a move to a shard that is of another version, or away", async () => {
    const home = await openHome();
    const other = await cluster.createDatabase();
    await run(home, "add", other);
    await cluster.query(other, "delete from bellwire.schema_migrations where version > 1");
    const old = await run(home, "move", "acme", "--to", "1");
    assert.match(old.err, /has schema version 1, this Bellwire \d+: start a node of this version on it once, then run/);
    await cluster.query(home, `drop database ${new URL(other).pathname.slice(1)} with (force)`);
    for (const args of [["acme", "--to", "1"], ["--balance"], ["--all-from", "1"]]) {
      const { code, err } = await run(home, "move", ...args);
      assert.equal(code, 1);
      assert.match(err, /^A shard cannot be reached now: .* does not exist .*\nRun the same/);
    }
    assert.deepEqual(await list(home), ["0: 1, yes", "1: -, no"]);
  });

  test("a shard that is not there", async () => {
    const home = await openHome();
    const { code, err } = await run(home, "move", "acme", "--to", "7");
    assert.equal(code, 1);
    assert.match(err, /^there is no shard 7; bellwire shards lists those that are\.$/);
  });
});

test("another schema of the home database is a shard, and added again it is the same one", async () => {
  const home = await openHome();
  for (let turn = 0; turn < 2; turn += 1) {
    const { code, out, err } = await run(home, "add", home, "--schema", "second");
    assert.equal(code, 0, err);
    assert.deepEqual(out, ["Shard 1 is there. Nodes know of it within 15 s."]);
  }
  for (const to of ["0", "1"]) {
    const missing = await run(home, "move", "nobody", "--to", to);
    assert.deepEqual([missing.code, missing.err], [1, "No shard has an account nobody."]);
  }
  assert.deepEqual((await run(home, "move", "--balance")).out, ["The shards have as many accounts as each other."]);
  const { out } = await run(home, "move", "acme", "--to", "1");
  assert.match(out[0] ?? "", /^acme is in shard 1: \d+ rows, and its posts had to wait for \d+ ms\.$/);
  const lines = (await run(home)).out.map((line) => line.split("\t").slice(0, 3));
  assert.deepEqual(lines, [
    ["shard", "accounts", "waiting"],
    ["0", "0", "0"],
    ["1", "1", "0"],
  ]);
  assert.deepEqual((await run(home, "move", "acme", "--back")).out, ["No move of acme is under way."]);
});

test("a shard on another database is refused as a home database, and its key alone opens its address", async () => {
  const home = await openHome();
  const other = await cluster.createDatabase();
  assert.equal((await run(home, "add", other, "--no-new-accounts")).code, 0);
  const { code, out, err } = await runShards({ database: home, key: Buffer.alloc(32, 9) });
  assert.equal(code, 1);
  assert.match(out[2] ?? "", /^1\t-\t-\t-\taway\tno\t/);
  assert.match(err, /^Shard 1: this value was sealed with the encryption key/);
  const opening = openPostgresStore({ url: other, clock: systemClock });
  await assert.rejects(opening, /has shard 1 of an installation; BELLWIRE_DATABASE must name its home database/);
});

describe("a server that is to go", () => {
  test("is emptied and removed, and refused before with what to do", async () => {
    const home = await openHome();
    await run(home, "add", home, "--schema", "second");
    await run(home, "move", "acme", "--to", "1");
    const isOpen = await run(home, "remove", "1");
    assert.equal(isOpen.err, "shard 1 stays: it takes new accounts; first run: bellwire shards move --all-from 1.");
    await run(home, "change", "1", "--no-new-accounts");
    assert.deepEqual(await list(home), ["0: 0, yes", "1: 1, no"]);
    const isFull = await run(home, "remove", "1");
    assert.equal(isFull.err, "shard 1 stays: it has accounts (1); move them first: bellwire shards move --all-from 1.");
    await run(home, "change", "1", "--new-accounts");
    const moved = await run(home, "move", "--all-from", "1");
    assert.equal(moved.out[1], "Shard 1 has no accounts and takes no new ones: bellwire shards remove 1.");
    assert.deepEqual(await list(home), ["0: 1, yes", "1: 0, no"]);
    const removed = await run(home, "remove", "1");
    assert.equal(removed.code, 0, removed.err);
    assert.match(removed.out[1] ?? "", /^Its empty tables are still in .*; then: drop schema second cascade$/);
    assert.deepEqual(await list(home), ["0: 1, yes"]);
  });

  test("keeps its name for itself: the next one gets another", async () => {
    const home = await openHome();
    await run(home, "add", home, "--schema", "second", "--no-new-accounts");
    assert.equal((await run(home, "remove", "1")).code, 0);
    assert.deepEqual((await run(home, "add", home, "--schema", "second")).out, [
      "Shard 2 is there. Nodes know of it within 15 s.",
    ]);
  });

  test("is given up with what it had when it will not be back", async () => {
    const home = await openHome();
    const other = await cluster.createDatabase();
    await run(home, "add", other);
    await run(home, "move", "acme", "--to", "1");
    await cluster.query(home, `drop database ${new URL(other).pathname.slice(1)} with (force)`);
    await run(home, "change", "1", "--no-new-accounts");
    assert.match((await run(home, "remove", "1")).err, /does not exist/);
    assert.deepEqual((await run(home, "remove", "1", "--lost")).out, [
      "Shard 1 is removed. Nodes leave it within 15 s.",
    ]);
    const { store } = await openPostgresStore({ url: home, clock: systemClock });
    await putAccount(store, "acme");
    await store[Symbol.asyncDispose]();
    assert.deepEqual(await list(home), ["0: 1, yes"]);
  });

  test("is not the home server, nor one that has a part in a move", async () => {
    const home = await openHome();
    assert.match(
      (await run(home, "remove", "0")).err,
      /^shard 0 is the home shard: BELLWIRE_DATABASE says where it is/,
    );
    await run(home, "add", home, "--schema", "second", "--no-new-accounts");
    await cluster.query(home, "insert into bellwire.accounts_at values ('acme', '0', '1', null)");
    assert.match(
      (await run(home, "remove", "1")).err,
      /^shard 1 stays: it has a part in the move of acme; run that again/,
    );
  });
});

describe("the address of a shard", () => {
  test("is changed to where this shard is, and to nothing else", async () => {
    const home = await openHome();
    const [first, second] = [await cluster.createDatabase(), await cluster.createDatabase()];
    await run(home, "add", first);
    const wrong = await run(home, "change", "1", second);
    assert.match(wrong.err, /does not have shard 1 in its schema bellwire; nothing was changed\.$/);
    await cluster.query(home, `drop database ${new URL(second).pathname.slice(1)}`);
    const [from, to] = [first, second].map((url) => new URL(url).pathname.slice(1));
    await cluster.query(home, `alter database ${from} rename to ${to}`);
    const again = await run(home, "add", second);
    assert.match(
      again.err,
      /^this is shard 1, which the directory has as .*; where it has moved, run: bellwire shards ch/,
    );
    const changed = await run(home, "change", "1", second);
    assert.deepEqual(changed.out, ["Shard 1 is changed. Nodes know of it within 15 s."], changed.err);
    assert.deepEqual(await list(home), ["0: 1, yes", "1: 0, yes"]);
  });
});

test("a move to a shard whose server is away is told in a sentence, and goes on when it is back", async () => {
  const home = await openHome();
  await using second = await startCluster();
  await run(home, "add", await second.createDatabase(), "--no-new-accounts");
  await second.stop("fast");
  const { code, err } = await run(home, "move", "acme", "--to", "1");
  assert.equal(code, 1);
  assert.match(
    err,
    /^A shard cannot be reached now: .*\.\nRun the same command again when that is mended: it goes on\.$/,
  );
  await second.start();
  assert.match((await run(home, "move", "acme", "--to", "1")).out[0] ?? "", /^acme is in shard 1: /);
});
