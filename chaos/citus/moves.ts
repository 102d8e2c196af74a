/** Shards whose accounts are posted to move from one worker to another, and nothing is lost. */
import { pause } from "../../test/kit/wait.ts";
import { type Scenario, kept, skipped } from "../scenario.ts";
import { quantile } from "./callers.ts";
import { WITHOUT, conclude, findPlaces, hasCitus, openCitusScene } from "./scene.ts";

const MOVES = 3;

export const moves: Scenario = {
  name: "moves",
  forMsMax: 900_000,
  async run({ folder, isQuick }) {
    if (!hasCitus()) return skipped(WITHOUT);
    await using scene = await openCitusScene({ folder, isDistributed: true });
    const places = [...(await findPlaces(scene)).values()];
    const [from, to] = new Set(places.map(({ worker }) => worker));
    if (from === undefined || to === undefined) return skipped("a shard needs two workers to move");
    scene.callers.begin("before");
    await pause(5_000);
    scene.callers.begin("moves");
    const took: string[] = [];
    const busy = new Set(places.filter(({ worker }) => worker === from).map(({ shard }) => shard));
    for (const shard of [...busy].slice(0, isQuick ? 1 : MOVES)) {
      const startedMs = performance.now();
      await scene.query(moveShard(shard, from, to));
      took.push(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
    }
    scene.callers.begin("after");
    await pause(5_000);
    const judged = await conclude(scene);
    const during = scene.callers.answers.filter(({ phase }) => phase === "moves");
    const refused = during.filter(({ status }) => status !== 202).length;
    const times = during.map(({ tookMs }) => tookMs);
    return kept(
      `${took.length} moved from ${from} to ${to} (${took.join(", ")}): ${judged}; ${during.length} posts meanwhile, ` +
        `${refused} to be sent again, p99 ${quantile(times, 0.99).toFixed(0)} ms, ` +
        `longest ${Math.max(...times).toFixed(0)} ms`,
    );
  },
};

function moveShard(shard: number, from: string, to: string): string {
  const [one, other] = [from, to].map((worker) => worker.replace(/^(.*):(\d+)$/, "'$1', $2"));
  return `select citus_move_shard_placement(${shard}, ${one}, ${other}, shard_transfer_mode => 'force_logical')`;
}
