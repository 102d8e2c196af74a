/**
 * `npm run bench -- moving`: one account moved from a shard to another, between two schemas of one PostgreSQL and
 * between two servers: how long it takes, how long nobody can write anything of that account, and what the move does to
 * accepts of another account in the shard that it leaves. The move has a thread of its own, as the command has a
 * process. `--quick` moves a tenth.
 */
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { newId } from "../src/domain/id.ts";
import { systemClock } from "../src/lib/clock.ts";
import { systemRandom } from "../src/lib/random.ts";
import { HOME_SCHEMA } from "../src/store/postgres/connection/connections.ts";
import { makeSettlement } from "../src/store/conformance/world.ts";
import { openPostgresStore } from "../src/store/postgres/open.ts";
import { newForms } from "../src/store/postgres/schema/forms.ts";
import { openShard } from "../src/store/postgres/shard.ts";
import { openMoveDatabase } from "../src/store/postgres/shards/move/databases.ts";
import { moveAccount, type Moved, type Step } from "../src/store/postgres/shards/move/move-account.ts";
import { overDatabases } from "../src/store/postgres/shards/move/steps.ts";
import { type Store, StoreUnavailable } from "../src/store/contract/store.ts";
import { makeNewDelivery, makeNewEvent } from "../test/kit/make.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { pause } from "../test/kit/wait.ts";
import { describeMachine } from "./conditions.ts";
import { type MadeAccount, makeHistory } from "./log-history.ts";
import { bodyText } from "./record.ts";
import { quantile } from "./windows.ts";
import { BUILT_IN_TYPES } from "../src/events/event-types.ts";

const DELIVERIES = process.argv.includes("--quick") ? 10_000 : 100_000;
const CALLERS = 4;
const PAUSE_MS = 5;
const ALONE_MS = 20_000;
const KEEP_ALL = { payloadsBeforeMs: 0, attemptBodiesBeforeMs: 0, rowsBeforeMs: 0 };

let made = 0;

if (isMainThread) await run();
else await move(workerData as Ends);

async function run(): Promise<void> {
  for (const line of describeMachine("/")) console.log(`- ${line}`);
  console.log(`- an account with ${DELIVERIES} deliveries of a week, events of about 1 KB, another one with as many`);
  console.log(`- beside: ${CALLERS} callers for each, ${PAUSE_MS} ms between an answer and the next accept`);
  console.log(`- alone: ${ALONE_MS / 1000} s before the move and as long after it\n`);
  console.log("| Move | rows | s | ms under the fence | longest accept of it, ms | another's p50, p99, most ms |");
  console.log("|---|---|---|---|---|---|");
  await using one = await startCluster({ syncs: true });
  await measure("two schemas", one, one);
  await using two = await startCluster({ syncs: true });
  await measure("two servers", one, two);
}

async function measure(name: string, from: Cluster, to: Cluster): Promise<void> {
  const url = await from.createDatabase();
  const other = from === to ? { url, schema: "bellwire_1" } : { url: await to.createDatabase(), schema: HOME_SCHEMA };
  await using store = await openInstallation(url, other, from);
  const [moving, staying] = await makeHistory(store, {
    accounts: 2,
    destinations: 10,
    deliveries: 2 * DELIVERIES,
    nowMs: Date.now(),
    bodyOf: bodyText,
  });
  if (moving === undefined || staying === undefined) throw new Error("there are no accounts");
  while ((await store.indexEvents({ nowMs: Date.now(), eventsMax: 500, bytesMax: 4_000_000 })).hasMore);
  // Counters of days are joined to hours, as housekeeping would have.
  while ((await store.purge({ nowMs: Date.now(), ...KEEP_ALL, rowsMax: 5_000 })).purged > 0);
  await from.query(url, "analyze");
  const [own, others] = [startAccepts(store, moving), startAccepts(store, staying)];
  const beganMs = Date.now();
  await pause(ALONE_MS);
  const thread = new Worker(new URL(import.meta.url), { workerData: { url, other } });
  const [{ moved, steps }] = (await once(thread, "message")) as [Ended];
  if (moved.kind !== "moved") throw new Error(`the account is not moved: ${moved.kind}`);
  await pause(ALONE_MS);
  const [ofOwn, ofOthers] = [await own(), await others()];
  const print = (row: Row, fromMs: number, toMs: number): void => {
    const [mine, theirs] = [ofOwn, ofOthers].map((accepts) =>
      accepts.filter(({ atMs, tookMs }) => atMs < toMs && atMs + tookMs > fromMs).map(({ tookMs }) => tookMs),
    );
    const shares = [0.5, 0.99, 1].map((share) => quantile(theirs ?? [], share).toFixed(1));
    const longest = Math.max(...(mine ?? [])).toFixed(0);
    const cells = [row.name, row.rows ?? "", ((toMs - fromMs) / 1000).toFixed(1), row.fencedMs ?? "", longest];
    console.log(`| ${[...cells, shares.join(", ")].join(" | ")} |`);
  };
  print({ name: "none, before" }, beganMs, steps.noted);
  print({ name, rows: moved.rows, fencedMs: moved.fencedMs }, steps.noted, steps.cleaned);
  print({ name: "its copy" }, steps.noted, steps.copied);
  print({ name: "its fence" }, steps.copied, steps.directed);
  print({ name: "what it deletes" }, steps.directed, steps.cleaned);
  print({ name: "none, after" }, steps.cleaned, Date.now());
}

