/** How many rows a page of the log costs where an account has many destinations. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openMemory } from "../writer/database-file.ts";
import type { Connection } from "../connection/connection.ts";
import { commit } from "../commit.ts";
import type { DeliveryCursor, ListDeliveries, ListedDeliveries } from "../../contract/log.ts";
import { newestFirst } from "../../sql/log/log-rows.ts";
import { listDeliveries } from "./list-deliveries.ts";

const DESTINATION = `
  insert into destinations (id, account_id, state, owner_kind, owner_id, url, headers, created_at, updated_at)
  values (?, 'acc_1', 'on', 'alert', 'alr_1', 'https://receiver.example/', '[]', 1, 1)`;
const EVENT = `
  insert into events (seq, id, account_id, type, accepted_at, deliveries, body, assistant_id)
  values (1, 'evt_1', 'acc_1', 'demo_viewed', 1, '{}', '{}', '')`;
const DELIVERY = `
  insert into deliveries (id, event_seq, account_id, destination_id, state, settled_at, created_at)
  values (?, 1, 'acc_1', ?, 'delivered', 1, ?)`;

interface Row extends DeliveryCursor {
  readonly destinationId: string;
}

function fill(db: Connection, rows: readonly Row[]): void {
  db.run(EVENT);
  for (const id of new Set(rows.map(({ destinationId }) => destinationId))) db.run(DESTINATION, id);
  for (const { id, destinationId, createdAtMs } of rows) db.run(DELIVERY, id, destinationId, createdAtMs);
}

/** Page by page to the end. */
async function listAll(db: Connection, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let before: DeliveryCursor | null = null;
  do {
    const params: ListDeliveries = { accountId: "acc_1", withTests: false, before, limit };
    const { deliveries, next }: ListedDeliveries = await commit(db, (tx) => listDeliveries(tx, params));
    ids.push(...deliveries.map(({ id }) => id));
    before = next;
  } while (before !== null);
  return ids;
}

/** How many keys the statements answer while `work` runs. */
async function countKeys(db: Connection, work: () => Promise<unknown>): Promise<number> {
  const { all } = db;
  let keys = 0;
  db.all = (sql, ...values) => {
    const rows = all<never>(sql, ...values);
    const of = rows as readonly { readonly keys?: string | null }[];
    if (sql.startsWith("-- name: list keys")) keys += of.flatMap((row) => row.keys?.split(",") ?? []).length;
    return rows;
  };
  await work();
  db.all = all;
  return keys;
}

describe("a page of the log", () => {
  test("has the newest of all, however the rows lie", async () => {
    for (const destinations of [1, 3, 40]) {
      // Some have many rows and others few, in bursts and with many of one instant.
      const rows = Array.from({ length: 120 }, (_, n): Row => {
        const destination = n % 3 === 0 ? 0 : (n * 7) % destinations;
        return { id: `dlv_${(n * 37) % 120}`, destinationId: `dst_${destination}`, createdAtMs: 1 + ((n * 11) % 29) };
      });
      using file = openMemory({ nowMs: 0 });
      fill(file.db, rows);
      const expected = rows.toSorted(newestFirst).map(({ id }) => id);
      for (const limit of [1, 2, 5, 13, 50]) assert.deepEqual(await listAll(file.db, limit), expected);
    }
  });

  test("of many destinations reads little more than one row of each, and that from the index alone", async () => {
    const rows = Array.from({ length: 2_000 }, (_, n): Row => {
      return { id: `dlv_${1_000 + n}`, destinationId: `dst_${n % 200}`, createdAtMs: n };
    });
    using file = openMemory({ nowMs: 0 });
    fill(file.db, rows);
    const params = { accountId: "acc_1", withTests: false, before: null, limit: 50 };
    const keys = await countKeys(file.db, () => commit(file.db, (tx) => listDeliveries(tx, params)));
    assert.ok(keys <= 200 + 2 * 51, `${keys} keys`);
  });

  test("reads no more than a dozen pages where each destination has had a burst of its own", async () => {
    const rows = Array.from({ length: 10_000 }, (_, n): Row => {
      return { id: `dlv_${10_000 + n}`, destinationId: `dst_${Math.floor(n / 200)}`, createdAtMs: n };
    });
    using file = openMemory({ nowMs: 0 });
    fill(file.db, rows);
    const params = { accountId: "acc_1", withTests: false, before: null, limit: 50 };
    const keys = await countKeys(file.db, () => commit(file.db, (tx) => listDeliveries(tx, params)));
    assert.ok(keys <= 12 * 51, `${keys} keys`);
  });
});
