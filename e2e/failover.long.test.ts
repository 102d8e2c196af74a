/**
 * PostgreSQL's primary crashes under load, its standby is promoted and takes its address: the service goes on there by
 * itself, is not held, and what is lost is what the standby had not received, which is nothing if commits wait for it.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { readInstant } from "../src/domain/id.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { createWitness, startLoad, type TimedAcknowledged } from "../test/kit/process/oracle.ts";
import { findPostgres18 } from "../test/kit/process/pip-programs.ts";
import { drained, startService } from "../test/kit/process/running.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { newServersFolder, startBaseBackup } from "../test/kit/servers/standby.ts";
import { startTcpProxy } from "../test/kit/servers/tcp-proxy.ts";
import { eventually, pause } from "../test/kit/wait.ts";

const programs = findPostgres18();
const skip = "missing" in programs && programs.missing;
const LOAD_MS = 6_000;
/** An asynchronous standby is made to lag. */
const BEHIND_MS = 1_000;
const BEHIND_MS_MAX = 5_000;

const socketOf = (cluster: Cluster): string =>
  join(new URL(cluster.toUrl("postgres")).searchParams.get("host") ?? "", ".s.PGSQL.5432");

const WAITS = "alter system set synchronous_standby_names = '*'";

describe("a standby that takes over", { skip }, () => {
  for (const mode of ["asynchronous", "synchronous"] as const) {
    test(`${mode}: the service sends again, is not held, and loses no more than said`, async (t) => {
      assert.ok("path" in programs);
      await using stack = new AsyncDisposableStack();
      const folder = stack.use(newServersFolder()).path;
      const [first, second] = ["first", "second"].map((name) => join(folder, name)) as [string, string];
      for (const each of [first, second]) mkdirSync(each);
      const primary = stack.use(await startCluster({ syncs: true, keptIn: first }));
      const direct = await primary.createDatabase();
      const receiver = stack.use(await startReceiver());
      const dataDir = join(folder, "data");
      const assistants = { sales: receiver.url };
      await setUpAccount({ dataDir, database: direct, alerts: [{ url: receiver.url }], assistants });
      const standby = stack.use(
        await startBaseBackup({ of: primary, programs: programs.path, into: second, follows: true }),
      );
      if (mode === "synchronous") {
        for (const sql of [WAITS, "select pg_reload_conf()"]) await primary.query(primary.toUrl("postgres"), sql);
      }
      const proxy = stack.use(await startTcpProxy(socketOf(primary)));
      const database = `postgres://bellwire@127.0.0.1:${proxy.port}${new URL(direct).pathname}`;
      const env = { BELLWIRE_DATABASE: database, BELLWIRE_LOG_LEVEL: "error" };
      const service = stack.use(await startService({ dataDir, env }));
      const load = startLoad(folder, [service], { callers: 4, pauseMs: 10, assistants: ["sales"] });
      stack.use(load.child);
      await load.during(pause(LOAD_MS));

      if (mode === "asynchronous") {
        standby.freeze();
        await load.during(pause(BEHIND_MS));
      }
      const atMs = Date.now();
      await primary.kill();
      standby.thaw();
      await standby.query(standby.toUrl("postgres"), "select pg_promote()");
      proxy.target = socketOf(standby);
      await load.during(receivesLater(receiver, atMs));
      assert.equal((await service.get("/readyz")).status, 200);
      assert.match((await service.get("/metrics")).text, /^bellwire_held 0$/m);
      await load.during(pause(LOAD_MS));
      const acknowledged = await load.end();
      await drained(service);

      const judged = createWitness([receiver]).judge(acknowledged);
      const moved = standby.toUrl(new URL(direct).pathname.slice(1));
      const gone = await findGone(standby, moved, acknowledged);
      const behindMs = atMs - Math.min(atMs, ...gone);
      const [accepted, sent] = [acknowledgedAfter(acknowledged, atMs), receivedAfter(receiver, atMs) - atMs];
      t.diagnostic(
        `${judged.acknowledged} acknowledged; accepts ${accepted} ms after the crash, sends after ${sent}; ` +
          `${gone.length} acknowledged events are gone, the oldest ${behindMs} ms before it; ${judged.lost.length} ` +
          `never arrived, ${judged.duplicates} webhooks came twice, ${judged.doubled.length} events`,
      );
      assert.ok(behindMs < BEHIND_MS_MAX);
      if (mode === "synchronous") assert.deepEqual([gone.length, judged.lost, judged.doubled], [0, [], []]);
      else assert.ok(gone.length > 0 && judged.lost.length <= gone.length, "what the standby has is sent");
    });
  }
});

/** When the first webhook that was made after the crash arrived. */
function receivedAfter({ requests }: Receiver, atMs: number): number {
  const isNew = (id = ""): boolean => (readInstant(id) ?? 0) > atMs;
  return requests.find(({ headers }) => isNew(headers["webhook-id"]))?.atMs ?? Infinity;
}

const receivesLater = (receiver: Receiver, atMs: number): Promise<number> =>
  eventually("a new webhook arrives", () => receivedAfter(receiver, atMs) < Infinity);

/** Milliseconds to the first acknowledgement after the crash. */
function acknowledgedAfter(acknowledged: TimedAcknowledged, atMs: number): number {
  const times = [...acknowledged.values()].map(({ startedAtMs, tookMs }) => startedAtMs + tookMs - atMs);
  return Math.min(...times.filter((ms) => ms > 0));
}

/** When those were acknowledged that are no events where the service goes on. */
async function findGone(standby: Cluster, url: string, acknowledged: TimedAcknowledged): Promise<number[]> {
  const there = new Set((await standby.query(url, "select id from bellwire.events")).map(({ id }) => String(id)));
  const gone = [...acknowledged.values()].filter(({ eventIds }) => ![...eventIds].some((id) => there.has(id)));
  return gone.map(({ startedAtMs, tookMs }) => startedAtMs + tookMs);
}
