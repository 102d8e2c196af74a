/**
 * The scene of a scenario on a Citus (`BELLWIRE_TEST_CITUS`): a database of its own there, nodes as real processes,
 * accounts on every worker with a caller each, and a receiver that notes everything.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { putAccount } from "../../src/accounts/put-account.ts";
import { bucketOf } from "../../src/lib/bucket.ts";
import { openApp } from "../../test/kit/process/account.ts";
import { readSourceId } from "../../test/kit/process/oracle.ts";
import { CITUS, type CitusCluster, distributeAtOnce, inDatabase, openCitus } from "../../test/kit/servers/citus.ts";
import { COUNT_WAITING, IN_MEMORY } from "../../test/kit/servers/in-memory.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { type Node, createNode } from "../postgres/node.ts";
import { type Callers, startCallers } from "./callers.ts";

export interface CitusScene extends AsyncDisposable {
  readonly citus: CitusCluster;
  readonly database: string;
  readonly accounts: readonly string[];
  readonly nodes: readonly Node[];
  readonly receiver: Receiver;
  readonly callers: Callers;
  query(sql: string): Promise<Record<string, unknown>[]>;
}

export interface CitusSceneOptions {
  readonly folder: string;
  readonly isDistributed: boolean;
  /** How many; two unless given. */
  readonly nodes?: number;
  /** The receiver answers so late; at once unless given. */
  readonly delayMs?: number;
  /** Before the nodes start. */
  readonly fill?: (scene: Pick<CitusScene, "database" | "query">) => Promise<void>;
}

export const WITHOUT = "BELLWIRE_TEST_CITUS names no Citus";
export const hasCitus = (): boolean => CITUS !== null;

const ACCOUNTS = Array.from({ length: 12 }, (_, place) => `acct-${place + 1}`);
const PAUSE_MS = 100;
const DRAIN_MS_MAX = 120_000;

export async function openCitusScene(options: CitusSceneOptions): Promise<CitusScene> {
  const { folder, isDistributed, nodes: count = 2, delayMs = 0, fill } = options;
  await using opening = new AsyncDisposableStack();
  const citus = opening.use(openCitus());
  const database = await citus.createDatabase();
  const receiver = opening.use(await startReceiver({ delayMs }));
  const dataDir = join(folder, "data");
  await setUp({ dataDir, database, url: receiver.url });
  if (isDistributed) await distributeAtOnce(database);
  const query = (sql: string) => citus.query(database, sql);
  await fill?.({ database, query });
  const nodes: Node[] = [];
  for (let place = 1; place <= count; place += 1) {
    const node = opening.use(await createNode({ name: `node-${place}`, dataDir, database }));
    nodes.push(node);
    await node.start();
  }
  const apiKey = readFileSync(join(dataDir, "intake-key"), "utf8").trim();
  const callers = startCallers({
    urls: nodes.map(({ url }) => url),
    apiKey,
    accounts: ACCOUNTS,
    pauseMs: PAUSE_MS,
  });
  const open = opening.move();
  return {
    citus,
    database,
    accounts: ACCOUNTS,
    nodes,
    receiver,
    callers,
    query,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

interface Place {
  readonly dataDir: string;
  readonly database: string;
  readonly url: string;
}

async function setUp({ dataDir, database, url }: Place): Promise<void> {
  await using app = await openApp({ dataDir, database });
  for (const id of ACCOUNTS) {
    await putAccount(app.accounts, { id, name: id, plan: "starter", appUrl: "https://app.example.com" });
    await createAlert(app.accounts, { accountId: id, url });
  }
}

/** Deliveries that a node has in its hands, or had when it died. */
export async function listHeld({ query }: Pick<CitusScene, "query">): Promise<ReadonlySet<string>> {
  const rows = [...(await query(LIST_IN_MEMORY)), ...(await query(LIST_CLAIMED))];
  return new Set(rows.map(({ id }) => String(id)));
}

export interface AccountPlace {
  readonly shard: number;
  /** Such as `127.0.0.1:7401`. */
  readonly worker: string;
}

/** By the account. */
export async function findPlaces({ query, accounts }: CitusScene): Promise<ReadonlyMap<string, AccountPlace>> {
  const rows = await query(LIST_BUCKETS);
  const places = new Map(
    rows.map(({ bucket, shard, worker }) => [Number(bucket), { shard: Number(shard), worker: String(worker) }]),
  );
  return new Map(
    accounts.map((account) => [account, places.get(bucketOf(account)) ?? assert.fail("an account without a shard")]),
  );
}

/** The address of this database, or of the one that the setting names, straight on a worker. */
export function onWorker({ database }: Pick<CitusScene, "database">, worker: string): string {
  const url = new URL(inDatabase(database, "postgres"));
  url.host = worker;
  return url.href;
}

/** Ends the load and judges what holds in every scenario: nothing that was acknowledged is lost, and none is two. */
export async function conclude(scene: CitusScene): Promise<string> {
  const { callers, query, receiver } = scene;
  await callers.end();
  const waiting = async (): Promise<number> => Number((await query(COUNT_WAITING))[0]?.["count"]);
  const startedMs = performance.now();
  await eventually("every delivery to end", async () => (await waiting()) === 0, DRAIN_MS_MAX);
  const drainedS = ((performance.now() - startedMs) / 1_000).toFixed(1);
  const arrivals = Map.groupBy(receiver.requests, ({ body }) => readSourceId(body));
  const lost = [...callers.acknowledged.keys()].filter((id) => !arrivals.has(id));
  assert.equal(lost.length, 0, `${lost.length} acknowledged records never arrived, such as ${lost[0]}`);
  const two = [...callers.acknowledged].filter(([, events]) => events.size > 1);
  assert.equal(two.length, 0, `${two.length} records became two events`);
  const again = [...arrivals.values()].filter((requests) => requests.length > 1).length;
  return `${callers.acknowledged.size} acknowledged, 0 lost, ${again} sent twice, drained in ${drainedS} s`;
}

const LIST_BUCKETS = `
  select b.bucket, s.shardid as shard, n.nodename || ':' || n.nodeport as worker
  from generate_series(0, 255) as b (bucket)
  join pg_dist_shard s on s.logicalrelid = 'bellwire.accounts'::regclass
    and worker_hash(b.bucket) between s.shardminvalue::integer and s.shardmaxvalue::integer
  join pg_dist_placement p using (shardid)
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`;

const LIST_CLAIMED = "select id from bellwire.deliveries where state = 'pending' and claim_token is not null";
const LIST_IN_MEMORY = `select split_part(line, ' ', 1) as id ${IN_MEMORY}`;
