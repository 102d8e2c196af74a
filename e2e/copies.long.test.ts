/**
 * Every way in docs/backups.md to come by a copy of an installation, with the tools that operators have: held or not,
 * as its table says, and how long from a start, or from `bellwire adopt`, until it sends.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { randomUUID } from "node:crypto";
import { setUpAccount } from "../test/kit/process/account.ts";
import { startChild } from "../test/kit/process/child.ts";
import { databaseIn } from "../test/kit/process/database-file.ts";
import { copyPostgres, findLitestream, findPostgres17, findPostgres18 } from "../test/kit/process/pip-programs.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { BIN, type Running, startService } from "../test/kit/process/running.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { giveTo, newServersFolder, startBaseBackup } from "../test/kit/servers/standby.ts";
import { eventually } from "../test/kit/wait.ts";

const run = promisify(execFile);

const older = findPostgres17();
const newer = findPostgres18();

let stack: AsyncDisposableStack;
let folder: string;
let dataDir: string;
let receiver: Receiver;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  folder = stack.use(newServersFolder()).path;
  dataDir = join(folder, "data");
  receiver = stack.use(await startReceiver());
});
afterEach(() => stack.disposeAsync());

function makeFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

const on = (database: string | undefined) => (database === undefined ? {} : { BELLWIRE_DATABASE: database });

const bellwire = async (dir: string, database: string | undefined, ...args: readonly string[]): Promise<void> => {
  const env = { PATH: process.env["PATH"], BELLWIRE_DATA_DIR: dir, ...on(database) };
  await run(process.execPath, [BIN, ...args], { env });
};

async function post(service: Running): Promise<number> {
  return (await service.post("demo-sessions", sessionRecord(randomUUID()))).status;
}

/** An installation that has sent something; its node goes on unless told otherwise. */
async function install(database?: string): Promise<Running> {
  await setUpAccount({ dataDir, ...(database === undefined ? {} : { database }), alerts: [{ url: receiver.url }] });
  const service = stack.use(await startService({ dataDir, env: on(database) }));
  assert.equal(await post(service), 202);
  await receiver.received(1);
  return service;
}

interface Copy {
  readonly dir?: string;
  readonly database?: string;
}

