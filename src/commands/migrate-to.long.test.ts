/** How `bellwire migrate-to` is called, what it refuses and what it prints. The move itself is tested in store/move. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { type App, createApp } from "../app.ts";
import { readConfig } from "../config/config.ts";
import { loadKeys } from "../config/keys.ts";
import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import { createLog } from "../observe/log.ts";
import { createProgressLines } from "./migrate-to-progress.ts";
import { migrateTo } from "./migrate-to.ts";
import { examine } from "./doctor/doctor.ts";

const ROOT = mkdtempSync(join(tmpdir(), "bellwire-migrate-"));
let cluster: SharedCluster;

before(async () => {
  cluster = await shareCluster();
});
after(async () => {
  rmSync(ROOT, { recursive: true, force: true });
  await cluster[Symbol.asyncDispose]();
});

type Env = Readonly<Record<string, string>>;

const newEnv = (changes: Env = {}) => ({
  BELLWIRE_DATA_DIR: join(mkdtempSync(join(ROOT, "case-")), "data"),
  ...changes,
});

async function openApp(env: Env): Promise<App> {
  const config = readConfig(env);
  assert.ok(config.ok);
  const keys = loadKeys(config.value, systemRandom);
  assert.ok(keys.ok);
  return await createApp({ config: config.value, keys: keys.value, log: createLog("silent") });
}

/** Settings of a service that was started once. */
async function usedEnv(changes: Env = {}) {
  const env = newEnv(changes);
  await (await openApp(env)).stop();
  return env;
}

