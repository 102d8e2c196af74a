/** Nodes' metrics about the workers, held against the database's own figures and what the scenario has done. */
import { eventually } from "../../test/kit/wait.ts";
import type { Node } from "../postgres/node.ts";
import type { CitusScene } from "./scene.ts";

interface WorkerFigures {
  readonly worker: string;
  readonly groups: number;
  readonly isAway: boolean;
  /** Its waiting deliveries are shown. */
  readonly isCounted: boolean;
  readonly callsFailed: number;
}

const SAMPLE = /^bellwire_worker_(\w+)\{(?:[^}]*,)?worker="([^"]+)"[^}]*\} (\S+)$/gm;

async function readFigures(node: Node): Promise<WorkerFigures[]> {
  const { text } = await node.running().get("/metrics");
  const samples = Array.from(text.matchAll(SAMPLE), ([, name, worker = "", value]) => ({ name, worker, value }));
  const ofWorkers = Map.groupBy(samples, ({ worker }) => worker);
  return [...ofWorkers.keys()].map((worker) => {
    const all = (name: string): number[] =>
      (ofWorkers.get(worker) ?? []).filter((sample) => sample.name === name).map(({ value }) => Number(value));
    return {
      worker,
      groups: all("shard_groups")[0] ?? 0,
      isAway: all("away")[0] === 1,
      isCounted: all("deliveries_waiting").length === 1,
      callsFailed: all("calls_failed_total").reduce((sum, failed) => sum + failed, 0),
    };
  });
}

/** Calls of all nodes that failed for want of each worker. */
export async function countFailedCalls(nodes: readonly Node[]): Promise<ReadonlyMap<string, number>> {
  const figures = (await Promise.all(nodes.map(readFigures))).flat();
  const sum = (own: readonly WorkerFigures[]): number => own.reduce((all, { callsFailed }) => all + callsFailed, 0);
  return new Map([...Map.groupBy(figures, ({ worker }) => worker)].map(([worker, own]) => [worker, sum(own)]));
}

/**
 * Until the metrics of each node tell the truth: each worker with the groups of accounts that the database has there,
 * those in `away` and no other as away, and what waits on all others. Returns after how many milliseconds.
 */
export async function untilTold({ nodes, query }: Told, away: ReadonlySet<string>): Promise<number> {
  const rows = await query(COUNT_GROUPS);
  const truth = toText(
    rows.map(({ worker, groups }) => {
      const isAway = away.has(String(worker));
      return { worker: String(worker), groups: Number(groups), isAway, isCounted: !isAway };
    }),
  );
  let said: readonly string[] = [];
  const isSaid = async (): Promise<boolean> => {
    said = await Promise.all(nodes.map(async (node) => toText(await readFigures(node))));
    return said.every((text) => text === truth);
  };
  return await eventually(`metrics that say "${truth}"`, isSaid, TOLD_MS_MAX).catch((cause: unknown) => {
    throw new Error(`metrics say "${said.join('" and "')}" and not "${truth}"`, { cause });
  });
}

type Told = Pick<CitusScene, "nodes" | "query">;

const toText = (figures: readonly Omit<WorkerFigures, "callsFailed">[]): string =>
  figures
    .toSorted((one, other) => (one.worker < other.worker ? -1 : 1))
    .map(
      ({ worker, groups, isAway, isCounted }) =>
        `${worker}: ${groups} groups, ${isAway ? "away" : "here"}, ${isCounted ? "counted" : "not counted"}`,
    )
    .join("; ");

const TOLD_MS_MAX = 30_000;

const COUNT_GROUPS = `
  select n.nodename || ':' || n.nodeport as worker, count(distinct s.shardid) as groups
  from generate_series(0, 255) as b (bucket)
  join pg_dist_shard s on s.logicalrelid = 'bellwire.accounts'::regclass
    and worker_hash(b.bucket) between s.shardminvalue::integer and s.shardmaxvalue::integer
  join pg_dist_placement p using (shardid)
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
  group by n.nodename, n.nodeport`;
