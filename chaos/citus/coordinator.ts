/**
 * The coordinator dies by `kill -9` under load and is started again, again and again. All accounts are refused with
 * `Retry-After` meanwhile, nodes and the dashboard say so, and everything goes on by itself when it is back.
 */
import assert from "node:assert/strict";
import { type Person, signIn } from "../../test/kit/process/person.ts";
import { inDatabase } from "../../test/kit/servers/citus.ts";
import { eventually, pause } from "../../test/kit/wait.ts";
import type { Node } from "../postgres/node.ts";
import { type Scenario, kept, skipped } from "../scenario.ts";
import { quantile } from "./callers.ts";
import { type CitusScene, WITHOUT, conclude, hasCitus, openCitusScene } from "./scene.ts";
import { type ServerProcess, findServerProcess } from "./servers.ts";
import { untilTold } from "./worker-figures.ts";

const LOSSES = 5;
const QUICK_LOSSES = 1;
const WARM_MS = 8_000;
const BETWEEN_MS = 10_000;
const AWAY_MS = 8_000;
const READY_MS_MAX = 60_000;

export const coordinator: Scenario = {
  name: "coordinator",
  forMsMax: 900_000,
  async run({ folder, isQuick, times = isQuick ? QUICK_LOSSES : LOSSES }) {
    if (!hasCitus()) return skipped(WITHOUT);
    await using scene = await openCitusScene({ folder, isDistributed: true });
    if ((await findCoordinator(scene)) === null) return skipped("the coordinator's processes are not on this machine");
    const [account = ""] = scene.accounts;
    const owners = await Promise.all(scene.nodes.map((node) => signIn(node.running(), account)));
    await pause(WARM_MS);
    const backMs: number[] = [];
    for (let time = 0; time < times; time += 1) backMs.push(await lose(scene, owners));
    const judged = await conclude(scene);
    return kept(
      `${times} x kill -9 of the coordinator, away for ${AWAY_MS / 1_000} s: ${judged}; ${describe(scene)}; ` +
        `all ready again ${(Math.max(...backMs) / 1_000).toFixed(1)} s after it at most`,
    );
  },
};

/** Each life has processes of its own. */
const findCoordinator = ({ database }: CitusScene): Promise<ServerProcess | null> =>
  findServerProcess(inDatabase(database, "postgres"));

/** Returns how long after its return each node was ready, and knew of no worker that is away. */
async function lose(scene: CitusScene, owners: readonly Person[]): Promise<number> {
  const { callers, nodes } = scene;
  const server = (await findCoordinator(scene)) ?? assert.fail("the coordinator has gone");
  callers.begin("before");
  await pause(BETWEEN_MS);
  callers.begin("away");
  await server.kill();
  const awayMs = performance.now();
  for (const node of nodes) await assertSaysSo(node);
  for (const owner of owners) await assert.rejects(owner.call("GET", "/session"), REFUSED_PAGE);
  await pause(Math.max(0, awayMs + AWAY_MS - performance.now()));
  callers.begin("back");
  await server.start();
  const tookMs = await eventually("every node to be ready again", () => areReady(nodes), READY_MS_MAX);
  const toldMs = await untilTold(scene, new Set());
  for (const owner of owners) await owner.call("GET", "/session");
  return tookMs + toldMs;
}

/** To callers, load balancers and alarms. */
async function assertSaysSo(node: Node): Promise<void> {
  const running = node.running();
  const [alive, ready] = [await running.get("/healthz"), await running.get("/readyz")];
  assert.deepEqual([alive.status, ready.status], [200, 503], `${node.name} says that it is ready`);
  assert.match(ready.text, /The store cannot commit a write at the moment/);
  assert.doesNotMatch((await running.get("/metrics")).text, /^bellwire_(?:worker_)?deliveries_waiting\b/m);
}

const REFUSED_PAGE = /503 .*"code":"store_unavailable".*send it again in a few seconds/i;

const areReady = async (nodes: readonly Node[]): Promise<boolean> =>
  (await Promise.all(nodes.map((node) => node.running().get("/readyz")))).every(({ status }) => status === 200);

function describe({ callers, accounts }: CitusScene): string {
  const away = callers.answers.filter(({ phase }) => phase === "away");
  const refused = away.filter(({ status }) => status === 503);
  assert.deepEqual(
    new Set(refused.map(({ account }) => account)),
    new Set(accounts),
    "an account was not refused: nothing was shown of it",
  );
  // 200: its acceptance was committed, and the answer to it was lost.
  const others = callers.answers.filter(({ status }) => ![200, 202, 503].includes(status));
  assert.deepEqual(others, [], "answers that are neither taken nor 503");
  const unsaid = callers.answers.filter(({ status, retryAfter }) => status === 503 && retryAfter === undefined);
  assert.equal(unsaid.length, 0, "refused without Retry-After");
  const slowest = quantile(
    refused.map(({ tookMs }) => tookMs),
    0.99,
  );
  return `${refused.length} x 503 with Retry-After, p99 ${slowest.toFixed(0)} ms, and no other answer`;
}
