/**
 * The released program beside the one that comes after it: the next is the same program with one more step of the
 * schema, and on PostgreSQL with a form of rows that the older one cannot read. `UPGRADE_WAITING=100000` has as many
 * deliveries waiting as the promise names.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { newId } from "../src/domain/id.ts";
import { makeNewDelivery, makeNewEvent } from "../test/kit/make.ts";
import { newFolder } from "../test/kit/folder.ts";
import { openApp, setUpAccount } from "../test/kit/process/account.ts";
import { type Acknowledged, assertKept, createWitness, startLoad } from "../test/kit/process/oracle.ts";
import { ACCOUNT, type Running, drained, startService } from "../test/kit/process/running.ts";
import { shareCluster } from "../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually } from "../test/kit/wait.ts";
import { MIGRATIONS, NEWEST_FORM } from "../src/store/postgres/schema/migrations.ts";
import { NEWEST_VERSION as NEWEST_ON_SQLITE } from "../src/store/sqlite/schema/migrations.ts";

const ROOT = join(import.meta.dirname, "..");
const WAITING = Number(process.env["UPGRADE_WAITING"] ?? 4_000);
const BATCH = 500;
const DRAIN_MS_MAX = 600_000;
/** PostgreSQL's newest step in the bundle; SQLite's steps are the files of their folder. */
const { version: newest, name: step } = MIGRATIONS.at(-1) ?? assert.fail("there is no step");
const POSTGRES_STEPS = new RegExp(String.raw`(\w[\w$]*)\(${newest}, "${step}", \{ readBy: 2 \}\)`);
const following = newest + 1;
const toFile = (version: number): string => `${String(version).padStart(4, "0")}-next.sql`;

const folder = newFolder();
const OLD = join(folder.path, "old");
const NEXT = join(folder.path, "next");

before(() => {
  execFileSync(process.execPath, ["tools/release/release.ts", "--program", OLD], { cwd: ROOT });
  cpSync(OLD, NEXT, { recursive: true });
  change(POSTGRES_STEPS, `$&, $1(${following}, "next", { readBy: ${newest} })`);
  // `NEWEST_FORM` where it is a default.
  change(new RegExp(String.raw`\bwrites = ${NEWEST_FORM}\b`), `writes = ${following}`);
  const add = (file: string, sql: string): void => writeFileSync(join(NEXT, "lib", "store", file), sql);
  add(join("postgres", "schema", toFile(following)), "alter table deliveries add column colour text;");
  add(join("sqlite", "schema", toFile(NEWEST_ON_SQLITE + 1)), "alter table deliveries add column colour text;");
});
after(() => folder[Symbol.dispose]());

function change(pattern: RegExp, to: string): void {
  const files = globSync("lib/*.js", { cwd: NEXT }).map((path) => join(NEXT, path));
  const found = files.filter((path) => pattern.test(readFileSync(path, "utf8")));
  assert.ok(found.length > 0, `the bundle has ${pattern}`);
  for (const file of found) {
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(new RegExp(pattern, "g"), to));
  }
}

type Promised = Acknowledged extends ReadonlyMap<string, infer Record> ? Record : never;