async function run(args: readonly string[], env: Env) {
  const { io, out, err } = createFakeIo(args, env);
  const code = await migrateTo(io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

const ADDRESS = "postgres://u:canary@127.0.0.1:1/x";

describe("a wrong call is explained, and shows no password", () => {
  const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [[], /^migrate-to needs the address/],
    [["postgres://canary@/x y", "more"], /^migrate-to takes one address/],
    [[ADDRESS, "--address-file", "file"], /^migrate-to takes one address/],
    [["mysql://u:canary@host/x"], /^The address must be sqlite: .* or a postgres:/],
    [["sqlite:canary.db"], /^The address must be one of PostgreSQL/],
    [["postgres://u:canary@host"], /^The address names no database/],
    [["--address-file", "/nowhere/at/all"], /^--address-file: .* cannot be read \(ENOENT\)/],
    [["--go-back", ADDRESS], /^--go-back takes no address/],
  ];
  for (const [args, message] of wrong) {
    test(`migrate-to ${args.join(" ")}`, async () => {
      const { code, err } = await run(args, newEnv());
      assert.equal(code, 2);
      assert.match(err, message);
      assert.match(err, /\n\nUsage: bellwire migrate-to postgres:/);
      assert.doesNotMatch(err, /canary/);
    });
  }
});

describe("what cannot be moved is told", () => {
  test("no database where the settings say", async () => {
    const env = newEnv();
    const { code, err } = await run([ADDRESS], env);
    assert.deepEqual([code, existsSync(env.BELLWIRE_DATA_DIR)], [1, false]);
    assert.match(err, /^There is no database .*bellwire\.db\. If your service is another one, .*day-two/);
  });

  for (const [BELLWIRE_DATABASE, message] of [
    ["sqlite::memory:", /^The database is in memory/],
    [ADDRESS, /^BELLWIRE_DATABASE names a PostgreSQL database already/],
  ] as const) {
    test(`BELLWIRE_DATABASE is ${BELLWIRE_DATABASE.split(":", 1)[0]}, without a file`, async () => {
      const { code, err } = await run([ADDRESS], newEnv({ BELLWIRE_DATABASE }));
      assert.equal(code, 1);
      assert.match(err, message);
    });
  }

  test("a service runs", async () => {
    const env = newEnv();
    const service = await openApp(env);
    const { code, err } = await run([ADDRESS], env);
    await service.stop();
    assert.equal(code, 1);
    assert.match(err, /^The move cannot go on: .* is used by another Bellwire process: .* stop that one/);
  });

  test("the encryption key is missing, and none is made", async () => {
    const env = await usedEnv();
    const path = join(env.BELLWIRE_DATA_DIR, "encryption-key");
    rmSync(path);
    const { code, err } = await run([ADDRESS], env);
    assert.deepEqual([code, existsSync(path)], [1, false]);
    assert.match(err, /^The encryption key of this installation is missing: put .*encryption-key back/);
  });

  test("the encryption key is another one", async () => {
    const env = await usedEnv();
    const other = { BELLWIRE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") };
    const { code, err } = await run([ADDRESS], { ...env, ...other });
    assert.equal(code, 1);
    assert.match(err, /^The move cannot go on: The database was made with another encryption key/);
  });

  test("the target cannot be reached", async () => {
    const { code, err } = await run([ADDRESS], await usedEnv());
    assert.equal(code, 1);
    assert.match(err, /cannot be reached now: .*ECONNREFUSED.*\nRun the same command again/);
    assert.doesNotMatch(err, /canary/);
  });
});

describe("a move", () => {
  test("prints rows and hashes, says what to set, and a service starts there and not here", async () => {
    const env = await usedEnv();
    const url = await cluster.createDatabase();
    const file = join(env.BELLWIRE_DATA_DIR, "address");
    writeFileSync(file, `${url}\n`);
    const { code, out, err } = await run(["--address-file", file], env);
    assert.equal(code, 0, err);
    assert.match(out, /^settings {17,}1 rows {2}sha256 [0-9a-f]{64}$/m);
    assert.match(err, /^Moving .*bellwire\.db to the database \w+ of bellwire at /);
    assert.match(
      err,
      /BELLWIRE_DATABASE, .*\n {2}BELLWIRE_ENCRYPTION_KEY, from .*encryption-key\n {2}BELLWIRE_API_KEY,/,
    );
    await (await openApp({ ...env, BELLWIRE_DATABASE: url })).stop();
    await assert.rejects(openApp(env), /^StoreUnusable: the installation has moved to the database test_/);
    assert.match(await lookAt(env), /^✗ The database .* cannot be used: the installation has moved to/m);
    assert.match(
      (await run([url], env)).err,
      /^Moving .*\nEverything had arrived and was compared before\.\n\nNow set/,
    );
  });

  test("can be gone back from, with a word on what that means", async () => {
    const env = await usedEnv();
    assert.match((await run(["--go-back"], env)).err, /has not moved: there is nothing to go back from\.$/);
    const url = await cluster.createDatabase();
    const moved = await run([url, "--json"], env);
    assert.equal(moved.code, 0);
    const { kind, tables } = JSON.parse(moved.out);
    assert.ok(kind === "moved" && tables.length > 20, moved.out);
    const { code, out, err } = await run(["--go-back", "--json"], env);
    assert.equal(JSON.parse(out).kind, "went_back");
    assert.equal(code, 0);
    assert.match(err, /^A service may start on .* again\. .*\nWhat was done there since .* is not in it/);
    await (await openApp(env)).stop();
    assert.match((await run([url], env)).err, /has an installation already/);
  });

  test("that is stopped ends with 1, and the doctor says what is wrong with the target", async () => {
    const env = await usedEnv();
    const url = await cluster.createDatabase();
    const { io, err, stop } = createFakeIo([url], env);
    stop();
    assert.equal(await migrateTo(io), 1);
    assert.match(err.join("\n"), /\nStopped\. Run the same command again/);
    const there = { ...env, BELLWIRE_DATABASE: url };
    await assert.rejects(openApp(there), /holds only a part of an installation: the move from .*bellwire\.db, begun/);
    assert.match(await lookAt(there), /^✗ The database holds only a part of an installation/m);
  });
});

/** The doctor's lines. */
async function lookAt(env: Env): Promise<string> {
  const { io, out } = createFakeIo([], { ...env, BELLWIRE_PORT: "0" });
  const resolver = { resolve: () => Promise.resolve({ ok: true, value: ["192.0.2.1"] } as const) };
  await examine(io, { clock: systemClock, resolver });
  return out.join("\n");
}

test("progress is a line every two seconds, with the pace of this run and what is left", async () => {
  const clock = createVirtualClock();
  const lines: string[] = [];
  const onProgress = createProgressLines(clock, (line) => lines.push(line));
  const at = async (ms: number, ofStep: number, step: "copied" | "compared" = "copied"): Promise<void> => {
    await clock.advance(ms);
    onProgress({ step, table: "events", rows: { ofStep, here: ofStep - 1_000, all: 100_000 } });
  };
  await at(0, 1_000);
  await at(1_999, 2_000);
  await at(1, 3_000);
  await at(1_000, 4_000);
  await at(1_000, 5_000);
  await at(10, 5_000, "compared");
  assert.deepEqual(lines, [
    "copied 3000 of 100000 rows, in events: 1000 rows/s, about 2 min left",
    "copied 5000 of 100000 rows, in events: 1000 rows/s, about 2 min left",
  ]);
});
