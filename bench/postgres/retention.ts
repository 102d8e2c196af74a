/**
 * The cost of retention that lets a day go whose rows are too old: by dropping its tables, as it does with every day
 * that has nothing pending, and row by row, as it must while one delivery of the day still waits. The same rows twice,
 * through the store's own verb, called as housekeeping calls it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { daysMs, hoursMs } from "../../src/lib/duration.ts";
import { startOfDay } from "../../src/store/postgres/days.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";
import { setUpDestinations } from "../many-destinations.ts";
import { endBacklog, fillBacklog } from "./fill.ts";
import { count, head, type Measurement, row } from "./measurement.ts";
import { createStore, openStore } from "./server.ts";

const DESTINATIONS = 100;
/** Nothing is sent here. */
const NOWHERE = "http://127.0.0.1:9/nowhere";
/** As housekeeping asks for. */
const ROWS_MAX = 500;
/** Dropping must be quicker by this factor at least, or days as partitions are not worth their code. */
const GATE = 10;

interface Spent {
  readonly steps: number;
  readonly tookMs: number;
  readonly longestMs: number;
}

export const retention: Measurement = {
  name: "retention",
  minutes: ({ attempts }) => 1 + attempts / 250_000,
  async run({ cluster, folder, sizes: { attempts } }) {
    console.log(`- a day of ${count(attempts)} deliveries, each with one attempt; steps of ${ROWS_MAX} rows at most\n`);
    head("The day goes", "steps", "seconds", "longest step, ms", "rows left", "dead rows left", "bytes left");
    const day = { cluster, folder, attempts };
    const dropped = await measure(day, { name: "as tables that are dropped", pending: 0 });
    const stepped = await measure(day, { name: "row by row, as one delivery still waits", pending: 1 });
    const ratio = stepped.tookMs / dropped.tookMs;
    const isKept = ratio >= GATE;
    console.log(`\nDropping is ${ratio.toFixed(0)} times quicker (gate ${GATE}: ${isKept ? "kept" : "MISSED"}).\n`);
    return isKept;
  },
};

interface Day {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly attempts: number;
}

async function measure(
  { cluster, folder, attempts }: Day,
  { name, pending }: { readonly name: string; readonly pending: number },
): Promise<Spent> {
  const url = await createStore(cluster);
  const urls = Array.from({ length: DESTINATIONS }, () => NOWHERE);
  await setUpDestinations(join(folder, `pending-${pending}`), urls, url);
  const dayMs = startOfDay(Date.now()) - daysMs(2);
  await fillBacklog(cluster, url, { deliveries: attempts, fromMs: dayMs, overMs: hoursMs(23) });
  await endBacklog(cluster, url, { pending });
  await using store = (await openStore(url)).store;
  // The days before it are empty, and no part of the measurement.
  await letGo(store, dayMs);
  const spent = await letGo(store, dayMs + daysMs(1));
  const left = await countLeft(cluster, url);
  assert.ok(left.rows <= 2 * pending, `${left.rows} rows are left`);
  row(
    name,
    count(spent.steps),
    (spent.tookMs / 1000).toFixed(1),
    spent.longestMs.toFixed(0),
    left.rows,
    count(left.dead),
    count(left.bytes),
  );
  return spent;
}

/** Purges older rows until there are none. */
async function letGo(store: Store, beforeMs: number): Promise<Spent> {
  const old = { payloadsBeforeMs: beforeMs, attemptBodiesBeforeMs: beforeMs, rowsBeforeMs: beforeMs };
  const times: number[] = [];
  for (;;) {
    const startedMs = performance.now();
    const { hasMore } = await store.purge({ nowMs: Date.now(), ...old, rowsMax: ROWS_MAX });
    times.push(performance.now() - startedMs);
    if (!hasMore) break;
  }
  return { steps: times.length, tookMs: times.reduce((sum, ms) => sum + ms, 0), longestMs: Math.max(...times) };
}

/** In the tables of events, deliveries and attempts, whatever is left of them. */
async function countLeft(cluster: Cluster, url: string): Promise<{ rows: number; dead: number; bytes: number }> {
  const [left] = await cluster.query(url, LEFT);
  return { rows: Number(left?.["rows"]), dead: Number(left?.["dead"]), bytes: Number(left?.["bytes"]) };
}

const LEFT = `
  select (select count(*) from events) + (select count(*) from attempts) as rows, sum(n_dead_tup) as dead,
    sum(pg_total_relation_size(relid)) as bytes
  from pg_stat_user_tables
  where relname ~ '^(events|deliveries|attempts)_([0-9]{8}|default)$'`;