interface Installation {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

const start = (program: string, { dataDir, env }: Installation): Promise<Running> =>
  startService({ dataDir, env, program: [join(program, "bin", "bellwire.js"), "serve"] });

async function stop(service: Running): Promise<void> {
  const { code } = await service.stop();
  assert.equal(code, 0, service.child.err.text);
}

/** Deliveries that wait, each with a body of its own, and what a receiver is to get of them. */
async function putWaiting(dataDir: string, database: string): Promise<Map<string, string>> {
  await using app = await openApp({ dataDir, database });
  const view = await app.accounts.accounts.load(ACCOUNT);
  const destinationId = view?.assistants.get("sales")?.destination?.id;
  assert.ok(view !== null && destinationId !== undefined);
  const bodies = new Map<string, string>();
  for (let first = 0; first < WAITING; first += BATCH) {
    const nowMs = Date.now();
    const events = Array.from({ length: Math.min(BATCH, WAITING - first) }, (_, place) => {
      const sourceId = `00000000-0000-4000-9000-${String(first + place).padStart(12, "0")}`;
      const body = JSON.stringify({
        id: sourceId,
        text: `é 漢字 ${first + place} ${"x".repeat((first + place) % 700)}`,
      });
      bodies.set(sourceId, body);
      const delivery = makeNewDelivery({ id: newId("dlv", nowMs, app.accounts.random), destinationId });
      const id = newId("evt", nowMs, app.accounts.random);
      const source = { type: "chat_conversation_completed", assistantId: "sales", sourceId } as const;
      const { configVersion } = view;
      return makeNewEvent({ id, accountId: ACCOUNT, configVersion, ...source, body, deliveries: [delivery] });
    });
    await app.store.acceptEvents({ nowMs, claim: { token: "none", untilMs: nowMs }, events });
  }
  return bodies;
}

/** Throws where a signature is wrong; gives the bodies of those that waited. */
function readArrived({ requests }: Receiver, secret: string, waiting: ReadonlyMap<string, string>) {
  const webhook = new Webhook(secret);
  const arrived = new Map<string, string>();
  for (const { body, headers } of requests) {
    const text = body.toString("utf8");
    const { id } = webhook.verify(text, headers) as { id: string };
    if (waiting.has(id)) arrived.set(id, text);
  }
  return arrived;
}

describe("the version after this one", () => {
  const name = "takes part on PostgreSQL beside this one, which may come back until rows are in the newer one's form";
  test(name, async (t) => {
    await using cluster = await shareCluster();
    await using receiver = await startReceiver({ delayMs: 5 });
    const database = await cluster.createDatabase();
    const dataDir = join(folder.path, "data");
    const installation = { dataDir, env: { BELLWIRE_DATABASE: database, BELLWIRE_LOG_LEVEL: "error" } };
    const secret = await setUpAccount({ dataDir, database, assistants: { sales: receiver.url } });
    const waiting = await putWaiting(dataDir, database);
    const find = async (sql: string): Promise<number> => Number((await cluster.query(database, sql))[0]?.["n"]);
    const startedMs = performance.now();
    await using processes = new AsyncDisposableStack();
    const old = processes.use(await start(OLD, installation));
    const load = processes.use(
      await (async () => {
        const made = startLoad(folder.path, [old], { assistants: ["sales"], callers: 2, pauseMs: 50 });
        return { ...made, [Symbol.asyncDispose]: () => made.child[Symbol.asyncDispose]() };
      })(),
    );
    await load.during(receiver.received(50));
    const next = processes.use(await load.during(start(NEXT, installation)));
    assert.equal(await find("select max(version) n from bellwire.schema_migrations"), following);
    const left = await find("select count(*) n from bellwire.deliveries where state = 'pending' and not is_ended");
    assert.ok(left > 0, "something still waits when both are there");
    // Back to this version, while the other one runs and beside the first: it works on the changed tables.
    const again = processes.use(await load.during(start(OLD, installation)));
    await load.during(receiver.received(receiver.requests.length + 200));
    const acknowledged = await load.end();
    await stop(old);
    await eventually("all to arrive", async () => (await again.get("/metrics")).status === 200, DRAIN_MS_MAX);
    const isEmpty = async (): Promise<boolean> =>
      (await find("select count(*) n from bellwire.deliveries where state = 'pending' and not is_ended")) === 0;
    await eventually("that nothing waits", isEmpty, DRAIN_MS_MAX);
    await stop(again);
    await drained(next);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    const all = new Map<string, Promised>(acknowledged);
    for (const id of waiting.keys()) all.set(id, { eventIds: new Set([id]), deliveries: 1 });
    const found = createWitness([receiver]).judge(all);
    t.diagnostic(
      `${WAITING} waiting and ${acknowledged.size} posted beside, ${left} left when both ran: ${found.lost.length} ` +
        `lost, ${found.duplicates} sent twice, in ${seconds} s`,
    );
    assertKept(found);
    assert.equal(found.duplicates, 0);
    const arrived = readArrived(receiver, secret, waiting);
    assert.equal(arrived.size, waiting.size);
    assert.ok([...waiting].every(([id, body]) => arrived.get(id) === body));
    const readBy = async () => (await find("select max(read_by) n from bellwire.schema_migrations")) === following;
    await eventually("that the newer form may be written", readBy, 60_000);
    const refused = new RegExp(`has schema version ${following} and rows for version ${following} or newer`);
    await assert.rejects(start(OLD, installation), refused);
    await stop(next);
  });

  test("changes the file of SQLite, which this one then refuses with a sentence", async () => {
    const installation = { dataDir: join(folder.path, "file"), env: { BELLWIRE_LOG_LEVEL: "error" } };
    for (const program of [OLD, NEXT]) await stop(await start(program, installation));
    const [knows, has] = [NEWEST_ON_SQLITE, NEWEST_ON_SQLITE + 1];
    const refused = new RegExp(`has schema version ${has}, this Bellwire knows up to ${knows}`);
    await assert.rejects(start(OLD, installation), refused);
  });
});
