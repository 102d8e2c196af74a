/**
 * The cost of a delivered webhook for the database: statements, waits for an answer, commits, bytes of log, of tables
 * and of indexes. It depends on how many share a transaction, so it is measured where each is alone and where they come
 * as fast as they can.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { drained, type Running } from "../../test/kit/process/running.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";
import { type Rig, sendAndAwait, type Send, startRig } from "../rig.ts";
import { closedLoad, LOADS, openLoad, setUp, startMeasuredNode } from "./measured-service.ts";
import { count, head, type Measurement, row } from "./measurement.ts";
import { createStore } from "./server.ts";
import { startWireTap, type WireCounts, type WireTap } from "./wire-tap.ts";

/** So few that hardly two share a transaction. */
const ALONE_PER_SECOND = 100;
const WARM_UP_MS = 1_000;

export const costs: Measurement = {
  name: "costs",
  minutes: ({ seconds }) => (3 * (seconds / 3 + 4)) / 60,
  async run({ cluster, folder, sizes, isExplained }) {
    using rig = await startRig();
    const database = await createStore(cluster);
    mkdirSync(folder, { recursive: true });
    await using tap = await startWireTap(database, folder);
    const installation = { dataDir: join(folder, "data"), database: tap.url };
    await setUp(rig, installation);
    await using node = await startMeasuredNode(installation);
    const scene = { cluster, database, rig, tap, node, durationMs: (sizes.seconds * 1000) / 3 };
    console.log(
      "- one node, 8 destinations; counted between node and server; vacuum and checkpoints are in the log's bytes",
    );
    console.log("- idle: what the node asks while nothing happens is in the first row most of all\n");
    head(
      "Load",
      "webhooks",
      "statements",
      "waits",
      "commits",
      "sent bytes",
      "got bytes",
      "log bytes",
      "table",
      "index",
    );
    const loads: readonly (readonly [string, Send])[] = [
      [`single posts, ${ALONE_PER_SECOND}/s`, openLoad(rig, [node], ALONE_PER_SECOND)],
      [LOADS.single.name, closedLoad(rig, [node], "single")],
      [LOADS.batches.name, closedLoad(rig, [node], "batches")],
    ];
    const asked: (readonly [string, Cost])[] = [];
    for (const [name, send] of loads) asked.push([name, await measureCost(scene, send)]);
    for (const [name, cost] of asked) print(name, cost);
    console.log("");
    if (isExplained) for (const [name, cost] of asked) explain(name, cost);
    await node.stop();
    return true;
  },
};

interface Scene {
  readonly cluster: Cluster;
  readonly database: string;
  readonly rig: Rig;
  readonly tap: WireTap;
  readonly node: Running;
  readonly durationMs: number;
}

/** Sums for all of them. */
interface Cost {
  readonly webhooks: number;
  readonly wire: WireCounts;
  readonly server: ServerCounts;
}

async function measureCost({ cluster, database, rig, tap, node, durationMs }: Scene, send: Send): Promise<Cost> {
  await sendAndAwait(rig, { send, durationMs: WARM_UP_MS });
  await drained(node);
  const [wireBefore, serverBefore] = [tap.counts(), await readServer(cluster, database)];
  const { done } = await sendAndAwait(rig, { send, durationMs });
  await drained(node);
  const [wire, server] = [tap.counts(), await readServer(cluster, database)];
  const statements = Object.entries(wire.statements).map(
    ([name, asked]) => [name, asked - (wireBefore.statements[name] ?? 0)] as const,
  );
  return {
    webhooks: done.records,
    wire: {
      statements: Object.fromEntries(statements.filter(([, asked]) => asked > 0)),
      roundTrips: wire.roundTrips - wireBefore.roundTrips,
      bytesSent: wire.bytesSent - wireBefore.bytesSent,
      bytesReceived: wire.bytesReceived - wireBefore.bytesReceived,
    },
    server: {
      commits: server.commits - serverBefore.commits,
      logBytes: server.logBytes - serverBefore.logBytes,
      tableBytes: server.tableBytes - serverBefore.tableBytes,
      indexBytes: server.indexBytes - serverBefore.indexBytes,
    },
  };
}

interface ServerCounts {
  readonly commits: number;
  readonly logBytes: number;
  readonly tableBytes: number;
  readonly indexBytes: number;
}

async function readServer(cluster: Cluster, database: string): Promise<ServerCounts> {
  const [counts] = await cluster.query(database, READ_SERVER);
  return counts as unknown as ServerCounts;
}

/** Sessions report their commits when they fall idle, at most once a second: good enough for thousands. */
const READ_SERVER = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float as "logBytes",
    (select xact_commit::float from pg_stat_database where datname = current_database()) as commits,
    sum(pg_table_size(oid))::float as "tableBytes", sum(pg_indexes_size(oid))::float as "indexBytes"
  from pg_class
  where relnamespace = 'bellwire'::regnamespace and relkind = 'r'`;

function print(name: string, { webhooks, wire, server }: Cost): void {
  const each = (sum: number, digits = 2): string => (sum / webhooks).toFixed(digits);
  const statements = Object.values(wire.statements).reduce((sum, asked) => sum + asked, 0);
  const asked = [each(statements), each(wire.roundTrips), each(server.commits)];
  const bytes = [wire.bytesSent, wire.bytesReceived, server.logBytes, server.tableBytes, server.indexBytes];
  row(name, count(webhooks), ...asked, ...bytes.map((sum) => count(Math.round(sum / webhooks))));
}

function explain(name: string, { webhooks, wire }: Cost): void {
  head(`Statement (${name})`, "a webhook");
  const most = Object.entries(wire.statements).toSorted(([, one], [, other]) => other - one);
  for (const [statement, asked] of most) row(statement, (asked / webhooks).toFixed(3));
  console.log("");
}
