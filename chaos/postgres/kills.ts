/**
 * One of three nodes after the other dies by `kill -9` under load, every two seconds, and is started again. Deliveries
 * that a dead node had in memory are sent by another one when their claims have run out; they may have arrived already.
 */
import assert from "node:assert/strict";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { eventually, pause } from "../../test/kit/wait.ts";
import { type Scenario, kept } from "../scenario.ts";
import type { Node } from "./node.ts";
import { concludeNodes, openNodesScene, summarizeNodes, underLoad } from "./scene.ts";

const KILLS = 100;
const QUICK_KILLS = 6;
const EVERY_MS = 2_000;
/** Which node dies is repeated by this; what it was doing is not. */
const SEED = 5;
/** A start takes about a second, on a busy machine many. */
const NODE_UP_MS_MAX = 90_000;

export const kills: Scenario = {
  name: "kills",
  forMsMax: 2_400_000,
  async run({ folder, isQuick, times = isQuick ? QUICK_KILLS : KILLS }) {
    await using scene = await openNodesScene({ folder });
    const { nodes, troubles } = scene;
    await killInTurn({
      nodes,
      times,
      everyMs: EVERY_MS,
      pass: (forMs) => underLoad(scene, forMs),
      async kill(victim) {
        troubles.push({ holder: victim.holder(), fromMs: Date.now(), toMs: null });
        await victim.kill();
        await pause(0);
      },
    });
    const found = await concludeNodes(scene);
    assert.ok(found.ranOut > 0, "no node died with anything in memory: nothing was shown");
    assert.equal(found.afterRunOut, found.duplicates, "sent twice after an attempt that failed");
    assert.ok(
      found.duplicates <= found.ranOut,
      `${found.duplicates} sent twice, ${found.ranOut} in memory at the kills`,
    );
    return kept(
      `${times} x kill -9 of one of three: ${summarizeNodes(found)}, each in the hands of a node that was killed`,
    );
  },
};

export interface Killing {
  readonly nodes: readonly Node[];
  readonly times: number;
  readonly everyMs: number;
  /** Lets time pass under load. */
  readonly pass: (forMs: number) => Promise<void>;
  /** Kills it, and notes what is to be judged later. */
  readonly kill: (victim: Node) => Promise<void>;
}

/** Resolves when all nodes are up again after the last kill. */
export async function killInTurn({ nodes, times, everyMs, pass, kill }: Killing): Promise<void> {
  const random = createSeededRandom(SEED);
  const starts: Promise<void>[] = [];
  for (let time = 0; time < times; time += 1) {
    await pass(everyMs);
    const victim = await oneOfThoseUp(nodes, random.unit());
    await kill(victim);
    starts.push(victim.start());
    // A failure is reported below, when all are awaited.
    starts.at(-1)?.catch(() => {});
  }
  await Promise.all(starts);
}

/** Where starts are slow, kills wait: nodes that die as soon as they are up would have nothing in memory. */
async function oneOfThoseUp(nodes: readonly Node[], unit: number): Promise<Node> {
  const listUp = (): Node[] => nodes.filter((node) => node.isUp());
  await eventually("another node that is up", () => listUp().length > 1, NODE_UP_MS_MAX);
  const up = listUp();
  const victim = up[Math.floor(unit * up.length)];
  assert.ok(victim !== undefined);
  return victim;
}
