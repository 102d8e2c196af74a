/** Secrets that change in their files while the service runs: nothing is restarted, and nothing is lost. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { ACCOUNT, call, startNode } from "../../test/kit/process/node.ts";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { runShards } from "../../test/kit/process/shards-command.ts";
import { type Cluster, startCluster } from "../../test/kit/servers/postgres.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { eventually } from "../../test/kit/wait.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { readConfig } from "../config/config.ts";
import { createLog } from "../observe/log.ts";
import { followSecrets } from "../config/secrets-now.ts";

let cluster: Cluster;
let socketFolder: string;

before(async () => {
  cluster = await startCluster();
  socketFolder = new URL(cluster.toUrl("postgres")).searchParams.get("host") ?? "";
  const rules = "local all bellwire trust\nlocal all all scram-sha-256\n";
  writeFileSync(join(socketFolder, "data", "pg_hba.conf"), rules);
  await cluster.query(cluster.toUrl("postgres"), "select pg_reload_conf()");
});
after(() => cluster[Symbol.asyncDispose]());

/** Settings in files, followed by a clock that a test can push on. */
function followFilesOf(env: Readonly<Record<string, string>>) {
  let passedMs = 0;
  const news: string[] = [];
  const followed = followSecrets({
    env,
    config: toValue(readConfig(env)),
    keys: { encryptionKey: new Uint8Array(32), apiKeys: [API_KEY], madeFiles: [] },
    clock: { monotonicMs: () => performance.now() + passedMs },
    news: {
      changed: (name) => void news.push(name),
      refused: (name, reason) => void news.push(`${name} ${reason}`),
    },
  });
  /** Files are read again from now on. */
  const passSecond = (): void => void (passedMs += 1_000);
  return { followed, news, passSecond };
}

/** Ends the sessions that there are, also those that are being opened, which have no name yet. */
async function endSessions(admin: string, role: string): Promise<void> {
  const [row] = await cluster.query(admin, "select clock_timestamp()::text as now");
  const theirs = `(usename like '${role}%' or usename is null and backend_type = 'client backend')`;
  const older = `backend_start < '${String(row?.["now"])}'`;
  const sql = `select pg_terminate_backend(pid) from pg_stat_activity where ${theirs} and ${older}`;
  await eventually("the end of the sessions", async () => (await cluster.query(admin, sql)).length === 0);
}

/** A database of a role with a password, a node on it, and what a vault does. */
async function stageOf(t: TestContext, role: string) {
  const admin = await cluster.createDatabase();
  const database = new URL(admin).pathname.slice(1);
  await cluster.query(admin, `create role ${role} login password 'one'; alter database ${database} owner to ${role}`);
  const folder = mkdtempSync(join(tmpdir(), "bellwire-rotated-"));
  const [file, keyFile] = [join(folder, "database"), join(folder, "intake-key")];
  const toUrl = (password: string, name = role): string =>
    `postgres://${name}:${password}@localhost/${database}?host=${socketFolder}`;
  const write = (text: string): void => {
    writeFileSync(`${file}.new`, `${text}\n`);
    renameSync(`${file}.new`, file);
  };
  write(toUrl("one"));
  writeFileSync(keyFile, API_KEY);
  const files = { BELLWIRE_API_KEY_FILE: keyFile, BELLWIRE_DATABASE_FILE: file };
  const { followed, news, passSecond } = followFilesOf({ ...files, BELLWIRE_PORT: "0" });
  const { app, put, post } = await createTestApp({}, { ...followed, log: createLog("silent") });
  t.after(async () => {
    await app.stop();
    rmSync(folder, { recursive: true });
  });
  const created = await put(`/v1/accounts/${ACCOUNT}`, {
    name: "A",
    plan: "starter",
    app_url: "https://a.example.com",
  });
  assert.ok(created.statusCode < 300, created.body);
  await app.start();
  const send = async (key = API_KEY) => {
    const id = randomUUID();
    const headers = { authorization: `Bearer ${key}` };
    const { statusCode } = await post(`/v1/accounts/${ACCOUNT}/demo-sessions`, sessionRecord(id), headers);
    return { id, statusCode };
  };
  const ready = async () => (await app.server.inject({ url: "/readyz" })).statusCode;
  const end = () => endSessions(admin, role);
  return { admin, database, file, keyFile, toUrl, write, news, passSecond, send, ready, endSessions: end };
}

type Stage = Awaited<ReturnType<typeof stageOf>>;

/** Calls until it is taken again, and gives the time since the first refusal. */
async function untilTaken({ send }: Pick<Stage, "send">): Promise<number> {
  const startedMs = performance.now();
  while ((await send()).statusCode !== 202) {
    assert.ok(performance.now() < startedMs + 5_000, "intake is not back within 5 s");
    await sleep(25);
  }
  return performance.now() - startedMs;
}

test("takes records again within 5 s after its database password was changed under load, and loses none", async (t) => {
  const stage = await stageOf(t, "rotated");
  const taken: string[] = [];
  let isOver = false;
  const load = async (): Promise<void> => {
    while (!isOver) {
      const { id, statusCode } = await stage.send();
      if (statusCode === 202) taken.push(id);
      else await sleep(10);
    }
  };
  const loads = [load(), load(), load(), load()];
  await cluster.query(stage.admin, "alter role rotated password 'two'");
  stage.write(stage.toUrl("two"));
  await stage.endSessions();
  t.diagnostic(`back after ${Math.round(await untilTaken(stage))} ms`);
  isOver = true;
  await Promise.all(loads);
  const found = await cluster.query(stage.admin, "select source_id::text as id from bellwire.event_keys");
  const stored = new Set(found.map(({ id }) => id));
  assert.deepEqual(
    taken.filter((id) => !stored.has(id)),
    [],
  );
  assert.equal(await stage.ready(), 200);
});

