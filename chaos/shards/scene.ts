/**
 * The scene of a scenario with shards: an installation, nodes as real processes, a load generator that posts to many
 * accounts, and receivers that note everything. At the end the judgement that holds whatever happened: nothing that was
 * acknowledged is lost, no record became two events, and what was sent twice has its cause.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Acknowledged, assertKept, createWitness, type Load, startLoad } from "../../test/kit/process/oracle.ts";
import { countWaitingIn } from "../../test/kit/servers/in-memory.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";
import { openClaimBook, readClaimBook } from "../postgres/claim-book.ts";
import { explainArrivals, explainByTroubles, type Trouble } from "../postgres/explain.ts";
import { createNode, type Node } from "../postgres/node.ts";
import { readArrivals } from "../under-load.ts";
import { type Installation, type OpenInstallation, runShards } from "./installation.ts";
import { assertInOneShard } from "./in-one-shard.ts";

export interface ShardsScene extends AsyncDisposable {
  readonly dataDir: string;
  readonly installation: Installation;
  readonly accounts: readonly string[];
  readonly nodes: readonly Node[];
  readonly receivers: readonly Receiver[];
  /** The faults that were made, and for which node; scenarios add to it. */
  readonly troubles: Trouble[];
}

const NODES = 3;
const ASSISTANTS = ["sales", "support"];
/** So slow that every node has something in flight at every moment. */
const SLOW_MS = 300;

export async function openShardsScene(
  folder: string,
  accountCount: number,
  openInstallation: OpenInstallation,
): Promise<ShardsScene> {
  await using opening = new AsyncDisposableStack();
  const [first, chat] = [opening.use(await startReceiver()), opening.use(await startReceiver())];
  const slow = opening.use(await startReceiver({ delayMs: SLOW_MS }));
  const dataDir = join(folder, "data");
  const accounts = Array.from({ length: accountCount }, (_, place) => `acct-${place + 1}`);
  const alerts = [{ url: first.url }, { url: slow.url, intentLevels: ["low"] }];
  const setUp = { dataDir, alerts, assistants: { sales: chat.url, support: slow.url }, accounts };
  const installation = opening.use(await openInstallation(setUp));
  for (const [url, shards] of booksOf(installation)) {
    const [cluster] = shards.map((shard) => shard.cluster);
    if (cluster === undefined) continue;
    await openClaimBook(
      { cluster, url },
      shards.map(({ schema }) => schema),
    );
  }
  const { database } = installation;
  const nodes: Node[] = [];
  for (let place = 1; place <= NODES; place += 1) {
    const node = opening.use(await createNode({ name: `node-${place}`, dataDir, database }));
    nodes.push(node);
    await node.start();
  }
  const open = opening.move();
  return {
    dataDir,
    installation,
    accounts,
    nodes,
    receivers: [first, chat, slow],
    troubles: [],
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Shards by their databases, each of which has a book. */
const booksOf = ({ shards, hasTriggers }: Installation) =>
  hasTriggers ? Map.groupBy(shards, ({ url }) => url) : new Map<string, Installation["shards"]>();

/** A steady load: a node that does not answer is left alone after 2 s, as load balancers do. */
const LOAD = { callers: 6, pauseMs: 100, answerMsMax: 2_000, assistants: ASSISTANTS };

export function loadShards(
  folder: string,
  { nodes }: ShardsScene,
  more: Partial<Parameters<typeof startLoad>[2]> & { readonly accounts: readonly string[] },
): Load {
  const [first, ...others] = nodes.map((node) => ({ url: node.url, apiKey: node.running().apiKey }));
  assert.ok(first !== undefined, "a scene without nodes");
  return startLoad(folder, [first, ...others], { ...LOAD, ...more });
}

/** A claim's length, and some time to notice that it has run out and to send what was held under it. */
const DRAIN_MS_MAX = 150_000;

/** Nobody does anything but wait. Returns how long it took. */
export async function drainShards({ installation }: ShardsScene): Promise<number> {
  const { shards } = installation;
  let left: readonly Record<string, unknown>[] = [];
  const isEmpty = async (): Promise<boolean> => {
    const counts = [];
    for (const { cluster, url, schema } of shards) counts.push(...(await cluster.query(url, countLeft(schema))));
    left = counts;
    return counts.every(({ waiting, arriving }) => waiting === 0 && arriving === 0);
  };
  return await eventually("every delivery to end", isEmpty, DRAIN_MS_MAX).catch((cause: unknown) => {
    throw new Error(`deliveries still wait after ${DRAIN_MS_MAX / 1000} s: ${JSON.stringify(left)}`, { cause });
  });
}

/** `arriving`: accounts whose live rows wait to be put into their tables. */
const countLeft = (schema: string): string => `
  select (${countWaitingIn(schema)}) as waiting,
    (select count(1)::integer from ${schema}.arriving_accounts where rows is not null) as arriving`;

export interface ShardsConclusion {
  readonly acknowledged: number;
  readonly deliveries: number;
  readonly duplicates: number;
  /** Claims that ran out; unknown where no trigger notes claims. */
  readonly ranOut: number | null;
}

/** Everything has arrived. Ends moves that were left, as an operator does, stops the nodes, and judges. */
export async function concludeShards(scene: ShardsScene, acknowledged: Acknowledged): Promise<ShardsConclusion> {
  const { dataDir, installation, nodes, receivers, troubles } = scene;
  const { database } = installation;
  for (const { account, to } of await listMovesLeft(installation)) {
    await runShards({ dataDir, database }, "move", account, "--to", to);
  }
  for (const node of nodes) await node.stop();
  const found = createWitness(receivers).judge(acknowledged);
  assertKept(found);
  await assertInOneShard(installation, acknowledged);
  const arrivals = readArrivals(receivers);
  const books = [...booksOf(installation)].flatMap(([url, [shard]]) =>
    shard === undefined ? [] : [{ cluster: shard.cluster, url }],
  );
  const explained =
    books.length === 0
      ? explainByTroubles(arrivals, troubles)
      : explainArrivals(arrivals, await readClaimBook(books), troubles);
  const { faults, duplicates, ranOut } = explained;
  assert.ok(faults.length === 0, `${faults.length} deliveries broke a rule: ${faults.slice(0, 5).join("; ")}`);
  assert.equal(duplicates, found.duplicates);
  const { acknowledged: count, deliveries } = found;
  return { acknowledged: count, deliveries, duplicates, ranOut: books.length === 0 ? null : ranOut };
}

/** Moves that died, and where they were going; `leaving` one has arrived there already. */
async function listMovesLeft({ shards }: Installation): Promise<{ readonly account: string; readonly to: string }[]> {
  const [{ cluster, url, schema }] = shards;
  const rows = await cluster.query(
    url,
    `select account_id as account, coalesce(moving_to, shard) as to
     from ${schema}.accounts_at
     where moving_to is not null or leaving is not null`,
  );
  return rows as unknown as { readonly account: string; readonly to: string }[];
}
