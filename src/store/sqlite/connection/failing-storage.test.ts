import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { systemClock } from "../../../lib/clock.ts";
import { accept, makeEvent, setUp, T0, loadVersion, ACCEPTED } from "../../conformance/world.ts";
import { type Store, StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import { openSqliteStore } from "../open.ts";
import { toCall } from "../../calls.ts";
import { createReadGate } from "../reader/read-gate.ts";
import { startWriter } from "../writer/writer.ts";

const folder = mkdtempSync(join(tmpdir(), "bellwire-failing-"));
after(() => rmSync(folder, { recursive: true }));

const open = (path: string) => openSqliteStore({ path, clock: systemClock });

/** A process of its own that writes events without end and prints the number of each one that was acknowledged. */
const ENDLESS_WRITER = `
  import { systemClock } from "${new URL("../../../lib/clock.ts", import.meta.url).href}";
  import { accept, makeEvent, held, setUp } from "${new URL("../../conformance/world.ts", import.meta.url).href}";
  import { openSqliteStore } from "${new URL("../open.ts", import.meta.url).href}";
  const store = await openSqliteStore({ path: process.argv[1], clock: systemClock });
  const configVersion = await setUp(store, ["dst_a"]);
  let last = 0;
  async function write() {
    for (;;) {
      const n = (last += 1);
      await accept(store, [makeEvent(n, { configVersion, deliveries: [held("dlv_" + n, "dst_a")] })]);
      console.log(n);
    }
  }
  await Promise.all(Array.from({ length: 16 }, write));
`;

test("whatever was acknowledged before kill -9 is there, and its lock is free", async () => {
  const path = join(folder, "killed.db");
  const args = ["--input-type=module-typescript", "--eval", ENDLESS_WRITER, path];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: number[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(Number(line));
    if (acknowledged.length === 1) await assert.rejects(open(path), StoreUnusable);
    if (acknowledged.length === 500) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  assert.equal(child.signalCode, "SIGKILL");

  await using store = await open(path);
  const configVersion = await loadVersion(store);
  const repeats = acknowledged.map((n) => makeEvent(n, { id: `again_${n}`, configVersion }));
  const answers = await accept(store, repeats);
  const expected = acknowledged.map((n) => ({ kind: "duplicate", eventId: `evt_${n}`, deliveries: 1, differs: false }));
  assert.deepEqual(answers, expected);
  assert.ok((await store.countWaiting({ nowMs: T0 })).waiting >= 500);
});

test("while another program locks the database calls are unavailable, and afterwards they work", async () => {
  const path = join(folder, "locked.db");
  await using store = await open(path);
  const configVersion = await setUp(store, []);
  const other = new DatabaseSync(path);
  other.exec("begin immediate");
  const event = makeEvent(1, { configVersion });
  const results = await Promise.allSettled([accept(store, [event]), store.probe({ nowMs: T0 })]);
  for (const result of results) {
    assert.ok(result.status === "rejected" && result.reason instanceof StoreUnavailable);
    assert.match(result.reason.message, /cannot commit now: database is locked/);
    assert.ok(result.reason.cause instanceof Error);
  }
  other.exec("rollback");
  other.close();
  assert.deepEqual(await accept(store, [event]), [ACCEPTED]);
});

test("a full disk refuses, loses nothing that was acknowledged, and works again when there is room", async (t) => {
  const disk = mkdtempSync(join(folder, "disk-"));
  if (!succeeds("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]))
    return t.skip("needs the right to mount a file system");
  try {
    await fillAndRecover(disk);
  } finally {
    succeeds("umount", [disk]);
  }
});

const succeeds = (command: string, args: string[]): boolean => spawnSync(command, args).status === 0;

async function fillAndRecover(disk: string): Promise<void> {
  await using store = await open(join(disk, "bellwire.db"));
  const configVersion = await setUp(store, []);
  const filler = join(disk, "filler");
  writeFileSync(filler, Buffer.alloc(1024 * 1024));
  const body = "x".repeat(50_000);
  const write = (n: number) => accept(store, [makeEvent(n, { configVersion, body })]);
  const acknowledged = await writeUntilRefused(write);
  assert.ok(acknowledged > 0, "there was room for some");
  await assert.rejects(write(1_000), StoreUnavailable);
  rmSync(filler);
  assert.deepEqual(await write(1_000), [ACCEPTED]);
  for (let n = 1; n <= acknowledged; n += 1) assert.equal((await write(n))[0]?.kind, "duplicate");
}

/** How many were acknowledged before the first refusal, which must say that there is no room. */
async function writeUntilRefused(write: (n: number) => ReturnType<Store["acceptEvents"]>): Promise<number> {
  for (let n = 1; n < 1_000; n += 1) {
    const [result] = await Promise.allSettled([write(n)]);
    if (result.status === "fulfilled") continue;
    assert.ok(result.reason instanceof StoreUnavailable, String(result.reason));
    assert.match(result.reason.message, /full|disk I\/O error/);
    return n - 1;
  }
  return assert.fail("the disk never filled");
}

test("when the writer thread dies it says so, and every call is refused with the reason", async () => {
  const deaths: Error[] = [];
  const writer = await startWriter(
    { path: join(folder, "crashed.db"), nowMs: T0, declarations: [], gate: createReadGate() },
    (reason) => deaths.push(reason),
  );
  const probe = toCall("probe", { nowMs: T0 });
  await writer.commit([probe]);
  // Not a call: a fault outside any transaction, which nothing in the thread catches.
  const pending = Promise.allSettled([writer.commit([undefined as never]), writer.commit([probe])]);
  for (const result of await pending) {
    assert.ok(result.status === "rejected" && result.reason instanceof StoreUnavailable);
    assert.match(result.reason.message, /writer thread has ended \(.*undefined.*\); restart the service/);
  }
  await assert.rejects(writer.commit([probe]), StoreUnavailable);
  await writer.close();
  assert.match(deaths.map(({ message }) => message).join(), /^the store's writer thread has ended \([^,]*$/);
});

test("a writer that is closed has not died", async () => {
  const deaths: Error[] = [];
  const writer = await startWriter(
    { path: join(folder, "closed.db"), nowMs: T0, declarations: [], gate: createReadGate() },
    (reason) => deaths.push(reason),
  );
  await writer.close();
  assert.deepEqual(deaths, []);
});
