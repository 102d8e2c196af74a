/**
 * `npm run bench -- disk`: what an event with one delivery costs on the disk in its three ages: whole; without its body
 * and its receiver's answers; and when only the key against repeats is left. A week of deliveries as `log-history.ts`
 * makes it, in a real store of each kind, then retention at once. Room that retention frees is used again and not given
 * back, so what is measured is a fresh copy: after `vacuum into` and `vacuum full`.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../src/lib/clock.ts";
import { openPostgresStore } from "../src/store/postgres/open.ts";
import { openSqliteStore } from "../src/store/sqlite/open.ts";
import type { Store } from "../src/store/contract/store.ts";
import { daysMs } from "../src/lib/duration.ts";
import { startCluster } from "../test/kit/servers/postgres.ts";
import { type MadeAccount, makeHistory } from "./log-history.ts";
import { bodyText } from "./record.ts";

const TOTAL = `
  select sum(pg_total_relation_size(c.oid))::text as bytes
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'bellwire' and c.relkind in ('r', 'm')`;

const DELIVERIES = 50_000;
const NOW_MS = Date.now();
/** Later than every age that retention knows: two stores then hold the same. */
const NEVER = 0;
const ALL = NOW_MS + daysMs(1);

console.log(`${DELIVERIES} deliveries of a week, bodies of ${Buffer.byteLength(bodyText(0))} bytes; bytes each`);
console.log("SQLite      ", (await onSqlite()).join("  "));
console.log("PostgreSQL  ", (await onPostgres()).join("  "));

async function onSqlite(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-disk-"));
  try {
    const path = join(folder, "bench.db");
    await using store = await openSqliteStore({ path, clock: systemClock });
    return await ages(store, async () => {
      const copy = join(folder, "copy.db");
      rmSync(copy, { force: true });
      using database = new DatabaseSync(path, { readOnly: true });
      database.prepare("vacuum into ?").run(copy);
      return statSync(copy).size;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onPostgres(): Promise<string[]> {
  await using cluster = await startCluster();
  const url = await cluster.createDatabase();
  const { store } = await openPostgresStore({ url, clock: systemClock });
  try {
    return await ages(store, async () => {
      await cluster.query(url, "vacuum full");
      const [row] = await cluster.query(url, TOTAL);
      return Number(row?.["bytes"]);
    });
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function ages(store: Store, measure: () => Promise<number>): Promise<string[]> {
  const emptyBytes = await measure();
  const shape = { accounts: 2, destinations: 15, deliveries: DELIVERIES, nowMs: NOW_MS, bodyOf: bodyText };
  const accounts = await makeHistory(store, shape);
  const each = async (age: string): Promise<string> =>
    `${age} ${Math.round(((await measure()) - emptyBytes) / DELIVERIES)}`;
  const whole = await each("whole");
  await purge(store, { payloadsBeforeMs: ALL, attemptBodiesBeforeMs: ALL, rowsBeforeMs: NEVER });
  const withoutBody = await each("without body and answers");
  await cancelAll(store, accounts);
  await purge(store, { payloadsBeforeMs: ALL, attemptBodiesBeforeMs: ALL, rowsBeforeMs: ALL });
  return [whole, withoutBody, await each("key")];
}

/** Waiting deliveries would stay whole. */
async function cancelAll(store: Store, accounts: readonly MadeAccount[]): Promise<void> {
  const limits = { createdBeforeMs: ALL, rowsMax: 500, nowMs: NOW_MS };
  for (const { id: accountId, destinations } of accounts) {
    for (const { id: destinationId } of destinations) {
      while ((await store.cancelWaiting({ accountId, destinationId, ...limits })).cancelled > 0);
    }
  }
}

type Ages = Omit<Parameters<Store["purge"]>[0], "nowMs" | "rowsMax">;

async function purge(store: Store, limits: Ages): Promise<void> {
  while ((await store.purge({ nowMs: ALL, ...limits, rowsMax: 500 })).purged > 0);
}
