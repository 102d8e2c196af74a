/**
 * A Citus moves the schemas of shards from worker to worker, again and again, while records come in and go out. Nodes
 * follow without a restart, nothing waits for longer than a moment, and in the end they ask the worker that has both.
 */
import assert from "node:assert/strict";
import { eventually, pause } from "../../test/kit/wait.ts";
import type { Load } from "../../test/kit/process/oracle.ts";
import { kept, type Scenario } from "../scenario.ts";
import { onCitus, runShards } from "./installation.ts";
import { concludeShards, drainShards, loadShards, openShardsScene, type ShardsScene } from "./scene.ts";

const MOVES = 10;
const QUICK_MOVES = 2;
const ACCOUNTS = 6;
const EVERY_MS = 2_000;
/** A record's, from when it is first sent to its 202. Citus lets writes wait while it ends a move. */
const LONGEST_MS_MAX = 10_000;
/** Nodes ask every 15 s where a schema is. */
const FOLLOWED_MS_MAX = 60_000;

export const schemaMoves = (coordinator: string): Scenario => ({
  name: "schemas",
  forMsMax: 900_000,
  async run({ folder, isQuick, times = isQuick ? QUICK_MOVES : MOVES }) {
    await using scene = await openShardsScene(folder, ACCOUNTS, onCitus(coordinator));
    const [home, ...shards] = scene.installation.shards;
    const schemas = shards.map(({ schema }) => schema);
    for (const [place, account] of scene.accounts.entries()) {
      const to = shards[place % shards.length]?.name ?? home.name;
      await runShards({ dataDir: scene.dataDir, database: coordinator }, "move", account, "--to", to);
    }
    const load = loadShards(folder, scene, { accounts: scene.accounts });
    await using stack = new AsyncDisposableStack();
    stack.use(load.child);
    const ask = (sql: string) => home.cluster.query(coordinator, sql);
    const tookMs: number[] = [];
    for (let time = 0; time < times; time += 1) {
      await load.during(pause(EVERY_MS));
      tookMs.push(await underLoad(load, ask(moveToNext(schemas[time % schemas.length] ?? ""))));
    }
    for (const schema of schemas) await underLoad(load, ask(moveToLast(schema)));
    await eventually(
      "nodes to ask the worker that has both schemas",
      () => load.during(isLastAlone(scene)),
      FOLLOWED_MS_MAX,
    );
    const acknowledged = await load.end();
    const longestMs = Math.max(...[...acknowledged.values()].map((record) => record.tookMs));
    assert.ok(longestMs < LONGEST_MS_MAX, `a record took ${longestMs} ms`);
    const drainedMs = await drainShards(scene);
    const found = await concludeShards(scene, acknowledged);
    const slowest = Math.max(...tookMs) / 1000;
    return kept(
      `${scene.installation.place}: ${times} x citus_schema_move, ${slowest.toFixed(1)} s at most; ` +
        `${found.acknowledged} acknowledged, the longest after ${longestMs.toFixed(0)} ms, ${found.deliveries} ` +
        `deliveries, 0 lost, ${found.duplicates} sent twice; drained in ${(drainedMs / 1000).toFixed(1)} s`,
    );
  },
});

/** Returns how long it took. */
async function underLoad(load: Load, work: Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => {});
  while (!isDone) await load.during(pause(100));
  await done;
  return performance.now() - startedMs;
}

const WORKERS = "pg_dist_node where noderole = 'primary' and groupid > 0";

const placeOf = (schema: string): string => `
  select p.groupid
  from pg_dist_schema s
  join pg_dist_partition t using (colocationid)
  join pg_dist_shard h on h.logicalrelid = t.logicalrelid
  join pg_dist_placement p using (shardid)
  where s.schemaid = '${schema}'::regnamespace
  limit 1`;

const moveToNext = (schema: string): string => `
  select citus_schema_move('${schema}', nodename, nodeport)
  from (
    select nodename, nodeport from ${WORKERS} and groupid <> (${placeOf(schema)})
    order by groupid
    limit 1
  ) other`;

const moveToLast = (schema: string): string => `
  select citus_schema_move('${schema}', nodename, nodeport)
  from (
    select nodename, nodeport, groupid from ${WORKERS}
    order by groupid desc
    limit 1
  ) last
  where groupid <> (${placeOf(schema)})`;

/** Nodes have sessions at the last worker, and at no other. */
async function isLastAlone({ installation }: ShardsScene): Promise<boolean> {
  const [home] = installation.shards;
  const counts = await home.cluster.query(
    installation.database,
    `select nodeport, result::integer as sessions
     from run_command_on_workers($$
       select count(1) from pg_stat_activity where application_name like 'node-%'
     $$)
     join pg_dist_node using (nodename, nodeport)
     order by groupid desc`,
  );
  const [last, ...others] = counts.map(({ sessions }) => Number(sessions));
  return last !== undefined && last > 0 && others.every((sessions) => sessions === 0);
}
