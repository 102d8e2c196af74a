/** The doctor on sound set-ups and on faulty ones: each fault is found, named, and answered with advice. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { createFakeIo } from "../../../test/kit/world/fake-io.ts";
import { startMailServer } from "../../../test/kit/servers/mail-server.ts";
import { createApp } from "../../app.ts";
import { readConfig } from "../../config/config.ts";
import { loadKeys } from "../../config/keys.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { Resolver } from "../../egress/resolver.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { systemRandom } from "../../lib/random.ts";
import { createLog } from "../../observe/log.ts";
import { examine } from "./doctor.ts";

const ROOT = mkdtempSync(join(tmpdir(), "bellwire-doctor-"));
after(() => rmSync(ROOT, { recursive: true, force: true }));

const answering: Resolver = { resolve: () => Promise.resolve(ok(["192.0.2.1"])) };

type Env = Readonly<Record<string, string>>;

function newEnv(changes: Env = {}): Env & { readonly BELLWIRE_DATA_DIR: string } {
  return { BELLWIRE_DATA_DIR: join(mkdtempSync(join(ROOT, "case-")), "data"), BELLWIRE_PORT: "0", ...changes };
}

async function run(env: Env, { clock = systemClock, resolver = answering } = {}) {
  const { io, out } = createFakeIo([], env);
  const code = await examine(io, { clock, resolver });
  return { code, out: out.join("\n") };
}

/** Starts a service once with these settings, so that folder, keys and database exist. */
async function startService(env: Env) {
  const config = readConfig(env);
  assert.ok(config.ok);
  const keys = loadKeys(config.value, systemRandom);
  assert.ok(keys.ok);
  const app = await createApp({ config: config.value, keys: keys.value, log: createLog("silent") });
  return { app, port: (await app.start()).port };
}

async function usedEnv(): Promise<ReturnType<typeof newEnv>> {
  const env = newEnv();
  await (await startService(env)).app.stop();
  return env;
}

