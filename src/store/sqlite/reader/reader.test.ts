import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { systemClock } from "../../../lib/clock.ts";
import { toCall } from "../../calls.ts";
import { accept, due, held, makeEvent, makeSettlement, setUp, T0 } from "../../conformance/world.ts";
import { StoreUnavailable } from "../../contract/store.ts";
import { openConnection } from "../connection/connection.ts";
import { openSqliteStore } from "../open.ts";
import { createReadGate } from "./read-gate.ts";
import { createReader } from "./reader.ts";
import type { ReadCall } from "./reader-thread.ts";

const folder = mkdtempSync(join(tmpdir(), "bellwire-reader-"));
after(() => rmSync(folder, { recursive: true }));

const accountId = "acc_1";
const PAGE = { accountId, before: null, withTests: false, limit: 50 } as const;

const toRead = (verb: ReadCall["verb"], params: object) => toCall(verb, params as never) as ReadCall;

test("a read sees what was committed before it, also what is in memory still, and waits for no writer", async () => {
  const path = join(folder, "beside.db");
  await using store = await openSqliteStore({ path, clock: systemClock });
  const configVersion = await setUp(store, ["dst_a", "dst_b"]);
  const deliveries = [held("dlv_1", "dst_a"), due("dlv_2", "dst_b")];
  await accept(store, [makeEvent(1, { configVersion, deliveries })]);
  // As a writer that takes long.
  const other = new DatabaseSync(path);
  other.exec("begin immediate");
  const { deliveries: listed } = await store.listDeliveries(PAGE);
  assert.deepEqual(
    listed.map(({ id, state }) => [id, state]),
    [
      ["dlv_2", "pending"],
      ["dlv_1", "pending"],
    ],
  );
  const found = await store.loadDelivery({ accountId, deliveryId: "dlv_1" });
  assert.deepEqual([found?.dueAtMs, found?.attempts], [T0, []]);
  other.close();
  await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
  const settled = await store.loadDelivery({ accountId, deliveryId: "dlv_1" });
  assert.deepEqual([settled?.state, settled?.attempts.length], ["delivered", 1]);
});

test("what fails in a read is told to its caller alone, and a thread that has ended is started again", async () => {
  const path = join(folder, "fault.db");
  await using store = await openSqliteStore({ path, clock: systemClock });
  await setUp(store, ["dst_a"]);
  const reader = createReader({ path, declarations: [], gate: createReadGate() });
  await using closing = new AsyncDisposableStack();
  closing.defer(reader.close);
  const good = () => reader.read(toRead("loadDelivery", { accountId, deliveryId: "dlv_1" }));
  const bad = () => reader.read(toRead("listDeliveries", { ...PAGE, limit: "many" }));
  await assert.rejects(bad(), /listDeliveries failed in the store/);
  assert.equal(await good(), null);
  // No verb: a fault outside any, which nothing in the thread catches.
  await assert.rejects(
    reader.read(null as never),
    (error) => error instanceof StoreUnavailable && /reader thread has ended \(.*\); ask again/.test(error.message),
  );
  assert.equal(await good(), null);
});

test("the last to close writes the log back, also where somebody has read", async () => {
  const path = join(folder, "closed.db");
  const store = await openSqliteStore({ path, clock: systemClock });
  const configVersion = await setUp(store, ["dst_a"]);
  await accept(store, [makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a")] })]);
  await store.listDeliveries(PAGE);
  await store[Symbol.asyncDispose]();
  assert.equal(statSync(`${path}-wal`, { throwIfNoEntry: false }), undefined);
  const db = openConnection(path);
  assert.equal(db.get<{ count: number }>("select count(*) as count from deliveries")?.count, 1);
  db.close();
});

test("a thread that only reads cannot write", async () => {
  const path = join(folder, "query-only.db");
  const db = openConnection(path);
  db.exec("create table one (n integer); pragma query_only = on");
  assert.throws(() => db.run("insert into one values (1)"), /readonly/);
  db.close();
});
