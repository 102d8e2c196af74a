/**
 * `node bench/log.ts`: how long the dashboard's reads take with 100,000 deliveries, once of 2 accounts with 15
 * destinations each, once of one account with 500. Each figure is from the call to its answer on the caller's thread,
 * on a file, one call at a time; "CPU" is what both threads spend on one, which other work on the machine changes
 * little. `--quick` has 10,000 deliveries, `--million` 1,000,000 of one account with 500 destinations. `--postgres`
 * measures that store, on a cluster of its own. `--keep <folder>` leaves SQLite's file or PostgreSQL's cluster there,
 * and reads one that is there already: a million takes a quarter of an hour to fill. While it runs, others can ask that
 * server by its socket, `postgres:///?host=<folder>/500&user=bellwire`. `--only <words>` asks only what has these
 * words in its name, `--rounds <n>` so many times. "Server" is the CPU of PostgreSQL's processes.
 *
 * Rows that begin with "read" are what programs ask for by read keys.
 *
 * `--types` has one account with 60 webhooks and 200 event types instead, and asks for these.
 *
 * Ends with 1 when a read takes more than 100 ms at its 95th percentile, or a search for a field's value, which looks
 * at bodies, more than 500.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../src/lib/clock.ts";
import { daysMs, hoursMs, minutesMs } from "../src/lib/duration.ts";
import type { DeliveryCursor, ListDeliveries } from "../src/store/contract/log.ts";
import { openPostgresStore } from "../src/store/postgres/open.ts";
import { openSqliteStore } from "../src/store/sqlite/open.ts";
import type { Store } from "../src/store/contract/store.ts";
import { describeMachine } from "./conditions.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { readQuestions } from "./log-reads.ts";
import { describeLookedAt, indexAll, searchQuestions } from "./log-search.ts";
import { cpuOfServer, hastily, makeWeek, startServer } from "./postgres-server.ts";
import { TOTAL_ROWS_MAX } from "../src/dashboard/deliveries/total.ts";
import { BENCH_TYPES, typeQuestions, TYPES_OF_HISTORY, WEBHOOKS } from "./log-types.ts";
import { FAILING, type MadeAccount, makeHistory, PAUSED } from "./log-history.ts";

const isQuick = process.argv.includes("--quick");
const isMillion = process.argv.includes("--million");
const isOfTypes = process.argv.includes("--types");
const isPostgres = process.argv.includes("--postgres");
const DELIVERIES = isQuick ? 10_000 : isMillion ? 1_000_000 : 100_000;
const ROUNDS = Number(optionOf("--rounds") ?? (isQuick ? 10 : 40));
const MS_GATE = 100;
const PAGE_ROWS = 50;
/** As the dashboard asks: no more than these are counted. */
const WAITING_MAX = 10_000;

/** Types as the service would read them. */
const KNOWN = isOfTypes ? { types: BENCH_TYPES } : {};

interface Question {
  readonly name: string;
  readonly ask: () => Promise<unknown>;
  /** In place of the gate of all. */
  readonly msMax?: number;
}

const keptIn = optionOf("--keep");
const only = optionOf("--only") ?? "";

const folder = keptIn ?? newDiskFolder("log");
mkdirSync(folder, { recursive: true });
for (const line of describeMachine(folder)) console.log(`- ${line}`);
if (isOfTypes) process.exit((await measure({ accounts: 1, destinations: WEBHOOKS })) ? 0 : 1);
const isKeptByFew = isMillion || (await measure({ accounts: 2, destinations: 15 }));
const isKeptByMany = await measure({ accounts: 1, destinations: 500 });
process.exit(isKeptByFew && isKeptByMany ? 0 : 1);

function optionOf(name: string): string | undefined {
  const place = process.argv.indexOf(name);
  return place === -1 ? undefined : process.argv[place + 1];
}

interface Shape {
  readonly accounts: number;
  readonly destinations: number;
}

