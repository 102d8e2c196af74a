/** A disk that holds little more than the database: what fills it, and what a start on it says. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { databaseIn } from "../test/kit/process/database-file.ts";
import { newFolder } from "../test/kit/folder.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { type Running, drained, startService } from "../test/kit/process/running.ts";
import { enlargeDisk, fillUp, mountSmallDisk } from "../test/kit/process/small-disk.ts";

const DISK_MB = 12;
const BATCH_RECORDS = 200;
/** An eighth of the disk, and what a batch or two bring in before the checkpoint. */
const LOG_BYTES_MAX = 4_000_000;

test("records fill a small disk, not SQLite's log; a start on it says what to do, and nothing is lost", async (t) => {
  using folder = newFolder();
  const disk = join(folder.path, "disk");
  using mounted = mountSmallDisk(disk, DISK_MB);
  if (mounted === null) return t.skip("needs the right to mount a small tmpfs");
  await using receiver = await startReceiver();
  const options = { dataDir: join(disk, "data"), env: { BELLWIRE_LOG_LEVEL: "fatal" } };
  await setUpAccount({ dataDir: options.dataDir, alerts: [{ url: receiver.url }] });
  const acknowledged = await fillWithRecords(options);
  const logBytes = statSync(`${databaseIn(options.dataDir)}-wal`).size;
  t.diagnostic(`${acknowledged.size} records on ${DISK_MB} MB; the log takes ${logBytes} bytes`);
  assert.ok(logBytes < LOG_BYTES_MAX, `the log takes ${logBytes} bytes`);

  fillUp(join(disk, "filler"));
  await assert.rejects(startService(options), /database or disk is full .*; make room on its disk and start again/);
  enlargeDisk(disk, 4 * DISK_MB);
  await using service = await startService(options);
  await drained(service);
  const arrived = receiver.requests.map(({ body }) => (JSON.parse(body.toString("utf8")) as { id: string }).id);
  assert.deepEqual(new Set(arrived), acknowledged);
});

/** Posts until the store has no more room, and stops the service. */
async function fillWithRecords(options: Parameters<typeof startService>[0]): Promise<Set<string>> {
  await using service = await startService(options);
  const acknowledged = new Set<string>();
  while (await isTaken(service, acknowledged));
  await service.stop();
  return acknowledged;
}

async function isTaken(service: Running, acknowledged: Set<string>): Promise<boolean> {
  const ids = Array.from({ length: BATCH_RECORDS }, () => randomUUID() as string);
  const body = ids.map((id) => sessionRecord(id)).join("\n");
  const { status } = await service.post("demo-sessions", body, { type: "application/x-ndjson" });
  if (status === 503) return false;
  assert.equal(status, 200);
  for (const id of ids) acknowledged.add(id);
  return true;
}
