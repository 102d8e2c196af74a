/**
 * The scene of a scenario with several nodes: a real PostgreSQL that syncs, three nodes as real processes, a load
 * generator that posts to those that are up, receivers that note everything, and the book of claims. At the end the
 * judgement that holds whatever happened: nothing acknowledged is lost, no record became two events, and whatever was
 * sent twice has its cause.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setUpAccount } from "../../test/kit/process/account.ts";
import { type Findings, type Load, assertKept, createWitness, startLoad } from "../../test/kit/process/oracle.ts";
import { COUNT_WAITING } from "../../test/kit/servers/in-memory.ts";
import { type Cluster, startCluster } from "../../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually, pause } from "../../test/kit/wait.ts";
import { openClaimBook, readClaimBook } from "./claim-book.ts";
import { type Explained, type Trouble, explainArrivals } from "./explain.ts";
import { type Node, createNode } from "./node.ts";
import { readArrivals } from "../under-load.ts";

export interface SceneOptions {
  readonly folder: string;
  /** How the nodes differ; three alike unless given. */
  readonly nodes?: readonly NodeDifference[];
}

export interface NodeDifference {
  readonly clockAheadMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Its own way to the database: gives an address in place of the straight one. */
  readonly wayTo?: (database: string) => Promise<string>;
}

export interface Scene extends AsyncDisposable {
  readonly cluster: Cluster;
  /** The straight way to the database. */
  readonly database: string;
  readonly nodes: readonly Node[];
  readonly receivers: readonly Receiver[];
  readonly load: Load;
  /** The faults that were made, and for which node; scenarios add to it. */
  readonly troubles: Trouble[];
}

export const NODES = 3;
const ALIKE: readonly NodeDifference[] = Array.from({ length: NODES }, () => ({}));

/**
 * A steady load of some 150 records a second, for minutes: the receivers keep what they got. A node that does not
 * answer is left alone after 2 s, as load balancers do.
 */
const LOAD = { callers: 6, pauseMs: 100, answerMsMax: 2_000 };

/** So slow that every node has something in flight at every moment. */
const SLOW_MS = 300;

/** A claim's length, and some time to notice that it has run out and to send what was held under it. */
const DRAIN_MS_MAX = 120_000;

const FAULTS_SHOWN = 5;

export async function openNodesScene(options: SceneOptions): Promise<Scene> {
  const { folder, nodes: differences = ALIKE } = options;
  await using opening = new AsyncDisposableStack();
  const cluster = opening.use(await startCluster({ syncs: true }));
  const database = await cluster.createDatabase();
  const [first, second, chat] = [
    opening.use(await startReceiver()),
    opening.use(await startReceiver()),
    opening.use(await startReceiver()),
  ];
  const slow = opening.use(await startReceiver({ delayMs: SLOW_MS }));
  const dataDir = join(folder, "data");
  const alerts = [{ url: first.url }, { url: second.url }, { url: slow.url, intentLevels: ["low"] }];
  const assistants = { sales: chat.url, support: slow.url };
  await setUpAccount({ dataDir, database, alerts, assistants });
  await openClaimBook({ cluster, url: database }, ["bellwire"]);
  const nodes: Node[] = [];
  for (const [place, { clockAheadMs = 0, env = {}, wayTo = same }] of differences.entries()) {
    const name = `node-${place + 1}`;
    const node = await createNode({ name, dataDir, database: await wayTo(database), clockAheadMs, env });
    nodes.push(opening.use(node));
    await node.start();
  }
  const load = startLoad(folder, toIntakes(nodes), { ...LOAD, assistants: Object.keys(assistants) });
  opening.use(load.child);
  const open = opening.move();
  return {
    cluster,
    database,
    nodes,
    receivers: [first, second, chat, slow],
    load,
    troubles: [],
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

const same = async (database: string): Promise<string> => database;

function toIntakes(nodes: readonly Node[]): Parameters<typeof startLoad>[1] {
  const [first, ...others] = nodes.map((node) => ({ url: node.url, apiKey: node.running().apiKey }));
  assert.ok(first !== undefined, "a scene without nodes");
  return [first, ...others];
}

/** Lets time pass, and rejects when the load generator ends meanwhile. */
export async function underLoad({ load }: Scene, forMs: number): Promise<void> {
  const untilMs = performance.now() + forMs;
  for (let leftMs = forMs; leftMs > 0; leftMs = untilMs - performance.now()) {
    await load.during(pause(Math.min(leftMs, 1_000)));
  }
}

export interface Conclusion extends Pick<Findings, "acknowledged" | "deliveries">, Explained {
  readonly drainedMs: number;
}

/** Ends the load, lets everything arrive, stops the nodes, and judges what must hold in every scenario. */
export async function concludeNodes(scene: Scene): Promise<Conclusion> {
  const { cluster, database, load, nodes, receivers, troubles } = scene;
  const acknowledged = await load.end();
  const drainedMs = await drain(scene);
  for (const node of nodes)
    assert.equal(await metric(node, "bellwire_deliveries_held"), 0, `${node.name} holds on to deliveries`);
  for (const node of nodes) await node.stop();
  const found = createWitness(receivers).judge(acknowledged);
  assertKept(found);
  assert.equal(
    await count(scene, "bellwire.deliveries where state <> 'delivered'"),
    0,
    "deliveries that were given up",
  );
  const book = await readClaimBook([{ cluster, url: database }]);
  const explained = explainArrivals(readArrivals(receivers), book, troubles);
  const { faults } = explained;
  assert.ok(
    faults.length === 0,
    `${faults.length} deliveries broke a rule: ${faults.slice(0, FAULTS_SHOWN).join("; ")}`,
  );
  assert.equal(explained.duplicates, found.duplicates);
  return { ...explained, acknowledged: found.acknowledged, deliveries: found.deliveries, drainedMs };
}

async function drain(scene: Scene): Promise<number> {
  const { cluster, database } = scene;
  const isEmpty = async () => (await cluster.query(database, COUNT_WAITING))[0]?.["count"] === 0;
  return await eventually("every delivery to end", isEmpty, DRAIN_MS_MAX).catch(async (cause: unknown) => {
    const waiting = JSON.stringify(await cluster.query(database, DESCRIBE_WAITING));
    throw new Error(`deliveries still wait after ${DRAIN_MS_MAX / 1000} s: ${waiting}`, { cause });
  });
}

/** Retried, held by somebody, or forgotten? */
const DESCRIBE_WAITING = `
  select count(*)::integer as count, d.claim_token is not null as claimed, d.attempts_made, d.last_outcome,
    round(min(d.due_at) / 1000 - extract(epoch from now())) as due_in_s,
    round(min(t.wake_at) / 1000 - extract(epoch from now())) as destination_wakes_in_s
  from bellwire.deliveries d
  join bellwire.destinations t on t.id = d.destination_id
  where d.state = 'pending'
  group by 2, 3, 4`;

export async function count({ cluster, database }: Scene, from: string): Promise<number> {
  const [row] = await cluster.query(database, `select count(*)::integer as count from ${from}`);
  return row?.["count"] as number;
}

/** A number of a node's `/metrics`. */
export async function metric(node: Node, name: string): Promise<number> {
  const { text } = await node.running().get("/metrics");
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? Number.NaN);
}

export function summarizeNodes({ acknowledged, deliveries, duplicates, ranOut, drainedMs }: Conclusion): string {
  return (
    `${acknowledged} acknowledged, ${deliveries} deliveries, 0 lost, ${duplicates} sent twice, ${ranOut} claims ran ` +
    `out, drained in ${(drainedMs / 1000).toFixed(1)} s`
  );
}