async function measure(shape: Shape): Promise<boolean> {
  await using opened = await openStore(`${shape.destinations}`);
  const context = { store: opened.store, ...(await findHistory(opened, shape)) };
  const readServer = await opened.watchServer();
  console.log(
    `\n${DELIVERIES} deliveries of a week, ${shape.accounts} × ${shape.destinations} destinations, ${ROUNDS} rounds`,
  );
  console.log(
    "\n| Read | p50 ms | p95 ms | most ms | CPU ms | CPU p95 | server CPU ms |\n|---|---|---|---|---|---|---|",
  );
  const ofTypes = isOfTypes ? await typeQuestions(context) : [];
  const ofPage = [...(await listQuestions(context)), ...(await otherQuestions(context))];
  const reads = [...ofTypes, ...ofPage, ...(await readQuestions(context))];
  const all: readonly Question[] = [...searchQuestions(context), ...reads];
  const questions = all.filter(({ name }) => name.includes(only));
  let worstMs = 0;
  for (const question of questions) {
    const p95 = await measureOne(question, readServer);
    // A gate of its own counts as so much of the gate of all.
    worstMs = Math.max(worstMs, (p95 * MS_GATE) / (question.msMax ?? MS_GATE));
  }
  console.log(`\n${describeLookedAt()}`);
  const isGood = worstMs <= MS_GATE;
  console.log(`\nslowest p95 ${worstMs.toFixed(1)} ms; gate ${MS_GATE} ms: ${isGood ? "kept" : "MISSED"}`);
  return isGood;
}

interface History {
  readonly account: MadeAccount;
  readonly nowMs: number;
}

/** The one that was kept, or a new one. */
async function findHistory({ store, note, fill }: OpenedStore, shape: Shape): Promise<History> {
  if (note !== null && existsSync(note)) return JSON.parse(readFileSync(note, "utf8")) as History;
  const nowMs = Date.now();
  const ofTypes = isOfTypes ? { types: TYPES_OF_HISTORY } : {};
  let account: MadeAccount | undefined;
  let tookMs = 0;
  let indexMs = 0;
  await fill(async () => {
    [account] = await makeHistory(store, { ...shape, ...ofTypes, deliveries: DELIVERIES, nowMs });
    await ageFigures(store, nowMs);
    tookMs = Date.now() - nowMs;
    indexMs = await indexAll(store);
  });
  if (account === undefined) throw new Error("there is no account");
  const each = ((indexMs * 1000) / DELIVERIES).toFixed(0);
  console.log(
    `\nmade in ${(tookMs / 1000).toFixed(0)} s, indexed in ${(indexMs / 1000).toFixed(0)} s, ${each} µs an event`,
  );
  if (note !== null) writeFileSync(note, JSON.stringify({ account, nowMs }));
  return { account, nowMs };
}

interface OpenedStore extends AsyncDisposable {
  readonly store: Store;
  /** Where a history that is kept is described. */
  readonly note: string | null;
  /** As quickly as the store can: a history that a crash cuts short is made anew. */
  fill(work: () => Promise<void>): Promise<void>;
  /** Seconds of CPU that the server has used so far; 0 where there is none. */
  watchServer(): Promise<() => number>;
}

async function openStore(name: string): Promise<OpenedStore> {
  if (isPostgres) return await openOnPostgres(keptIn === undefined ? null : join(resolve(keptIn), name));
  const path = join(folder, `${name}.db`);
  const store = await openSqliteStore({ path, clock: systemClock, ...KNOWN });
  const note = keptIn === undefined ? null : `${path}.json`;
  const close = () => store[Symbol.asyncDispose]();
  return { store, note, fill: (work) => work(), watchServer: async () => () => 0, [Symbol.asyncDispose]: close };
}

