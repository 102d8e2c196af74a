/**
 * One of three nodes after the other dies by `kill -9` under load and is started again, as on one PostgreSQL. No
 * trigger can note claims here, so the database is asked after each kill: what is held then and still at the next kill
 * was in the hands of the dead node. Nothing else may be sent twice.
 */
import assert from "node:assert/strict";
import { pause } from "../../test/kit/wait.ts";
import { killInTurn } from "../postgres/kills.ts";
import { type Scenario, kept, skipped } from "../scenario.ts";
import { readArrivals } from "../under-load.ts";
import { WITHOUT, conclude, hasCitus, listHeld, openCitusScene } from "./scene.ts";

const KILLS = 20;
const QUICK_KILLS = 4;
/** A start takes some seconds here. */
const EVERY_MS = 4_000;
const NODES = 3;
/** So slow that a node has something in flight at most moments. */
const SLOW_MS = 300;
/** A living node has settled by then what it held; a dead one's claims last for a minute. */
const SETTLED_MS = 5_000;

export const kills: Scenario = {
  name: "kills",
  forMsMax: 900_000,
  async run({ folder, isQuick, times = isQuick ? QUICK_KILLS : KILLS }) {
    if (!hasCitus()) return skipped(WITHOUT);
    await using scene = await openCitusScene({ folder, isDistributed: true, nodes: NODES, delayMs: SLOW_MS });
    const held: ReadonlySet<string>[] = [];
    await killInTurn({
      nodes: scene.nodes,
      times,
      everyMs: EVERY_MS,
      pass: pause,
      async kill(victim) {
        await victim.kill();
        held.push(await listHeld(scene));
      },
    });
    await pause(SETTLED_MS);
    held.push(await listHeld(scene));
    const judged = await conclude(scene);
    const inFlight = findInFlight(held);
    assert.ok(inFlight.size > 0, "no node died with anything in memory: nothing was shown");
    const twice = [...readArrivals([scene.receiver])].filter(([, arrivals]) => arrivals.length > 1).map(([id]) => id);
    const others = twice.filter((id) => !inFlight.has(id));
    assert.equal(others.length, 0, `${others.length} were sent twice that no killed node held, such as ${others[0]}`);
    return kept(`${times} x kill -9 of one of three: ${judged}, of ${inFlight.size} in the hands of nodes that died`);
  },
};

/** By what was held after each kill, in order. */
function findInFlight(held: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(held.flatMap((now, place) => [...now.intersection(held[place + 1] ?? new Set())]));
}
