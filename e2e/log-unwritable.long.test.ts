/**
 * A log that cannot be written, in each way in which that happens: the service goes on taking and delivering, counts
 * the lines that it drops, says so when it can write again, and ends when it is asked to. The ledger is as everywhere
 * here: what was acknowledged against what arrived.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { startChild } from "../test/kit/process/child.ts";
import { newFolder } from "../test/kit/folder.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { BIN, type Running, drained, freePort, startService } from "../test/kit/process/running.ts";
import { enlargeDisk, mountSmallDisk } from "../test/kit/process/small-disk.ts";
import { eventually } from "../test/kit/wait.ts";

/** The time that the service has to end, whatever its log does. */
const STOP_MS_MAX = 10_000;
/** Each record fires this many alerts, and each delivery writes a line: a pipe and what may wait are full quickly. */
const ALERTS = 10;
const BATCH_RECORDS = 100;

interface Scene {
  readonly t: TestContext;
  readonly service: Running;
  readonly receiver: Receiver;
  readonly acknowledged: Set<string>;
}

test("on a full log disk the service takes and delivers, and goes on in its log when there is room", async (t) => {
  using folder = newFolder();
  const disk = join(folder.path, "disk");
  using mounted = mountSmallDisk(disk, 1);
  if (mounted === null) return t.skip("needs the right to mount a small tmpfs");
  const path = join(disk, "log");
  await withLogTo(t, openSync(path, "a"), async (scene) => {
    await postUntilDropped(scene);
    // The lines of deliveries that are still to come could fill the disk again.
    await drained(scene.service);
    // Not by cutting the log: a full disk may have taken a line that says how many are missing.
    enlargeDisk(disk, 3);
    await eventually(
      "the metric's figure in those lines",
      async () => missingIn(readFileSync(path)) === (await droppedBy(scene.service)),
    );
    await postUntilDropped(scene);
  });
});

test("with a log that is never written the service takes and delivers", async (t) => {
  await withLogTo(t, openSync("/dev/full", "w"), postUntilDropped);
});

test("with a log that nobody reads the service takes and delivers, and goes on when somebody does", async (t) => {
  using folder = newFolder();
  using pipe = makePipe(folder.path);
  await withLogTo(t, pipe.writer, async (scene) => {
    await postUntilDropped(scene);
    const text = { whole: "" };
    await eventually("the line that says how many lines are missing", async () => {
      text.whole += pipe.read();
      return missingIn(Buffer.from(text.whole)) > 0;
    });
    await postUntilDropped(scene);
  });
});

test("with a log whose reader has gone the service takes and delivers", async (t) => {
  using folder = newFolder();
  using pipe = makePipe(folder.path);
  await withLogTo(t, pipe.writer, async (scene) => {
    await postBatch(scene);
    pipe.closeReader();
    await postUntilDropped(scene);
  });
});

test("with neither output to write to the service starts, answers and ends", async () => {
  using folder = newFolder();
  const port = await freePort();
  const full = openSync("/dev/full", "w");
  const env = { BELLWIRE_DATA_DIR: join(folder.path, "data"), BELLWIRE_PORT: String(port) };
  await using child = startChild({ args: [BIN, "serve"], env, output: full, errors: full });
  closeSync(full);
  await eventually("that the service is ready", async () => {
    const answered = fetch(`http://127.0.0.1:${port}/readyz`);
    return await answered.then(
      ({ ok }) => ok,
      () => false,
    );
  });
  child.kill("SIGTERM");
  assert.deepEqual(await child.exited, { code: 0, signal: null });
});

test("the demo goes on when nobody reads what it prints", async () => {
  using folder = newFolder();
  using pipe = makePipe(folder.path);
  await using child = startChild({ args: [BIN, "demo", "--for", "2"], output: pipe.writer });
  pipe.closeReader();
  assert.deepEqual(await child.exited, { code: 0, signal: null }, child.err.text);
});

/** Runs the service with that file as its log, lets `trouble` happen, and holds the service to its promises. */
async function withLogTo(t: TestContext, output: number, trouble: (scene: Scene) => Promise<void>): Promise<void> {
  using folder = newFolder();
  await using receiver = await startReceiver();
  const dataDir = join(folder.path, "data");
  await setUpAccount({ dataDir, alerts: Array.from({ length: ALERTS }, () => ({ url: receiver.url })) });
  await using service = await startService({ dataDir, output });
  // From here on the service alone has it.
  closeSync(output);
  const scene = { t, service, receiver, acknowledged: new Set<string>() };
  await trouble(scene);
  assert.equal((await service.get("/readyz")).status, 200);
  await drained(service);
  const dropped = await droppedBy(service);
  const { code, tookMs } = await service.stop();
  t.diagnostic(
    `${scene.acknowledged.size} acknowledged, ${receiver.requests.length} arrived, ${dropped} lines dropped; ` +
      `ended after ${Math.round(tookMs)} ms`,
  );
  assert.equal(code, 0, service.child.err.text);
  assert.ok(tookMs < STOP_MS_MAX, `${tookMs} ms`);
  assertAllArrived(scene);
}

function assertAllArrived({ acknowledged, receiver }: Scene): void {
  const arrivals = new Map<string, number>();
  for (const { body } of receiver.requests) {
    const { id } = JSON.parse(body.toString("utf8")) as { id: string };
    arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
  }
  assert.deepEqual(arrivals, new Map([...acknowledged].map((id) => [id, ALERTS])));
}

/** Until more lines are dropped than were before. */
async function postUntilDropped(scene: Scene): Promise<void> {
  const before = await droppedBy(scene.service);
  await eventually("that lines of the log are dropped", async () => {
    await postBatch(scene);
    assert.equal((await scene.service.get("/readyz")).status, 200);
    return (await droppedBy(scene.service)) > before;
  });
}

async function postBatch({ service, acknowledged }: Scene): Promise<void> {
  const ids = Array.from({ length: BATCH_RECORDS }, () => randomUUID() as string);
  const body = ids.map((id) => sessionRecord(id)).join("\n");
  const { status, text } = await service.post("demo-sessions", body, { type: "application/x-ndjson" });
  assert.equal(status, 200, text.slice(0, 500));
  for (const line of text.trim().split("\n")) {
    const { id, deliveries } = JSON.parse(line) as { id: string; deliveries?: number };
    assert.equal(deliveries, ALERTS, line);
    acknowledged.add(id);
  }
}

async function droppedBy(service: Running): Promise<number> {
  const { text } = await service.get("/metrics");
  return Number(/^bellwire_log_lines_dropped_total (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}

/** As the log's own lines say it. */
function missingIn(log: Buffer): number {
  return [...log.toString("utf8").matchAll(/^\{.*"lines":(\d+),"msg":"log.lines_dropped"\}$/gm)]
    .map(([, lines]) => Number(lines))
    .reduce((sum, lines) => sum + lines, 0);
}

interface Pipe extends Disposable {
  /** To be given away. */
  readonly writer: number;
  /** Its content now. */
  read(): string;
  closeReader(): void;
}

function makePipe(folder: string): Pipe {
  const path = join(folder, "pipe");
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
  let reader: number | null = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const chunk = Buffer.alloc(64 * 1024);
  const closeReader = (): void => {
    if (reader !== null) closeSync(reader);
    reader = null;
  };
  return {
    writer: openSync(path, constants.O_WRONLY),
    read() {
      try {
        return chunk.toString("utf8", 0, readSync(reader ?? assert.fail("it is closed"), chunk));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") return "";
        throw error;
      }
    },
    closeReader,
    [Symbol.dispose]: closeReader,
  };
}
