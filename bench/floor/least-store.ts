/**
 * The thread of `least.ts` that owns its database: a row for each event, and one for what came of its webhook. It
 * answers each message when it is committed.
 */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

export interface ToLeastStore {
  /** The others follow it. */
  readonly firstN: number;
  /** One after the other. */
  readonly bodies: Uint8Array;
  readonly lengths: readonly number[];
  readonly settled: readonly number[];
}

const ACCOUNT = "acc_00000000000000000000000001";
const DESTINATION = "dst_00000000000000000000000001";

const db = new DatabaseSync(workerData as string);
db.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 8000");
db.exec("create table events (n integer primary key, account_id text, type text, accepted_at integer, body blob)");
db.exec("create table deliveries (n integer primary key, destination_id text, ended_at integer, status integer)");
const insertEvent = db.prepare("insert into events values (?, ?, ?, ?, ?)");
const insertDelivery = db.prepare("insert into deliveries values (?, ?, ?, ?)");
const begin = db.prepare("begin immediate");
const end = db.prepare("commit");

parentPort?.on("message", ({ firstN, bodies, lengths, settled }: ToLeastStore) => {
  const nowMs = 1_800_000_000_000 + firstN;
  begin.run();
  let at = 0;
  for (const [index, length] of lengths.entries()) {
    insertEvent.run(firstN + index, ACCOUNT, "demo_viewed", nowMs, bodies.subarray(at, (at += length)));
  }
  for (const n of settled) insertDelivery.run(n, DESTINATION, nowMs, 200);
  end.run();
  parentPort?.postMessage("committed");
});
