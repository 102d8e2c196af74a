/**
 * Accounts move between shards all the time, back and forth, while records come in and go out. Nodes are killed, movers
 * are killed behind each step of a move, and whole PostgreSQL servers are killed and started again.
 */
import assert from "node:assert/strict";
import { eventually, pause } from "../../test/kit/wait.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import type { Load } from "../../test/kit/process/oracle.ts";
import type { Node } from "../postgres/node.ts";
import { kept, type Scenario } from "../scenario.ts";
import { QUIET } from "../under-load.ts";
import { onCitus, onOneServer, onTwoServers, type OpenInstallation } from "./installation.ts";
import { type Movers, startMovers } from "./movers.ts";
import { concludeShards, drainShards, loadShards, openShardsScene, type ShardsScene } from "./scene.ts";

const MOVES = 500;
const QUICK_MOVES = 20;
const MOVES_PER_NODE_KILL = 10;
const MOVES_PER_SERVER_KILL = 50;
const ACCOUNTS = 12;
const MOVERS = 2;
const EVERY_MS = 2_000;
const AWAY_MS = 1_500;
/** Whoever it is moved by: a start takes about a second, on a busy machine many. */
const UP_MS_MAX = 90_000;
const MOVES_MS_MAX = 1_200_000;

const movesOn = (name: string, open: OpenInstallation): Scenario => ({
  name,
  forMsMax: 1_800_000,
  async run({ folder, isQuick, seed = 1, times = isQuick ? QUICK_MOVES : MOVES }) {
    await using scene = await openShardsScene(folder, ACCOUNTS, open);
    const { dataDir, accounts, installation } = scene;
    const load = loadShards(folder, scene, { accounts });
    await using stack = new AsyncDisposableStack();
    stack.use(load.child);
    const movers = stack.use(
      startMovers({
        movers: MOVERS,
        seed,
        env: { ...QUIET, BELLWIRE_DATA_DIR: dataDir, BELLWIRE_DATABASE: installation.database },
        accounts,
        shards: installation.shards.map((shard) => shard.name),
      }),
    );
    const startedMs = performance.now();
    const trouble = { scene, load, movers, times, seed };
    const { nodeKills, serversKilled } = await makeTrouble(trouble);
    await eventually("the moves", () => during(trouble, () => movers.movedCount() >= times), MOVES_MS_MAX);
    await movers.end();
    const tookMs = performance.now() - startedMs;
    const acknowledged = await load.end();
    const drainedMs = await drainShards(scene);
    const found = await concludeShards(scene, acknowledged);
    const ranOut = found.ranOut === null ? "" : `, ${found.ranOut} claims ran out`;
    return kept(
      `${installation.place}, seed ${seed}: ${describeMoves(movers)}; ${nodeKills} x kill -9 of a node, ` +
        `${serversKilled.length} of a server (${serversKilled.join(", ")} of ${installation.servers.length}); ` +
        `${found.acknowledged} acknowledged in ${(tookMs / 1000).toFixed(0)} s, ` +
        `${found.deliveries} deliveries, 0 lost, ${found.duplicates} sent twice, all explained${ranOut}; ` +
        `each account in one shard; drained in ${(drainedMs / 1000).toFixed(1)} s`,
    );
  },
});

export const moves = movesOn("moves", onOneServer);
export const movesOnTwo = movesOn("moves-two", onTwoServers);
export const movesOnCitus = (coordinator: string): Scenario => movesOn("moves", onCitus(coordinator));

interface Trouble {
  readonly scene: ShardsScene;
  readonly load: Load;
  readonly movers: Movers;
  readonly times: number;
  readonly seed: number;
}

/** Rejects when the load or a mover has ended otherwise than it should. */
async function during<Value>({ load, movers }: Trouble, work: () => Value | Promise<Value>): Promise<Value> {
  return await load.during(Promise.race([Promise.resolve(work()), movers.failed]));
}

