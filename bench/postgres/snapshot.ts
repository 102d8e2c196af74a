/**
 * The cost of one session that opens a snapshot and keeps it for minutes, as a report or a backup does: nothing that
 * has changed since may be vacuumed. Windows of 500 posts a second before, during and after, and how fast it could go
 * at most before and at the end of it.
 */
import { join } from "node:path";
import type { Running } from "../../test/kit/process/running.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";
import { measureLatency, type Rig, sendAndAwait, startRig } from "../rig.ts";
import { quantile } from "../windows.ts";
import { closedLoad, openLoad, setUp, startMeasuredNode } from "./measured-service.ts";
import { count, head, type Measurement, row, type Sizes } from "./measurement.ts";
import { createStore, openSession } from "./server.ts";

const RATE_PER_SECOND = 500;
const SHARE_GATE = 0.5;
const WARM_UP_MS = 3_000;
/** "As fast as it can" takes so long. */
const BURST_MS = 10_000;

export const snapshot: Measurement = {
  name: "snapshot",
  minutes: ({ snapshotMinutes, seconds }) => snapshotMinutes + (4 * seconds + 3 * 15) / 60,
  async run({ cluster, folder, sizes }) {
    using rig = await startRig();
    const database = await createStore(cluster);
    const installation = { dataDir: join(folder, "data"), database };
    await setUp(rig, installation);
    await using node = await startMeasuredNode(installation);
    const scene = { cluster, database, rig, node };
    console.log(`- ${RATE_PER_SECOND} posts/s to 8 destinations, one node, windows of ${sizes.seconds} s`);
    console.log("- most/s: single posts as fast as answers come, for 10 s\n");
    head("Window", "delivered/s", "post → receiver p50 ms", "p99 ms", "most/s", "dead rows");
    const shares = await measureWindows(scene, sizes);
    console.log("");
    await node.stop();
    return printVerdict(shares);
  },
};

interface Scene {
  readonly cluster: Cluster;
  readonly database: string;
  readonly rig: Rig;
  readonly node: Running;
}

/** Deliveries a second. */
interface Rates {
  readonly steady: number;
  readonly most: number;
}

async function measureWindows(scene: Scene, { seconds, snapshotMinutes }: Sizes) {
  await sendAndAwait(scene.rig, { send: closedLoad(scene.rig, [scene.node], "single"), durationMs: WARM_UP_MS });
  const before = await measureWindow(scene, { name: "before", seconds, isPushed: true });
  const session = await openSession(scene.database);
  await session.query("begin isolation level repeatable read");
  await session.query("select count(*) from deliveries");
  const windows = Math.max(1, Math.round((snapshotMinutes * 60) / seconds));
  let during = before;
  for (let place = 1; place <= windows; place += 1) {
    const name = `held for ${((place * seconds) / 60).toFixed(1)} min`;
    // Pushed at the end only, when the snapshot is at its oldest: what that leaves behind disturbs no other window.
    during = await measureWindow(scene, { name, seconds, isPushed: place === windows });
  }
  await session.query("commit");
  await session.end();
  await measureWindow(scene, { name: "after", seconds, isPushed: false });
  await measureWindow(scene, { name: "after", seconds, isPushed: true });
  return { before, during };
}

interface Window {
  readonly name: string;
  readonly seconds: number;
  /** Whether it is followed by a burst that shows how fast it could go at most. */
  readonly isPushed: boolean;
}

async function measureWindow(scene: Scene, { name, seconds, isPushed }: Window): Promise<Rates> {
  const { cluster, database, rig, node } = scene;
  const send = openLoad(rig, [node], RATE_PER_SECOND);
  const { waitsMs, deliveredPerSecond } = await measureLatency(rig, send, seconds * 1000);
  const [dead] = await cluster.query(database, COUNT_DEAD);
  const most = isPushed ? await measureMost(scene) : null;
  const latency = [0.5, 0.99].map((share) => quantile(waitsMs, share).toFixed(1));
  const pushed = most === null ? "" : count(Math.round(most));
  row(name, deliveredPerSecond.toFixed(0), ...latency, pushed, count(Number(dead?.["rows"])));
  return { steady: deliveredPerSecond, most: most ?? Number.NaN };
}

async function measureMost({ rig, node }: Scene): Promise<number> {
  const { done, lastAtMs } = await sendAndAwait(rig, { send: closedLoad(rig, [node], "single"), durationMs: BURST_MS });
  return (done.records * 1000) / (lastAtMs - done.startedAtMs);
}

/** As the server's statistics have it, at the end of the window: what vacuum would take away if it could. */
const COUNT_DEAD = "select sum(n_dead_tup)::float as rows from pg_stat_user_tables where schemaname = 'bellwire'";

function printVerdict({ before, during }: { readonly before: Rates; readonly during: Rates }): boolean {
  const [steady, most] = [during.steady / before.steady, during.most / before.most];
  const isKept = Math.min(steady, most) >= SHARE_GATE;
  const shares = `${steady.toFixed(2)} of the steady rate, ${most.toFixed(2)} of the most`;
  console.log(`at the end of the snapshot ${shares}; gate ${SHARE_GATE}: ${isKept ? "kept" : "MISSED"}`);
  return isKept;
}
