/**
 * Litestream beside a service under load, with the configuration of docs/backups.md. Then both are killed and the disk
 * is gone; what its copies lack is no older than their window, and the restored service goes on. `LITESTREAM_SECONDS`
 * says how long the load lasts, and `LITESTREAM_EVENTS` how many the person has before it begins.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { newFolder } from "../test/kit/folder.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { startChild } from "../test/kit/process/child.ts";
import { checkIntegrity, databaseIn } from "../test/kit/process/database-file.ts";
import { findLitestream } from "../test/kit/process/pip-programs.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { startLoad, type TimedAcknowledged } from "../test/kit/process/oracle.ts";
import { ACCOUNT, BIN, drained, type Running, startService } from "../test/kit/process/running.ts";
import { shareCluster } from "../test/kit/servers/postgres.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually, pause } from "../test/kit/wait.ts";

const SECONDS = Number(process.env["LITESTREAM_SECONDS"] ?? 20);
const EVENTS = Number(process.env["LITESTREAM_EVENTS"] ?? 0);
/** It copies once a second, and a loaded machine is late. */
const WINDOW_MS = 5_000;
/** The end of an erasure writes up to 64 MiB of zeros. */
const LOG_BYTES_MAX = 96 * 1024 * 1024;
const ERASURES = 3;
/** As many as a post may have. */
const BATCH = 1_000;
const FILLING_MS_MAX = 90_000 + EVENTS * 5;
/** All of them, on a busy machine: the longer the load, the more events has the person. */
const ERASING_MS_MAX = Math.max(120_000, SECONDS * 200 + EVENTS * 3);
/** Of whom the records of the load are. */
const PERSON = "Ada@Example.com";

const run = promisify(execFile);
const found = findLitestream();

async function bellwire(dataDir: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], BELLWIRE_DATA_DIR: dataDir };
  return (await run(process.execPath, [BIN, ...args], { env })).stdout;
}

/** Of docs/backups.md, with this test's folders in the place of those of the page. */
function writeConfiguration(folder: string, dataDir: string): string {
  const page = readFileSync(join(import.meta.dirname, "../docs/backups.md"), "utf8");
  const [, yaml = ""] = /```yaml\n(dbs:[\s\S]*?)```/.exec(page) ?? [];
  assert.match(yaml, /\/var\/lib\/bellwire\/bellwire\.db[\s\S]*\/var\/lib\/bellwire-copies/);
  const path = join(folder, "litestream.yml");
  const text = yaml.replace("/var/lib/bellwire-copies", join(folder, "copies"));
  writeFileSync(path, text.replace("/var/lib/bellwire/bellwire.db", databaseIn(dataDir)));
  return path;
}

