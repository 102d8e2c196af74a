/** Shards move from one worker to another under load, and nothing is lost or refused for long. */
import { pause } from "../../test/kit/wait.ts";
import { type Scenario, kept, skipped } from "../scenario.ts";
import { quantile } from "./callers.ts";
import { type CitusScene, WITHOUT, conclude, findWorkers, hasCitus, openCitusScene } from "./scene.ts";

const MOVES = 3;

export const moves: Scenario = {
  name: "moves",
  forMsMax: 900_000,
  async run({ folder, isQuick }) {
    if (!hasCitus()) return skipped(WITHOUT);
    await using scene = await openCitusScene({ folder, isDistributed: true });
    const [from, to] = new Set((await findWorkers(scene)).values());
    if (from === undefined || to === undefined) return skipped("a shard needs two workers to move");
    scene.callers.begin("before");
    await pause(5_000);
    scene.callers.begin("moves");
    const took: string[] = [];
    for (const shard of await listBusyShards(scene, from, isQuick ? 1 : MOVES)) {
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
        `${refused} to be sent again, p99 ${quantile(times, 0.99).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`,
    );
  },
};

/** With an account in it that is being posted to. */
async function listBusyShards({ query }: CitusScene, worker: string, count: number): Promise<number[]> {
  const rows = await query(`
    select distinct s.shardid
    from bellwire.accounts a
    join pg_dist_shard s on s.logicalrelid = 'bellwire.accounts'::regclass
      and worker_hash(a.bucket) between s.shardminvalue::integer and s.shardmaxvalue::integer
    join pg_dist_placement p using (shardid)
    join pg_dist_node n on n.groupid = p.groupid and n.nodename || ':' || n.nodeport = '${worker}'`);
  return rows.map(({ shardid }) => Number(shardid)).slice(0, count);
}

function moveShard(shard: number, from: string, to: string): string {
  const [one, other] = [from, to].map((worker) => worker.replace(/^(.*):(\d+)$/, "'$1', $2"));
  return `select citus_move_shard_placement(${shard}, ${one}, ${other}, shard_transfer_mode => 'force_logical')`;
}