interface Row {
  readonly name: string;
  readonly rows?: number;
  readonly fencedMs?: number;
}

interface Ends {
  readonly url: string;
  readonly other: Place;
}

interface Ended {
  readonly moved: Moved;
  /** Their instants. */
  readonly steps: Readonly<Record<Step, number>>;
}

interface Place {
  readonly url: string;
  readonly schema: string;
}

async function move({ url, other }: Ends): Promise<void> {
  const open = (place: Place) => openMoveDatabase({ ...place, pooler: "none", forcesSync: false });
  const home = { url, schema: HOME_SCHEMA };
  const databases = { directory: open(home), "0": open(home), "1": open(other) };
  const shard = (wanted: string) => Promise.resolve(databases[wanted === "0" ? "0" : "1"]);
  const over = overDatabases({ directory: databases.directory, shard });
  const steps = {} as Record<Step, number>;
  const onStep = async (step: Step) => void (steps[step] = Date.now());
  const moved = await moveAccount(over, { accountId: "acc_0", to: "1", nowMs: Date.now, onStep });
  await Promise.all(Object.values(databases).map(({ pool }) => pool.end()));
  parentPort?.postMessage({ moved, steps } satisfies Ended);
}

/** Over both shards, the second of which takes no account by itself. */
async function openInstallation(url: string, other: Place, cluster: Cluster): Promise<Store> {
  const ofShard = { ...other, urlNow: () => other.url, isHome: false, pooler: "none", clock: systemClock } as const;
  const types = BUILT_IN_TYPES;
  const quiet = { types, forms: newForms(), onCommit: () => {}, onHint: null, measure: () => Promise.resolve() };
  await (await openShard({ ...ofShard, ...quiet })).close();
  const options = { url, clock: systemClock, openAddress: (address: string) => address };
  await (await openPostgresStore(options)).store[Symbol.asyncDispose]();
  await cluster.query(
    url,
    `insert into bellwire.shards (name, place, sealed_address, schema, takes_accounts, added_at)
      values ('1', 'of this bench', '${other.url}', '${other.schema}', false, 0)`,
  );
  return (await openPostgresStore(options)).store;
}

/** From the first try to success. */
interface Accept {
  readonly atMs: number;
  readonly tookMs: number;
}

/** Until it is stopped. */
function startAccepts(store: Store, account: MadeAccount): () => Promise<Accept[]> {
  const accepts: Accept[] = [];
  let isStopped = false;
  const call = async (): Promise<void> => {
    while (!isStopped) {
      const atMs = Date.now();
      while (!(await acceptOne(store, account))) await pause(PAUSE_MS);
      accepts.push({ atMs, tookMs: Date.now() - atMs });
      await pause(PAUSE_MS);
    }
  };
  const calls = Array.from({ length: CALLERS }, call);
  return async () => {
    isStopped = true;
    await Promise.all(calls);
    return accepts;
  };
}

/** False: it is to be tried again, as an account's change of version asks for too. */
async function acceptOne(store: Store, { id: accountId, destinations: [to] }: MadeAccount): Promise<boolean> {
  const nowMs = Date.now();
  try {
    const configVersion = (await store.loadAccount({ accountId }))?.configVersion ?? 0;
    const deliveries = [
      makeNewDelivery({ id: newId("dlv", nowMs, systemRandom), destinationId: to?.id ?? "", claimed: true }),
    ];
    const event = { id: newId("evt", nowMs, systemRandom), accountId, configVersion };
    const sourceId = `00000000-0000-4000-9000-${(made += 1).toString(16).padStart(12, "0")}`;
    const body = bodyText(made);
    const events = [makeNewEvent({ ...event, sourceId, body, deliveries })];
    const [answer] = await store.acceptEvents({ nowMs, claim: { token: "bench", untilMs: nowMs + 60_000 }, events });
    if (answer?.kind !== "accepted") return false;
    await settleAll(store, { accountId, deliveries, nowMs });
    return true;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return false;
  }
}

/** As a receiver that takes everything at once leads to. */
async function settleAll(
  store: Store,
  { accountId, deliveries, nowMs }: { accountId: string; deliveries: readonly { id: string }[]; nowMs: number },
): Promise<void> {
  const settlements = deliveries.map(({ id }) => makeSettlement(id, { accountId, claimToken: "bench" }));
  await store.settleAttemptsIfClaimed({ nowMs, settlements });
}