describe("bellwire doctor finds nothing wrong", () => {
  test("before the first start, and makes nothing", async () => {
    const env = newEnv();
    const { code, out } = await run(env);
    assert.equal(code, 0, out);
    assert.match(out, /^✓ The data folder .* is not there yet/m);
    assert.match(out, /^✓ The first start makes encryption-key and intake-key in /m);
    assert.match(out, /^✓ The database .* is not there yet/m);
    assert.doesNotMatch(out, /^✗|can run here/m);
    const folder = env.BELLWIRE_DATA_DIR;
    const first = `Installation: data folder ${folder}, database ${join(folder, "bellwire.db")}, as uid `;
    assert.ok(out.startsWith(first), out);
    assert.match(out, /\n\nNo service has started here yet; one could\. If your service is another one, .*day-two\.md/);
    assert.deepEqual(readdirSync(join(env.BELLWIRE_DATA_DIR, "..")), []);
  });

  test("after it: the keys are there, and the database takes a write", async () => {
    const { code, out } = await run(await usedEnv());
    assert.equal(code, 0, out);
    assert.match(out, /^✓ Bellwire \S+ on Node 2\d\.\S+ with SQLite 3\.\S+\.$/m);
    assert.match(out, /^✓ The data folder .* is there and private\.$/m);
    assert.match(out, /^✓ The encryption key and the intake key are there/m);
    assert.match(out, /^✓ The database .* opens and takes a write \(schema version \d+\)\.$/m);
    assert.match(out, /^[✓!] Syncing to disk takes \d+\.\d\d ms \(median of 20; slowest /m);
    assert.match(out, /^✓ Name servers answer \(example\.com: known/m);
    assert.match(out, /^✓ Any free port of 127\.0\.0\.1 will be taken\.$/m);
    assert.match(out, /\n\nBellwire can run here\.$/);
  });

  test("beside a running service, which it does not disturb", async () => {
    const env = newEnv();
    const { app, port } = await startService(env);
    const { code, out } = await run({ ...env, BELLWIRE_PORT: String(port) });
    assert.equal(code, 0, out);
    assert.match(out, /^✓ The database .* is in use by a running Bellwire, as it should be\.$/m);
    assert.match(out, new RegExp(`^✓ Port ${port} of 127\\.0\\.0\\.1 is used by a running Bellwire\\.$`, "m"));
    await app.store.probe({ nowMs: Date.now() });
    await app.stop();
  });

  test("but that it is held, beside a running service and without one", async () => {
    const env = newEnv();
    const { app } = await startService(env);
    await app.store.saveSettingUnlessThere({ name: "held", value: "it is a copy" });
    const held = /^! The installation is held: it is a copy\.\n.* until `bellwire adopt`\.$/m;
    const beside = await run(env);
    await app.stop();
    const without = await run(env);
    assert.deepEqual([beside.code, without.code], [0, 0]);
    for (const { out } of [beside, without]) assert.match(out, held);
  });

  test("and shows every setting, secrets masked", async () => {
    const { out } = await run(newEnv({ BELLWIRE_API_KEY: "an-intake-key-of-ours" }));
    assert.match(out, /^ {4}BELLWIRE_API_KEY +set \(1, not shown\)$/m);
    assert.match(out, /^ {4}BELLWIRE_SHUTDOWN_DEADLINE_SECONDS +20$/m);
    assert.doesNotMatch(out, /an-intake-key-of-ours/);
  });

  test("and says where the operator is told, and warns when that crosses a network in clear text", async () => {
    const secret = { BELLWIRE_OPERATOR_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString("base64")}` };
    const told = async (url: string) => (await run(newEnv({ ...secret, BELLWIRE_OPERATOR_WEBHOOK_URL: url }))).out;
    assert.match(
      await told("https://alerts.example.com/in"),
      /^✓ Notices to the operator go to https:\/\/alerts\.example\.com\.$/m,
    );
    assert.match(
      await told("http://127.0.0.1:9000/in"),
      /^✓ Notices to the operator go to http:\/\/127\.0\.0\.1:9000\.$/m,
    );
    assert.match(await told("http://alerts.internal/in"), /^! Notices to the operator go to .* in clear text\.$/m);
  });

  test("and signs in to the mail server, and warns of one that would take passwords in the clear", async () => {
    await using server = await startMailServer();
    const near = await run(newEnv({ BELLWIRE_SMTP_URL: server.url.replace("//", "//bell:hunter2@") }));
    assert.match(near.out, /^✓ The mail server 127\.0\.0\.1:\d+ takes e-mails/m);
    const far = newEnv({ BELLWIRE_SMTP_URL: server.url.replace("127.0.0.1", "bell:hunter2@0.0.0.0") });
    const { code, out } = await run(far);
    assert.equal(code, 0, out);
    assert.match(out, /^! The mail server 0\.0\.0\.0:\d+ cannot be used\.\n.*STARTTLS.*smtps:/m);
    assert.equal(server.logins.length, 1);
    assert.deepEqual(server.mails, []);
    for (const text of [near.out, out]) assert.doesNotMatch(text, /hunter2/);
  });

  test("and leaves nothing behind of the file that it syncs", async () => {
    const env = await usedEnv();
    await run(env);
    const names = readdirSync(env.BELLWIRE_DATA_DIR);
    assert.deepEqual(
      names.filter((name) => name.includes("doctor")),
      [],
    );
  });
});

describe("bellwire doctor finds", () => {
  test("settings that are wrong, all of them, and goes no further", async () => {
    const { code, out } = await run({ BELLWIRE_PROT: "1", BELLWIRE_PORT: "x" });
    assert.equal(code, 1);
    assert.match(out, /^✗ BELLWIRE_PORT "x" must be a whole number/m);
    assert.match(out, /^✗ BELLWIRE_PROT is not a setting; did you mean BELLWIRE_PORT\?$/m);
    assert.doesNotMatch(out, /database/);
    assert.match(out, /\n\nBellwire cannot run here yet/);
  });

  test("a key file that others can read", async () => {
    const env = await usedEnv();
    chmodSync(join(env.BELLWIRE_DATA_DIR, "intake-key"), 0o644);
    const { code, out } = await run(env);
    assert.equal(code, 1);
    assert.match(out, /^✗ .*intake-key can be read or changed by other users \(mode 0644\)\. Run: chmod 600 /m);
  });

  test("a database whose encryption key is gone, and does not make another", async () => {
    const env = await usedEnv();
    const key = join(env.BELLWIRE_DATA_DIR, "encryption-key");
    rmSync(key);
    chmodSync(join(env.BELLWIRE_DATA_DIR, "intake-key"), 0o644);
    const { code, out } = await run(env);
    assert.equal(code, 1);
    assert.match(out, /^✗ .*encryption-key is missing, but there is a database, .* Put the file back/m);
    assert.match(out, /^✗ .*intake-key can be read/m);
    assert.equal(existsSync(key), false);
  });

  test("an encryption key that belongs to another database", async () => {
    const env = await usedEnv();
    const other = Buffer.alloc(32, 7).toString("base64");
    const { code, out } = await run({ ...env, BELLWIRE_ENCRYPTION_KEY: other });
    assert.equal(code, 1);
    assert.match(out, /^✗ The database .* cannot be used: .*another encryption key/m);
  });

  test("a database that is none, or another program's, or from the future", async () => {
    const path = join(ROOT, "other.db");
    const env = newEnv({ BELLWIRE_DATABASE: `sqlite:${path}` });
    writeFileSync(path, "this is a text and no database, however long it may be ".repeat(20));
    assert.match((await run(env)).out, /^✗ .*encryption-key is missing, but there is a database/m);
    const withKey = { ...env, BELLWIRE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") };
    assert.match((await run(withKey)).out, /^✗ The database .* cannot be used: .*not a database/m);
    rmSync(path);
    runSql(path, "create table music (title text)");
    assert.match((await run(withKey)).out, /^✗ The database .* cannot be used: .*another program/m);
    const used = await usedEnv();
    runSql(
      join(used.BELLWIRE_DATA_DIR, "bellwire.db"),
      "insert into schema_migrations (version, name, applied_at) values (999, 'x', 0)",
    );
    const { code, out } = await run(used);
    assert.equal(code, 1);
    assert.match(out, /^✗ The database .* cannot be used: .*schema version 999/m);
  });

  test("no data folder, where database and keys are elsewhere", async () => {
    const elsewhere = {
      BELLWIRE_DATABASE: "sqlite::memory:",
      BELLWIRE_API_KEY: "an-intake-key-0123456789",
      BELLWIRE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    };
    const env = { ...newEnv(), ...elsewhere };
    writeFileSync(env.BELLWIRE_DATA_DIR, "");
    const { out } = await run(env);
    assert.match(out, /^✓ The data folder is not used: database and keys are elsewhere\.$/m);
  });

  test("a data folder that is a file", async () => {
    const env = newEnv();
    writeFileSync(env.BELLWIRE_DATA_DIR, "");
    const { code, out } = await run(env);
    assert.equal(code, 1);
    assert.match(out, /^✗ The data folder .* is not a folder/m);
    assert.match(
      out,
      /^✗ A file in .* cannot be written and synced: a part of its path is a file and no folder \(ENOTDIR\)/m,
    );
  });

  test("a port that another program has", async () => {
    const other = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, out } = await run(newEnv({ BELLWIRE_PORT: String(port) }));
    other.close();
    assert.equal(code, 1);
    assert.match(
      out,
      /^✗ Port \d+ of 127\.0\.0\.1 cannot be listened on \(EADDRINUSE\)\.\n    Another program has it/m,
    );
  });

  test("a clock from before the program was installed", async () => {
    const { code, out } = await run(newEnv(), { clock: { ...systemClock, nowMs: () => Date.UTC(1999, 0, 1) } });
    assert.equal(code, 1);
    assert.match(out, /^✗ The clock says 1999-01-01T00:00:00\.000Z\. That is before this program was installed\.$/m);
  });
});

describe("bellwire doctor warns of", () => {
  test("a data folder that others can list", async () => {
    const env = newEnv();
    mkdirSync(env.BELLWIRE_DATA_DIR);
    chmodSync(env.BELLWIRE_DATA_DIR, 0o755);
    const { code, out } = await run(env);
    assert.equal(code, 0);
    assert.match(out, /^! The data folder .* is open to other users \(mode 0755\)\.\n.*chmod 700/m);
  });

  test("names that do not resolve", async () => {
    const silent: Resolver = {
      resolve: () => Promise.resolve(refuse({ code: "ETIMEOUT", message: "the name servers did not answer in time" })),
    };
    const { code, out } = await run(newEnv(), { resolver: silent });
    assert.equal(code, 0);
    assert.match(out, /^! Names do not resolve: the name servers did not answer in time \(ETIMEOUT, \d+ ms\)/m);
    assert.match(out, /^ {4}NAT64: not known, the name servers did not say \(ipv4only\.arpa\)$/m);
  });

  test("the addresses that owners are told webhooks come from, and whose they must be", async () => {
    const { out } = await run(newEnv({ BELLWIRE_SOURCE_ADDRESSES: "203.0.113.7,2001:db8:12::/64" }));
    assert.match(
      out,
      /Owners read under Settings → Verification that webhooks come from:\n {4}203\.0\.113\.7\n {4}2001:/,
    );
    assert.match(out, /these must be the public addresses of this machine/);
    assert.doesNotMatch((await run(newEnv({}))).out, /Owners read/);
  });

  test("a metadata address that was opened, and of Bellwire itself", async () => {
    const allow = { BELLWIRE_EGRESS_ALLOW: "169.254.0.0/16, 127.0.0.1:8000-9000", BELLWIRE_PORT: "8765" };
    const { out } = await run(newEnv(allow));
    assert.match(out, /^ {4}opened by BELLWIRE_EGRESS_ALLOW: 169\.254\.0\.0\/16, every port$/m);
    assert.match(out, /^ {4}opened by BELLWIRE_EGRESS_ALLOW: 127\.0\.0\.1\/32 at ports 8000 to 9000$/m);
    assert.match(out, /^! Webhooks may call the cloud metadata address/m);
    assert.match(out, /^! Webhooks may call Bellwire itself, at port 8765/m);
  });

  test("what is closed, https alone, and the network's own NAT64 prefix", async () => {
    const { out } = await run(
      newEnv({ BELLWIRE_EGRESS_DENY: "11.0.0.0/8, [2a00:1::/32]:8080", BELLWIRE_HTTPS_ONLY: "1" }),
      { resolver: { resolve: async () => ok(["192.0.0.170", "2001:db8:64::c000:aa"]) } },
    );
    assert.match(out, /^ {4}refused by BELLWIRE_HTTPS_ONLY: Webhook URLs that start with http:$/m);
    assert.match(out, /^ {4}closed by BELLWIRE_EGRESS_DENY: 11\.0\.0\.0\/8, every port$/m);
    assert.match(out, /^ {4}closed by BELLWIRE_EGRESS_DENY: 2a00:1::\/32 at port 8080$/m);
    assert.match(
      out,
      /^ {4}NAT64 of this network: 2001:db8:64::\/96, where the IPv4 address behind it is checked too$/m,
    );
  });

  test("a metadata address that was opened and closed again is safe", async () => {
    const env = { BELLWIRE_EGRESS_ALLOW: "169.254.0.0/16", BELLWIRE_EGRESS_DENY: "169.254.169.254" };
    assert.doesNotMatch((await run(newEnv(env))).out, /metadata address, which/);
  });

  test("listening to others without TLS", async () => {
    const exposed = { BELLWIRE_HOST: "0.0.0.0" };
    assert.match((await run(newEnv(exposed))).out, /^! The service listens on 0\.0\.0\.0/m);
    const behindProxy = { ...exposed, BELLWIRE_PUBLIC_URL: "https://webhooks.example.com" };
    assert.doesNotMatch((await run(newEnv(behindProxy))).out, /^!.*listens on/m);
  });

  test("a clock that was set while it ran", async () => {
    let reads = 0;
    const clock: Clock = { ...systemClock, nowMs: () => Date.now() + 60_000 * reads++ };
    assert.match(
      (await run(newEnv(), { clock })).out,
      /^! The clock says .* It was set by \d{5,} ms while this ran\./m,
    );
  });

  test("a database in memory", async () => {
    const { code, out } = await run(newEnv({ BELLWIRE_DATABASE: "sqlite::memory:" }));
    assert.equal(code, 0);
    assert.match(out, /^! The database is in memory/m);
  });
});

function runSql(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}