/** Bytes of the longest log, looked for while `work` runs. */
async function longestLog(dataDir: string, work: () => Promise<void>): Promise<number> {
  let longest = 0;
  const look = setInterval(() => {
    longest = Math.max(longest, statSync(`${databaseIn(dataDir)}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  }, 20);
  await work().finally(() => clearInterval(look));
  return longest;
}

/** Delivered before the load begins. */
async function fill(service: Running): Promise<void> {
  for (let left = EVENTS; left > 0; left -= BATCH) {
    const records = Array.from({ length: Math.min(left, BATCH) }, () => sessionRecord(randomUUID()));
    const { status, text } = await service.post("demo-sessions", records.join("\n"), { type: "application/x-ndjson" });
    assert.ok(status <= 202, text);
  }
  await drained(service, FILLING_MS_MAX);
}

interface Erasures {
  readonly firstAtMs: number;
  readonly tookMs: readonly number[];
  /** Commits of over 250 ms meanwhile. */
  readonly slow: number;
}

/** Each beside the load, spread over it. */
async function eraseBeside(service: Running, dataDir: string): Promise<Erasures> {
  const took: number[] = [];
  let [firstAtMs, slow] = [0, 0];
  for (let n = 0; n < ERASURES; n += 1) {
    await pause((SECONDS * 1000) / (ERASURES + 1));
    const before = await countCommits(service);
    const startedMs = performance.now();
    if (n === 0) firstAtMs = Date.now();
    const erase = ["erase", "--account", ACCOUNT, "--email", PERSON, "--url", service.url];
    // It ends with 1 where some are being sent just now.
    const said = await bellwire(dataDir, ...erase).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
    );
    assert.match(said, /^\d+\tevents without/);
    took.push(Math.round(performance.now() - startedMs));
    slow += (await countCommits(service)).slow - before.slow;
  }
  await pause((SECONDS * 1000) / (ERASURES + 1));
  return { firstAtMs, tookMs: took, slow };
}

/** By the service's own figures, a wait for their turn not included. */
async function countCommits(service: Running): Promise<{ readonly all: number; readonly slow: number }> {
  const { text } = await service.get("/metrics");
  const upTo = (le: string): number =>
    Number(new RegExp(`^bellwire_commit_seconds_bucket\\{le="${le}"\\} (\\d+)$`, "m").exec(text)?.[1]);
  return { all: upTo("\\+Inf"), slow: upTo("\\+Inf") - upTo("0\\.25") };
}

function quantile(records: TimedAcknowledged, share: number): number {
  const sorted = [...records.values()].map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}

/** Ids of the events that have a body, or none any more. */
function listEvents(path: string, has: "a body" | "none"): string[] {
  using database = new DatabaseSync(path, { readOnly: true });
  const is = has === "none" ? "=" : ">";
  return database
    .prepare(`select id from events where octet_length(body) ${is} 0`)
    .all()
    .map(({ id }) => String(id));
}

/** Those that the restored file has no event of. */
function findLost(dataDir: string, acknowledged: TimedAcknowledged): number[] {
  using database = new DatabaseSync(databaseIn(dataDir), { readOnly: true });
  const ids = new Set(
    database
      .prepare("select id from events")
      .all()
      .map(({ id }) => String(id)),
  );
  return [...acknowledged.values()]
    .filter(({ eventIds }) => ![...eventIds].some((id) => ids.has(id)))
    .map(({ startedAtMs, tookMs }) => startedAtMs + tookMs);
}

async function assertMoves(dataDir: string, t: TestContext): Promise<void> {
  await using cluster = await shareCluster();
  const url = await cluster.createDatabase();
  const said = await bellwire(dataDir, "migrate-to", url);
  t.diagnostic(said.split("\n").find((line) => line.startsWith("events")) ?? said);
}

const skip = "missing" in found && found.missing;
test("what Litestream's copies lack after the loss of the disk is no older than their window", { skip }, async (t) => {
  assert.ok("path" in found);
  using folder = newFolder();
  const dataDir = join(folder.path, "data");
  await using receiver = await startReceiver();
  await setUpAccount({ dataDir, alerts: [{ url: `${receiver.url}/hook` }], assistants: { sales: receiver.url } });
  const configuration = writeConfiguration(folder.path, dataDir);
  const litestream = async (...args: readonly string[]) => (await run(found.path, args)).stdout;
  await using service = await startService({ dataDir, env: { BELLWIRE_LOG_LEVEL: "warn" } });
  await fill(service);
  await using copying = startChild({ node: found.path, args: ["replicate", "-config", configuration] });
  await using processes = new AsyncDisposableStack();
  const load = startLoad(folder.path, [service], { assistants: ["sales"], callers: 4, pauseMs: 45 });
  processes.use(load.child);
  const startedAtMs = Date.now();
  let erasures: Erasures = { firstAtMs: 0, tookMs: [], slow: 0 };
  const log = await longestLog(dataDir, async () => {
    erasures = await load.during(eraseBeside(service, dataDir), SECONDS * 1000 + ERASING_MS_MAX);
  });
  const commits = await countCommits(service);
  const killedAtMs = Date.now();
  await Promise.all([service.crash(), copying[Symbol.asyncDispose]()]);
  const acknowledged = await load.kept();
  const seconds = (killedAtMs - startedAtMs) / 1000;
  const rate = Math.round(acknowledged.size / seconds);
  t.diagnostic(
    `${Math.round(seconds)} s of ${rate} records a second: answers after ${quantile(acknowledged, 0.5)} ms, ` +
      `99 % within ${quantile(acknowledged, 0.99)}, the longest ${quantile(acknowledged, 1)}; longest log ` +
      `${(log / 1024 / 1024).toFixed(1)} MiB; erasures ${erasures.tookMs.join(", ")} ms; ${commits.slow} of ` +
      `${commits.all} commits took over 250 ms, ${erasures.slow} of them beside an erasure`,
  );
  assert.ok(log < LOG_BYTES_MAX);

  const key = readFileSync(join(dataDir, "encryption-key"));
  rmSync(dataDir, { recursive: true });
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "encryption-key"), key, { mode: 0o600 });
  await litestream("restore", "-config", configuration, databaseIn(dataDir));
  assert.equal(checkIntegrity(dataDir), "ok");
  const lost = findLost(dataDir, acknowledged);
  const oldestMs = lost.length === 0 ? 0 : killedAtMs - Math.min(...lost);
  t.diagnostic(
    `${lost.length} of ${acknowledged.size} acknowledged records lost, the oldest ${oldestMs} ms before the end`,
  );
  assert.ok(lost.length < acknowledged.size && oldestMs < WINDOW_MS);

  const early = join(folder.path, "early.db");
  const before = new Date(erasures.firstAtMs - 1_000).toISOString();
  await litestream("restore", "-config", configuration, "-timestamp", before, "-o", early, databaseIn(dataDir));
  const erased = new Set(listEvents(databaseIn(dataDir), "none"));
  const stillThere = listEvents(early, "a body").filter((id) => erased.has(id)).length;
  const snapshots = readdirSync(join(folder.path, "copies/ltx/9")).length;
  t.diagnostic(`${stillThere} of ${erased.size} erased bodies are in the copies still; snapshots: ${snapshots}`);
  assert.ok(stillThere > 0 && snapshots === 1);

  const copy = join(folder.path, "moved");
  mkdirSync(copy);
  for (const name of ["bellwire.db", "encryption-key"]) copyFileSync(join(dataDir, name), join(copy, name));
  await assertMoves(copy, t);
  await using held = await startService({ dataDir, program: [BIN, "serve", "--hold"] });
  assert.equal((await held.get("/readyz")).status, 503);
  await bellwire(dataDir, "adopt");
  await eventually("the service to be ready", async () => (await held.get("/readyz")).status === 200);
  await drained(held);
  await held.stop();
  assert.match(await bellwire(dataDir, "backup", "--to", join(folder.path, "copy.db")), /integrity_check says ok/);
});