/** Starts a node on the copy and posts to it, once it says that it is ready. */
async function sends(t: TestContext, { dir = dataDir, database }: Copy, is: "held" | "not held"): Promise<void> {
  const startedMs = performance.now();
  const node = stack.use(await startService({ dataDir: dir, env: on(database) }));
  const ready = await node.get("/readyz");
  assert.equal(ready.json["code"], is === "held" ? "held" : undefined, ready.text);
  let fromMs = startedMs;
  if (is === "held") {
    assert.equal(await post(node), 503);
    fromMs = performance.now();
    await bellwire(dir, database, "adopt");
  }
  await eventually("it is ready", async () => (await node.get("/readyz")).status === 200);
  const already = receiver.requests.length;
  assert.equal(await post(node), 202);
  await receiver.received(already + 1);
  t.diagnostic(
    `${is}; sends ${Math.round(performance.now() - fromMs)} ms after ${is === "held" ? "adopt" : "its start"}`,
  );
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
const hostOf = (cluster: Cluster): string => new URL(cluster.toUrl("postgres")).searchParams.get("host") ?? "";

describe("of PostgreSQL", { skip: "missing" in newer && newer.missing }, () => {
  const programs = "path" in newer ? newer.path : "";

  test("a base backup, in another folder and at another address", async (t) => {
    const first = stack.use(await startCluster({ syncs: true, keptIn: makeFolder("first") }));
    const url = await first.createDatabase();
    await install(url);
    const second = stack.use(
      await startBaseBackup({ of: first, programs, into: makeFolder("second"), follows: false }),
    );
    await sends(t, { database: second.toUrl(nameOf(url)) }, "not held");
  });

  test("a snapshot of the volume under a running server", async (t) => {
    const first = stack.use(await startCluster({ syncs: true, keptIn: makeFolder("first") }));
    const url = await first.createDatabase();
    await install(url);
    const into = makeFolder("second");
    first.freeze();
    cpSync(join(folder, "first", "data"), join(into, "data"), { recursive: true });
    first.thaw();
    rmSync(join(into, "data", "postmaster.pid"));
    giveTo(first, join(into, "data"));
    const second = stack.use(await startCluster({ syncs: true, keptIn: into }));
    await sends(t, { database: second.toUrl(nameOf(url)) }, "not held");
  });

  test("what pg_upgrade made of version 17", { skip: "missing" in older && older.missing }, async (t) => {
    assert.ok("path" in older);
    const [from, to] = [makeFolder("seventeen"), makeFolder("eighteen")];
    const old = stack.use(await startCluster({ syncs: true, keptIn: from, native: copyPostgres(older.path, folder) }));
    const url = old.toUrl("bellwire");
    await old.query(old.toUrl("postgres"), "create database bellwire");
    assert.equal((await (await install(url)).stop()).code, 0);
    await old.stop("fast");
    const fresh = stack.use(await startCluster({ syncs: true, keptIn: to, native: copyPostgres(programs, folder) }));
    await fresh.stop("fast");
    const [bins, data] = [`--old-bindir=${old.bin}`, `--old-datadir=${join(from, "data")}`];
    await run(
      join(fresh.bin, "pg_upgrade"),
      [bins, data, `--new-bindir=${fresh.bin}`, `--new-datadir=${join(to, "data")}`, "--username=bellwire"],
      { ...fresh.runAs, cwd: to },
    );
    await fresh.start();
    await sends(t, { database: fresh.toUrl("bellwire") }, "not held");
  });

  test("rows that logical replication brought", async () => {
    const settings = ["wal_level=logical"];
    const [first, second] = [
      stack.use(await startCluster({ syncs: true, settings })),
      stack.use(await startCluster({ syncs: true, settings })),
    ];
    const url = await first.createDatabase();
    await install(url);
    const copy = await second.createDatabase();
    const program = (name: string) => join(programs, "bin", name);
    const schema = await run(program("pg_dump"), ["--schema-only", "--schema=bellwire", url], { maxBuffer: 1e8 });
    const file = join(folder, "schema.sql");
    writeFileSync(file, schema.stdout);
    await run(program("psql"), ["--set=ON_ERROR_STOP=1", "--quiet", `--file=${file}`, copy]);
    await first.query(url, "create publication all_rows for all tables");
    const source = `host=${hostOf(first)} dbname=${nameOf(url)} user=bellwire`;
    await second.query(copy, `create subscription rows connection '${source}' publication all_rows`);
    const copying = "select 1 from pg_subscription_rel where srsubstate <> 'r'";
    await eventually("all rows to come", async () => (await second.query(copy, copying)).length === 0);
    await second.query(copy, "alter subscription rows disable");
    // Sequences are not replicated, so such a copy is no service before its operator has set them.
    const node = stack.use(await startService({ dataDir, env: on(copy) }));
    assert.equal((await node.get("/readyz")).json["code"], "held");
    assert.equal(await post(node), 503);
  });
});

describe("of SQLite", () => {
  test("a snapshot of the volume: the file and its log, under a running node", async (t) => {
    const service = await install();
    service.child.kill("SIGSTOP");
    const copy = join(folder, "copy");
    cpSync(dataDir, copy, { recursive: true });
    service.child.kill("SIGCONT");
    await sends(t, { dir: copy }, "not held");
  });

  test("what bellwire backup made, restored", async (t) => {
    await install();
    const [file, copy] = [join(folder, "copy.db"), makeFolder("copy")];
    await bellwire(dataDir, undefined, "backup", "--to", file);
    cpSync(join(dataDir, "encryption-key"), join(copy, "encryption-key"));
    cpSync(join(dataDir, "intake-key"), join(copy, "intake-key"));
    await bellwire(copy, undefined, "restore", "--from", file);
    await sends(t, { dir: copy }, "held");
  });

  const litestream = findLitestream();
  test("what Litestream restored", { skip: "missing" in litestream && litestream.missing }, async (t) => {
    assert.ok("path" in litestream);
    const { path } = litestream;
    const service = await install();
    const [replica, copy] = [`file://${join(folder, "replica")}`, makeFolder("copy")];
    {
      await using copying = startChild({ node: path, args: ["replicate", databaseIn(dataDir), replica] });
      const restore = () => run(path, ["restore", "-o", databaseIn(copy), replica]);
      await eventually("a first copy", () =>
        restore().then(
          () => true,
          () => false,
        ),
      );
      assert.ok(copying.pid > 0);
    }
    await service.stop();
    for (const key of ["encryption-key", "intake-key"]) cpSync(join(dataDir, key), join(copy, key));
    await sends(t, { dir: copy }, "not held");
  });

  describe("moved to PostgreSQL by migrate-to", () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await startCluster();
    });
    after(() => cluster[Symbol.asyncDispose]());

    test("the service", async (t) => {
      await (await install()).stop();
      const database = await cluster.createDatabase();
      await bellwire(dataDir, undefined, "migrate-to", database);
      await sends(t, { database }, "not held");
    });

    test("a copy that is held", async (t) => {
      await (await install()).stop();
      const held = stack.use(await startService({ dataDir, program: [BIN, "serve", "--hold"] }));
      await held.stop();
      const database = await cluster.createDatabase();
      await bellwire(dataDir, undefined, "migrate-to", database);
      await sends(t, { database }, "held");
    });
  });
});