async function openOnPostgres(kept: string | null): Promise<OpenedStore> {
  const note = kept === null ? null : `${kept}.json`;
  const isThere = note !== null && existsSync(note);
  const cluster = await startServer(kept ?? undefined);
  // Its name has the number of the process that made it.
  const databases = "select datname from pg_database where datname like 'test%'";
  const [made] = await cluster.query(cluster.toUrl("postgres"), databases);
  const url = isThere ? cluster.toUrl(String(made?.["datname"])) : await cluster.createDatabase();
  const { store } = await openPostgresStore({ url, clock: systemClock, ...KNOWN });
  if (!isThere) await makeWeek(url, Date.now());
  const close = async (): Promise<void> => {
    await store[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  };
  const fill = async (work: () => Promise<void>): Promise<void> => {
    await hastily(cluster, work);
    await cluster.query(url, "vacuum analyze");
  };
  return { store, note, fill, watchServer: () => cpuOfServer(cluster), [Symbol.asyncDispose]: close };
}

/** As the housekeeping does meanwhile. */
async function ageFigures(store: Store, nowMs: number): Promise<void> {
  const never = { payloadsBeforeMs: 0, attemptBodiesBeforeMs: 0, rowsBeforeMs: 0 };
  while ((await store.purge({ nowMs, ...never, rowsMax: 5_000 })).purged > 0);
}

async function measureOne({ name, ask }: Question, readServer: () => number): Promise<number> {
  const times: number[] = [];
  const cpus: number[] = [];
  const serverBefore = readServer();
  for (let round = 0; round < ROUNDS; round += 1) {
    const cpuBefore = process.cpuUsage();
    const startedMs = performance.now();
    await ask();
    times.push(performance.now() - startedMs);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpus.push((user + system) / 1000);
  }
  const at = (list: number[], share: number): number =>
    list.toSorted((one, other) => one - other)[Math.ceil(list.length * share) - 1] ?? Number.NaN;
  const cpuMs = cpus.reduce((sum, ms) => sum + ms, 0) / ROUNDS;
  const serverMs = ((readServer() - serverBefore) * 1000) / ROUNDS;
  const figures = [at(times, 0.5), at(times, 0.95), at(times, 1), cpuMs, at(cpus, 0.95), serverMs];
  console.log(`| ${[name, ...figures.map((ms) => ms.toFixed(1))].join(" | ")} |`);
  return at(times, 0.95);
}

interface Context {
  readonly store: Store;
  readonly account: MadeAccount;
  readonly nowMs: number;
}

function idAt({ destinations }: MadeAccount, place: number): string {
  return destinations[place]?.id ?? "";
}

async function listQuestions({ store, account, nowMs }: Context): Promise<Question[]> {
  const list = (filter: Partial<ListDeliveries>) =>
    store.listDeliveries({ accountId: account.id, withTests: false, before: null, limit: PAGE_ROWS, ...filter });
  const { deep, eventId } = await walkDown(list);
  const filters: Readonly<Record<string, Partial<ListDeliveries>>> = {
    "log, no filter": {},
    "log, deep page": { before: deep },
    "log, with tests": { withTests: true },
    "log, one destination": { destinationId: idAt(account, 0) },
    "log, sessions only": { type: "demo_viewed" },
    "log, conversations only": { type: "chat_conversation_completed" },
    "log, an hour of the week": { createdFromMs: nowMs - daysMs(3), createdToMs: nowMs - daysMs(3) + hoursMs(1) },
    "log, an event's id": { idText: eventId },
    "log, an id that is not there": { idText: "00000000-0000-4000-8000-ffffffffffff" },
    ...statusFilters(account),
    ...responseFilters(account, deep),
  };
  const lists = Object.entries(filters).map(([name, filter]) => ({ name, ask: () => list(filter) }));
  return [...lists, ...totalQuestions({ store, account, nowMs })];
}

/** The total of a filter, as the page asks for it when there is more than one page. */
function totalQuestions({ store, account: { id: accountId, destinations }, nowMs }: Context): Question[] {
  const filters: Readonly<Record<string, Partial<ListDeliveries>>> = {
    "no filter": {},
    "one destination": { destinationId: destinations[0]?.id ?? "" },
    "an hour of the week": { createdFromMs: nowMs - daysMs(3), createdToMs: nowMs - daysMs(3) + hoursMs(1) },
    waiting: { statuses: ["waiting"] },
    delivered: { statuses: ["delivered"] },
    failed: { statuses: ["failed"] },
    "204 (rare)": { response: { status: 204 } },
    "4xx (rare)": { response: { hundreds: 4 } },
    "503": { response: { status: 503 } },
  };
  return Object.entries(filters).map(([name, filter]) => ({
    name: `total, ${name}`,
    ask: () => store.countDeliveries({ accountId, withTests: false, ...filter, rowsMax: TOTAL_ROWS_MAX }),
  }));
}

function statusFilters(account: MadeAccount): Readonly<Record<string, Partial<ListDeliveries>>> {
  return {
    "log, waiting": { statuses: ["waiting"] },
    "log, waiting of a backlog": { statuses: ["waiting"], destinationId: idAt(account, PAUSED) },
    "log, waiting: none (rare)": { statuses: ["waiting"], destinationId: idAt(account, 0) },
    "log, retrying": { statuses: ["retrying"] },
    "log, delivered": { statuses: ["delivered"] },
    "log, delivered where all fails (rare)": { statuses: ["delivered"], destinationId: idAt(account, FAILING) },
    "log, failed": { statuses: ["failed"] },
    "log, cancelled (rare)": { statuses: ["cancelled"] },
    "log, failed or cancelled": { statuses: ["failed", "cancelled"] },
  };
}

function responseFilters(
  account: MadeAccount,
  deep: DeliveryCursor | null,
): Readonly<Record<string, Partial<ListDeliveries>>> {
  return {
    "log, 2xx": { response: { hundreds: 2 } },
    "log, 204 (rare)": { response: { status: 204 } },
    "log, 3xx: none (rare)": { response: { hundreds: 3 } },
    "log, 4xx (rare)": { response: { hundreds: 4 } },
    "log, 501 (rare)": { response: { status: 501 } },
    "log, 503, deep page": { response: { status: 503 }, before: deep },
    "log, no answer": { response: "none" },
    "log, no answer but delivered: none (rare)": { response: "none", statuses: ["delivered"] },
    "log, 2xx but failed: none (rare)": { response: { hundreds: 2 }, statuses: ["failed"] },
    "log, 501 of another destination: none (rare)": {
      response: { status: 501 },
      destinationId: idAt(account, FAILING),
    },
  };
}

/** Half way down the log, page by page as a person would get there, but in larger ones. */
async function walkDown(list: (filter: Partial<ListDeliveries>) => ReturnType<Store["listDeliveries"]>) {
  let before: DeliveryCursor | null = null;
  let eventId = "";
  for (let seen = 0; seen < DELIVERIES / 4; seen += 1_000) {
    const { deliveries, next } = await list({ before, limit: 1_000 });
    eventId = deliveries[0]?.eventId ?? eventId;
    before = next ?? before;
  }
  return { deep: before, eventId };
}

async function otherQuestions({ store, account, nowMs }: Context): Promise<Question[]> {
  const { id: accountId } = account;
  const chat = { accountId, type: "chat_conversation_completed" } as const;
  const sessions = { accountId, type: "demo_viewed" } as const;
  const page = { before: null, limit: PAGE_ROWS + 1 };
  const { deliveries } = await store.listDeliveries({ accountId, withTests: false, before: null, limit: 1 });
  const deliveryId = deliveries[0]?.id ?? "";
  const newest = await store.listEvents({ ...sessions, ...page });
  const sourceId = newest[0]?.sourceId ?? "";
  const deep = { before: { seq: Math.floor((newest[0]?.seq ?? 0) / 2) }, limit: PAGE_ROWS + 1 };
  const assistantId = account.destinations.find((each) => each.assistantId !== null)?.assistantId ?? "";
  const report = { accountId, nowMs, waitingMax: WAITING_MAX, withDeleted: true };
  return [
    { name: "one delivery", ask: () => store.loadDelivery({ accountId, deliveryId }) },
    { name: "sessions", ask: () => store.listEvents({ ...sessions, ...page }) },
    { name: "sessions, deep page", ask: () => store.listEvents({ ...sessions, ...deep }) },
    { name: "conversations", ask: () => store.listEvents({ ...chat, ...page }) },
    { name: "conversations of one assistant", ask: () => store.listEvents({ ...chat, assistantId, ...page }) },
    { name: "one session", ask: () => store.loadEvent({ ...sessions, sourceId }) },
    { name: "destinations", ask: () => store.loadDestinations(report) },
    { name: "destinations, nothing counted", ask: () => store.loadDestinations({ ...report, waitingMax: 0 }) },
    { name: "replays", ask: () => store.listReplays({ accountId }) },
    ...statisticsQuestions({ store, account, nowMs }),
  ];
}

/** Each range and the one before it, as the charts ask; and the 24 bars of every destination. */
function statisticsQuestions({ store, account: { id: accountId }, nowMs }: Context): Question[] {
  const ranges = [
    { name: "1 h", spanMs: hoursMs(1), bucketMs: minutesMs(1) },
    { name: "24 h", spanMs: daysMs(1), bucketMs: minutesMs(15) },
    { name: "7 d", spanMs: daysMs(7), bucketMs: hoursMs(2) },
    { name: "30 d", spanMs: daysMs(30), bucketMs: hoursMs(12) },
    { name: "24 bars of each", spanMs: daysMs(1), bucketMs: hoursMs(1) },
  ];
  return ranges.map(({ name, spanMs, bucketMs }) => ({
    name: `figures, ${name}`,
    ask: async () => {
      const joined = name.endsWith("each") ? ("answers" as const) : ("destinations" as const);
      const span = { accountId, bucketMs, joined };
      // As the page asks: of whole hours.
      const toMs = joined === "answers" ? nowMs - (nowMs % hoursMs(1)) + hoursMs(1) : nowMs;
      await store.countAttempts({ ...span, fromMs: toMs - spanMs, toMs });
      if (joined === "answers") return;
      await store.countAttempts({ ...span, fromMs: nowMs - 2 * spanMs, toMs: nowMs - spanMs });
    },
  }));
}
