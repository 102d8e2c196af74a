import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { databaseIn } from "../test/kit/process/database-file.ts";
import { type Folder, newFolder } from "../test/kit/folder.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { type Answer, type Running, type ServiceOptions, drained, startService } from "../test/kit/process/running.ts";
import { fillUp, mountSmallDisk } from "../test/kit/process/small-disk.ts";
import { eventually, soon } from "../test/kit/wait.ts";
import { readSourceId } from "../test/kit/process/oracle.ts";

/** A fault of the store that can be made and mended while the service runs. */
interface Fault {
  start(): void;
  end(): void;
}

type Place = Pick<ServiceOptions, "dataDir" | "output">;

/** Long enough for the fault to come between a delivery's arrival and its settlement. */
const ANSWER_MS = 200;
const ON_THE_WAY = 3;
/** Posts while the store is out of order. */
const REFUSED = 20;
/** A disk that is full still has room in the log that SQLite has already: some commits may fit. */
const ACCEPTED_MAX = 500;

test("on a full disk intake answers 503 until there is room again, and loses nothing", async (t) => {
  using folder = newFolder();
  const disk = join(folder.path, "disk");
  using mounted = mountSmallDisk(disk);
  if (mounted === null) return t.skip("needs the right to mount a small tmpfs");
  const filler = join(disk, "filler");
  await refusesAndRecovers(
    t,
    { dataDir: join(disk, "data") },
    {
      start: () => fillUp(filler),
      end: () => rmSync(filler),
    },
  );
});

test("on a full disk with the log on it intake answers 503 until there is room, and loses nothing", async (t) => {
  using folder = newFolder();
  const disk = join(folder.path, "disk");
  using mounted = mountSmallDisk(disk);
  if (mounted === null) return t.skip("needs the right to mount a small tmpfs");
  const filler = join(disk, "filler");
  using closing = new DisposableStack();
  const log = closing.adopt(openSync(join(disk, "log"), "a"), closeSync);
  const fault = { start: () => fillUp(filler), end: () => rmSync(filler) };
  await refusesAndRecovers(t, { dataDir: join(disk, "data"), output: log }, fault);
});

test("with a database that has become read-only intake answers 503 until it can be written again", async (t) => {
  using folder = newFolder();
  if (!canFreezeFiles(folder)) return t.skip("needs the right, and a file system, to make open files immutable");
  const dataDir = join(folder.path, "data");
  const files = [databaseIn(dataDir), `${databaseIn(dataDir)}-wal`];
  using thaw = new DisposableStack();
  thaw.defer(() => chattr("-i", files));
  await refusesAndRecovers(
    t,
    { dataDir },
    {
      start: () => chattr("+i", files),
      end: () => chattr("-i", files),
    },
  );
});

test("while another program holds the database's lock intake answers 503, and afterwards goes on", async (t) => {
  using folder = newFolder();
  const dataDir = join(folder.path, "data");
  using tool = new DisposableStack();
  await refusesAndRecovers(
    t,
    { dataDir },
    {
      start() {
        // The service may be committing just now.
        const database = tool.adopt(new DatabaseSync(databaseIn(dataDir), { timeout: 5_000 }), (open) => open.close());
        database.exec("begin immediate");
      },
      end: () => tool.dispose(),
    },
  );
});

/** `dataDir` is where the database is; `output` a file that takes the log. */
async function refusesAndRecovers(t: TestContext, { dataDir, output }: Place, fault: Fault): Promise<void> {
  await using receiver = await startReceiver({ delayMs: ANSWER_MS });
  await setUpAccount({ dataDir, alerts: [{ url: receiver.url }] });
  const log = output === undefined ? { env: { BELLWIRE_LOG_LEVEL: "fatal" } } : { output };
  await using service = await startService({ dataDir, ...log });
  const accepted = new Set<string>();
  for (let place = 0; place < ON_THE_WAY; place += 1) await acceptOne(service, accepted);
  await soon(receiver.received(1), "a delivery that is on its way when the store fails");

  fault.start();
  const refused = await postUntilRefused(service, accepted);
  let readiness = await service.get("/readyz");
  await eventually("that the service is not ready", async () => {
    readiness = await service.get("/readyz");
    return readiness.status !== 200;
  });
  assertUnavailable(readiness);
  assert.equal((await service.get("/healthz")).status, 200, "restarting it would not help");
  fault.end();

  const startedMs = performance.now();
  await eventually("that the service is ready again", async () => (await service.get("/readyz")).status === 200);
  const recoveredMs = Math.round(performance.now() - startedMs);
  // 503 meant that nothing was stored: each of them is new when it comes again.
  for (const id of refused) await acceptOne(service, accepted, id);
  await drained(service);

  t.diagnostic(`${accepted.size} accepted, ${refused.length} refused with 503; ready again after ${recoveredMs} ms`);
  const arrived = receiver.requests.map(({ body }) => readSourceId(body));
  assert.deepEqual(new Set(arrived), accepted);
  // Nor those that had arrived before the fault and could not be settled during it.
  assert.equal(arrived.length, accepted.size, "nothing was sent twice");
}

async function acceptOne(service: Running, accepted: Set<string>, id = randomUUID() as string): Promise<void> {
  const { status, json } = await service.post("demo-sessions", sessionRecord(id));
  assert.deepEqual([status, json["duplicate"]], [202, false]);
  accepted.add(id);
}

/** Ids that were refused. Whatever is not refused must be accepted: there is no third answer. */
async function postUntilRefused(service: Running, accepted: Set<string>): Promise<string[]> {
  const refused: string[] = [];
  while (refused.length < REFUSED) {
    assert.ok(accepted.size < ACCEPTED_MAX, "the store goes on committing");
    // Together, so that the waits for a lock are shared.
    const ids = Array.from({ length: REFUSED }, () => randomUUID() as string);
    const answers = await Promise.all(ids.map((id) => service.post("demo-sessions", sessionRecord(id))));
    for (const [place, answer] of answers.entries()) {
      if (answer.status !== 202) assertUnavailable(answer);
      const id = ids[place] ?? "";
      if (answer.status === 202) accepted.add(id);
      else refused.push(id);
    }
  }
  return refused;
}

function assertUnavailable({ status, headers, json, text }: Answer): void {
  assert.deepEqual([status, json["code"]], [503, "store_unavailable"], text);
  assert.match(String(headers["content-type"]), /^application\/problem\+json\b/);
  assert.match(String(headers["retry-after"]), /^[1-9]\d*$/);
}

function chattr(flag: "+i" | "-i", files: readonly string[]): boolean {
  return spawnSync("chattr", [flag, ...files]).status === 0;
}

/** Some file systems keep letting those write who have the file open already. */
function canFreezeFiles(folder: Folder): boolean {
  const path = join(folder.path, "frozen");
  const file = openSync(path, "w");
  try {
    if (!chattr("+i", [path])) return false;
    writeSync(file, "x");
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  } finally {
    closeSync(file);
    chattr("-i", [path]);
  }
}