test("comes back by itself when its sessions end before the file has the new password", async (t) => {
  const stage = await stageOf(t, "early");
  await cluster.query(stage.admin, "alter role early password 'two'");
  await stage.endSessions();
  assert.equal((await stage.send()).statusCode, 503);
  assert.equal(await stage.ready(), 503);
  stage.write("");
  stage.passSecond();
  assert.equal((await stage.send()).statusCode, 503);
  stage.write(stage.toUrl("two"));
  t.diagnostic(`back after ${Math.round(await untilTaken(stage))} ms`);
  assert.equal(await stage.ready(), 200);
  const variable = "BELLWIRE_DATABASE_FILE";
  assert.deepEqual(stage.news, [`${variable} names a file that is empty; write the value into it`, variable]);
});

test("goes on as another role with the same rights, and stays on its database whatever the file names", async (t) => {
  const stage = await stageOf(t, "leased");
  await cluster.query(stage.admin, "create role leased_2 login password 'three' in role leased");
  const link = `${stage.file}.swap`;
  writeFileSync(`${stage.file}.v2`, stage.toUrl("three", "leased_2"));
  symlinkSync(`${stage.file}.v2`, link);
  renameSync(link, stage.file);
  stage.passSecond();
  await stage.endSessions();
  await untilTaken(stage);
  const sessions =
    "select distinct usename as role, datname as place from pg_stat_activity where usename like 'leased%'";
  const asOther = [{ role: "leased_2", place: stage.database }];
  // A connection that was being made meanwhile may still be the old role's: it has to end as well.
  const areAll = async (expected: readonly unknown[]): Promise<boolean> => {
    if (isDeepStrictEqual(await cluster.query(stage.admin, sessions), expected)) return true;
    await stage.endSessions();
    await untilTaken(stage);
    return false;
  };
  await eventually("that all sessions are the new role's", () => areAll(asOther));
  await cluster.query(stage.admin, "alter role leased password 'one'");
  stage.write(stage.toUrl("one").replace(stage.database, "postgres"));
  stage.passSecond();
  await stage.endSessions();
  await untilTaken(stage);
  const asAtStart = [{ role: "leased", place: stage.database }];
  await eventually("that new sessions are at the database of the start", () => areAll(asAtStart));
});

test("a file whose new value would not let the service start changes nothing", () => {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-rotated-"));
  using files = new DisposableStack();
  files.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "smtp");
  writeFileSync(file, "smtp://user:one@mail.example:587");
  const { followed, news, passSecond } = followFilesOf({ BELLWIRE_SMTP_URL_FILE: file });
  writeFileSync(file, "smtp://user:t\u200bwo@mail.example:587");
  passSecond();
  assert.equal(followed.config.smtpUrl, "smtp://user:one@mail.example:587");
  assert.match(news.join(), /^BELLWIRE_SMTP_URL_FILE has a zero-width space \(U\+200B\) as character 14 of \d+;/);
});

test("takes records again within 5 s after the password of a shard beside home was changed", async (t) => {
  const [home, admin] = [await cluster.createDatabase(), await cluster.createDatabase()];
  const second = new URL(admin).pathname.slice(1);
  await cluster.query(admin, `create role sharded login password 'one'; alter database ${second} owner to sharded`);
  await using node = await startNode(home);
  const folder = mkdtempSync(join(tmpdir(), "bellwire-rotated-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "address");
  const shards = async (...args: string[]): Promise<void> => {
    const { code, err } = await runShards({ database: home }, ...args);
    assert.equal(code, 0, err);
  };
  const write = (password: string): void =>
    writeFileSync(file, `postgres://sharded:${password}@localhost/${second}?host=${socketFolder}`);
  write("one");
  await shards("add", "--address-file", file);
  const payload = { name: "A", plan: "starter", app_url: "https://a.example.com" };
  assert.equal((await call(node, { method: "PUT", path: "", payload })).status, 201);
  await shards("move", ACCOUNT, "--to", "1");
  const send = async () => {
    const id = randomUUID();
    const answer = await call(node, { method: "POST", path: "/demo-sessions", payload: sessionRecord(id) });
    return { id, statusCode: answer.status };
  };
  assert.equal((await send()).statusCode, 202);

  await cluster.query(admin, "alter role sharded password 'two'");
  await endSessions(admin, "sharded");
  await eventually("that it is refused", async () => (await send()).statusCode === 503);
  write("two");
  await shards("change", "1", "--address-file", file);
  t.diagnostic(`back after ${Math.round(await untilTaken({ send }))} ms`);
});

test("lets in the new intake key and refuses the old one within a second", async (t) => {
  const stage = await stageOf(t, "keys");
  assert.equal((await stage.send()).statusCode, 202);
  const next = "next-intake-key-9876543210";
  writeFileSync(stage.keyFile, `${API_KEY},${next}`);
  stage.passSecond();
  assert.deepEqual([(await stage.send()).statusCode, (await stage.send(next)).statusCode], [202, 202]);
  writeFileSync(stage.keyFile, "");
  stage.passSecond();
  assert.equal((await stage.send(next)).statusCode, 202, "a file that is empty for a moment changes nothing");
  writeFileSync(stage.keyFile, next);
  stage.passSecond();
  assert.deepEqual([(await stage.send()).statusCode, (await stage.send(next)).statusCode], [401, 202]);
});