interface Kills {
  readonly nodeKills: number;
  /** Each time its number: 1 has home, and on a Citus it is the coordinator. */
  readonly serversKilled: readonly number[];
}

/** Node by node and server by server, in an order that the seed repeats. */
async function makeTrouble(trouble: Trouble): Promise<Kills> {
  const { scene, times, seed } = trouble;
  const { unit } = createSeededRandom(seed);
  const nodeKills = Math.ceil(times / MOVES_PER_NODE_KILL);
  const serversKilled: number[] = [];
  const left = { nodes: nodeKills, servers: Math.ceil(times / MOVES_PER_SERVER_KILL) };
  const starts: Promise<void>[] = [];
  while (left.nodes + left.servers > 0) {
    await during(trouble, () => pause(EVERY_MS));
    const isServer = unit() * (left.nodes + left.servers) < left.servers;
    left[isServer ? "servers" : "nodes"] -= 1;
    if (isServer) {
      // A node that starts needs home: what restarts it would try again for a while.
      await Promise.all(starts);
      serversKilled.push(await killServer(trouble, unit()));
    } else starts.push((await killNode(scene, unit())).starting);
  }
  await Promise.all(starts);
  return { nodeKills, serversKilled };
}

/** Resolves when it is dead. */
async function killNode(
  { nodes, troubles }: ShardsScene,
  chance: number,
): Promise<{ readonly starting: Promise<void> }> {
  const listUp = (): Node[] => nodes.filter((node) => node.isUp());
  await eventually("another node that is up", () => listUp().length > 1, UP_MS_MAX);
  const victim = listUp()[Math.floor(chance * listUp().length)] ?? assert.fail("no node is up");
  troubles.push({ holder: victim.holder(), fromMs: Date.now(), toMs: null });
  await victim.kill();
  const starting = startAgain(victim);
  // A failure is reported where all are awaited.
  starting.catch(() => {});
  return { starting };
}

/** As what restarts a node does: one that cannot reach its database says so and ends. */
async function startAgain(node: Node): Promise<void> {
  for (const giveUpMs = performance.now() + UP_MS_MAX; ; await pause(EVERY_MS)) {
    try {
      return await node.start();
    } catch (error) {
      if (performance.now() > giveUpMs) throw error;
    }
  }
}

/** Resolves to the number of the server, from 1. */
async function killServer(trouble: Trouble, chance: number): Promise<number> {
  const { installation, nodes, troubles } = trouble.scene;
  const { servers } = installation;
  const index = Math.floor(chance * servers.length);
  const victim = servers[index] ?? servers[0];
  const fromMs = Date.now();
  await victim.kill();
  await during(trouble, () => pause(AWAY_MS));
  await victim.start();
  const areReady = async (): Promise<boolean> => (await Promise.all(nodes.map(isReady))).every(Boolean);
  await eventually("every node to be ready again", () => during(trouble, areReady), UP_MS_MAX);
  troubles.push({ holder: "*", fromMs, toMs: Date.now() });
  return index + 1;
}

const isReady = async (node: Node): Promise<boolean> => (await node.running().get("/readyz")).status === 200;

function describeMoves({ lines }: Movers): string {
  const moved = lines.filter((line) => line.kind === "moved");
  const tookBack = lines.filter(({ kind }) => kind === "took back").length;
  const deaths = lines.filter((line) => line.kind === "dies");
  const behind = Map.groupBy(deaths, (line) => line.behind ?? "at any instant");
  const fenced = moved.map((line) => line.fencedMs).toSorted((a, b) => a - b);
  const median = fenced[Math.floor(fenced.length / 2)] ?? 0;
  const each = [...behind].map(([step, of]) => `${of.length} ${step === "at any instant" ? "" : "behind "}${step}`);
  const fences = `posts of the account waited ${median} ms (median), ${fenced.at(-1) ?? 0} at most`;
  const killed = `${deaths.length} x kill -9 of a mover (${each.join(", ")})`;
  return `${moved.length} moves, ${tookBack} taken back, ${fences}; ${killed}`;
}
