/**
 * PostgreSQL is stopped as a crash would stop it (`-m immediate`) and started again, again and again under load. Nodes
 * refuse with 503 meanwhile and come back by themselves; what they had sent is noted when the database is there again.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { eventually } from "../../test/kit/wait.ts";
import { type Scenario, kept } from "../scenario.ts";
import type { Node } from "./node.ts";
import { type Scene, concludeNodes, openNodesScene, summarizeNodes, underLoad } from "./scene.ts";

const RESTARTS = 20;
const QUICK_RESTARTS = 3;
const BETWEEN_MS = 2_000;
const AWAY_MS = 1_500;
/** A node that was told "no" asks again every few seconds at most. */
const READY_MS_MAX = 30_000;

export const restarts: Scenario = {
  name: "restarts",
  forMsMax: 600_000,
  async run({ folder, isQuick, times = isQuick ? QUICK_RESTARTS : RESTARTS }) {
    await using scene = await openNodesScene({ folder });
    const tookMs: number[] = [];
    for (let time = 0; time < times; time += 1) tookMs.push(await restart(scene));
    const found = await concludeNodes(scene);
    const slowest = Math.max(...tookMs) / 1000;
    return kept(
      `${times} x PostgreSQL -m immediate, 503 each time, all ready again after ${slowest.toFixed(1)} s at most: ` +
        summarizeNodes(found),
    );
  },
};

/** How long after the database's return every node was ready. */
async function restart(scene: Scene): Promise<number> {
  const { cluster, load, nodes, troubles } = scene;
  await underLoad(scene, BETWEEN_MS);
  const fromMs = Date.now();
  await load.during(cluster.stop("immediate"));
  const refusals = await load.during(Promise.all(nodes.map(refusal)));
  assert.deepEqual(
    refusals,
    nodes.map(() => 503),
  );
  await underLoad(scene, AWAY_MS);
  await load.during(cluster.start());
  const what = "every node to be ready again";
  const tookMs = await eventually(
    what,
    async () => (await Promise.all(nodes.map(isReady))).every(Boolean),
    READY_MS_MAX,
  );
  // Explains repeats without a fault too: a commit was on disk and its answer was lost.
  troubles.push({ holder: "*", fromMs, toMs: Date.now() });
  return tookMs;
}

/** The answer to a post, once load balancers are told; what they are told may be a second old. */
async function refusal(node: Node): Promise<number> {
  const { status } = await node.running().post("demo-sessions", sessionRecord(randomUUID()));
  await eventually("it is not ready", async () => !(await isReady(node)));
  return status;
}

const isReady = async (node: Node): Promise<boolean> => (await node.running().get("/readyz")).status === 200;
