/** The shards of a node: which there are, and whether each is there. New ones are found while it runs. */
import type { EventTypes } from "../../../events/event-types.ts";
import type { CancelTimer, Clock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import type { VerbAnswer } from "../../calls.ts";
import type { CommitInfo } from "../../group-commit.ts";
import { AccountAway, type VerbName } from "../../contract/store.ts";
import type { Access } from "../access.ts";
import type { PostgresCall } from "../commit-calls.ts";
import { AccountElsewhere, withStoreError } from "../failures.ts";
import type { Connection } from "../connection/connection.ts";
import { describeUrl } from "../connection/connections.ts";
import type { Pooler } from "../connection/server.ts";
import { acceptElsewhere } from "../inbox.ts";
import type { Forms } from "../schema/forms.ts";
import { type OpenedShard, openShard } from "../shard.ts";
import { commit, type Database, readOnce } from "../transaction.ts";
import { type Directory, HOME_SHARD, listMoving, openDirectory, type ShardRow } from "./directory.ts";
import { assertIsOurs, loadHomeMark, renewHome, renewMark } from "./home-mark.ts";
import { completeMove } from "./move/complete-move.ts";
import { overDatabases } from "./move/steps.ts";
import { createReach } from "./reach.ts";
import { callShards, type Shard } from "./shards.ts";
import { type ShardCall, ShardWatch } from "./watch.ts";

export interface ShardFigure {
  readonly name: string;
  /** Without a password. */
  readonly place: string;
  readonly isAway: boolean;
  /** As it was counted last; `null`: it could not be asked. */
  readonly waits: { readonly waiting: number; readonly oldestDueAtMs: number | null } | null;
}

export interface ShardFigures {
  /** Those beside each other; empty where the home shard is the only one. */
  list(): readonly ShardFigure[];
  /** From now on `onCall` is called at the end of each call of one of them. */
  follow(onCall: (call: ShardCall) => void): void;
}

export interface OpenShards {
  readonly home: OpenedShard;
  readonly openAddress: (sealed: string) => string;
  readonly pooler: Pooler;
  readonly clock: Clock;
  readonly types: EventTypes;
  /** The home database's time. */
  readonly nowMs: () => number;
  readonly newForms: () => Forms;
  readonly onCommit: (info: CommitInfo) => void;
  readonly onHint: (() => void) | null;
}

export interface Shards extends ShardFigures {
  readonly call: Access["call"];
  close(): Promise<void>;
}

/** How late a node may know of a shard that was added. A call about an account in it looks at once. */
const LOOKED_EVERY_MS = secondsMs(15);
/** Moves that are ended after a look; others are left to the next one. Guess. */
const MOVING_MAX = 100;
/** The shortest time between two looks while a shard fails: its address or password may have changed. */
const LOOKED_EVERY_MS_FAILING = secondsMs(1);

interface Known extends Shard {
  readonly place: string;
  /** What it was opened by: another one of the same name takes its place. */
  readonly row: ShardRow | null;
  /** Its connections for what is not the path. */
  database(): Promise<Database>;
  close(): Promise<void>;
}

export async function openShards(options: OpenShards): Promise<Shards> {
  const { home, clock, nowMs } = options;
  const directory = openDirectory(home.side);
  let onCall: (call: ShardCall) => void = () => {};
  const known = await knowShards(options, { directory, tell: (call) => onCall(call), onLook: endMoves });
  const endMove = (accountId: string): Promise<void> =>
    withStoreError(completeMove(overDatabases({ directory: home.side, shard: known.databaseOf }), accountId));
  let counted: ReadonlyMap<string, VerbAnswer<"countWaiting">> = new Map();
  const call = callShards({
    list: known.list,
    lookAgain: known.lookAgain,
    directory,
    clock: { after: clock.after, nowMs },
    completeMove: endMove,
    acceptElsewhere: (seqs, work) => withStoreError(acceptElsewhere(home.side, seqs, work)),
    onAll(verb, answers) {
      if (verb === "countWaiting") counted = answers as ReadonlyMap<string, VerbAnswer<"countWaiting">>;
    },
  });
  /**
   * Ends moves that are past their point of no return. The mover may have died, and then neither shard sends the
   * account's webhooks until somebody asks for the account.
   */
  async function endMoves(): Promise<void> {
    const accountIds = await readOnce(home.side, ({ db }) => listMoving(db, MOVING_MAX));
    // One whose shard is away is left to a later look.
    for (const accountId of accountIds) await endMove(accountId).catch(() => {});
  }

  const running = new Set<Promise<unknown>>();
  return {
    call(asked) {
      const answer = call(asked);
      running.add(answer);
      const end = (): void => void running.delete(answer);
      answer.then(end, end);
      return answer;
    },
    list() {
      const shards = known.list();
      if (shards.length === 1) return [];
      return shards.map(({ name, place, isHere }) => {
        return { name, place, isAway: !isHere, waits: isHere ? (counted.get(name) ?? null) : null };
      });
    },
    follow: (listener) => void (onCall = listener),
    async close() {
      while (running.size > 0) await Promise.allSettled(running);
      await known.close();
    },
  };
}

interface KnowShards {
  readonly directory: Pick<Directory, "listShards">;
  readonly tell: (call: ShardCall) => void;
  /** Where there are several, after each look but the first. */
  readonly onLook: () => Promise<void>;
}

/** Those of the directory, which is looked into again and again. The home shard is the first. */
async function knowShards(options: OpenShards, { directory, tell, onLook }: KnowShards) {
  const { home, clock } = options;
  const isAlone = (): boolean => known.length === 1;
  const ofHome = { name: HOME_SHARD, row: null, place: describeUrl(home.connections.url), tell, isAlone };
  const first = watched(options, { ...ofHome, onFailure: () => {} }, { open: () => home, close: home.close });
  let known: readonly Known[] = [first];
  /** Another home has taken them: they are opened anew, which says so. */
  let taken: ReadonlySet<Known> = new Set();
  const ending = new Set<Promise<void>>();
  let looking: Promise<void> | null = null;
  let lookedAtMs = -Infinity;
  let cancel: CancelTimer = () => {};
  let isClosed = false;

  async function look(): Promise<void> {
    lookedAtMs = clock.monotonicMs();
    const rows = await directory.listShards();
    const before = known;
    const others = rows.map((row) => {
      const same = before.find((one) => one.name === row.name && isSame(one.row, row) && !taken.has(one));
      const { name, place } = row;
      return same ?? watched(options, { name, row, place, tell, isAlone, onFailure }, reopening(options, row));
    });
    known = [first, ...others];
    for (const gone of before.filter((one) => !known.includes(one))) {
      // Its server may hang, and nobody waits for that.
      const end = gone.close().catch(() => {});
      ending.add(end);
      void end.then(() => ending.delete(end));
    }
  }

  const lookAgain = (): Promise<void> => (looking ??= look().finally(() => (looking = null)));

  function onFailure(): void {
    if (!isClosed && clock.monotonicMs() >= lookedAtMs + LOOKED_EVERY_MS_FAILING) void lookAgain().catch(() => {});
  }

  function lookLater(): void {
    // Where it cannot be looked into, those that are known stay.
    if (!isClosed) cancel = clock.after(LOOKED_EVERY_MS, () => void lookOnce().then(lookLater, lookLater));
  }

  async function lookOnce(): Promise<void> {
    await lookAgain();
    if (isClosed || isAlone()) return;
    taken = await renewMarks(home.side, known.slice(1));
    if (taken.size > 0) await lookAgain();
    await onLook();
  }

  await lookAgain();
  lookLater();
  return {
    list: () => known,
    lookAgain,
    async databaseOf(name: string): Promise<Database> {
      const shard = known.find((one) => one.name === name);
      if (shard === undefined) throw new AccountAway(`this node does not know shard ${name} yet`);
      return await shard.database();
    },
    async close(): Promise<void> {
      isClosed = true;
      cancel();
      await Promise.all([...ending, ...known.map((shard) => shard.close())]);
    },
  };
}

/** Tells each shard whose it is. Returns those that are another home's by now. */
async function renewMarks(home: Database, shards: readonly Known[]): Promise<ReadonlySet<Known>> {
  const ours = await renewHome(home);
  const taken = new Set<Known>();
  if (ours === null) return taken;
  const renew = async (shard: Known): Promise<void> => {
    const there = await shard.database();
    if (!(await commit(there, "nothing", ({ db }) => renewMark(db, ours)))) taken.add(shard);
  };
  // One that is away is told later.
  await Promise.allSettled(shards.map(renew));
  return taken;
}

const isSame = (one: ShardRow | null, other: ShardRow): boolean =>
  one !== null && one.sealedAddress === other.sealedAddress && one.schema === other.schema;

interface Openable {
  open(): OpenedShard | Promise<OpenedShard>;
  close(): Promise<void>;
}

/** Opened when it is asked for the first time, and again and again while that fails. */
function reopening(options: OpenShards, { name, sealedAddress, schema }: ShardRow): Openable {
  const { home, openAddress, pooler, clock, types, newForms, onCommit, onHint } = options;

  async function openAnew(): Promise<OpenedShard> {
    const { url: homeUrl, urlNow: homeUrlNow = () => homeUrl } = home.connections;
    const url = sealedAddress === null ? homeUrlNow() : openAddress(sealedAddress);
    const measure = (): Promise<void> => Promise.resolve();
    const urlNow = sealedAddress === null ? homeUrlNow : () => url;
    const ours = await readOnce(home.side, ({ db }) => loadHomeMark(db));
    const admit = (db: Connection): Promise<void> => assertIsOurs(db, { ours, name });
    const own = { url, urlNow, schema, isHome: false, admit, forms: newForms(), measure };
    const shard = await openShard({ ...own, pooler, clock, types, onCommit, onHint });
    // Where that fails, the next look does it.
    if (ours !== null) await commit(shard.side, "nothing", ({ db }) => renewMark(db, ours)).catch(() => {});
    return shard;
  }

  return createReach(clock, openAnew);
}

interface Watched {
  readonly name: string;
  readonly row: ShardRow | null;
  readonly place: string;
  readonly tell: (call: ShardCall) => void;
  /** Called when a call or a probe of it has failed. */
  readonly onFailure: () => void;
  /** It is the only one, so that nothing is to be kept from waiting for it. */
  readonly isAlone: () => boolean;
}

function watched(
  { clock }: OpenShards,
  { name, row, place, tell, onFailure, isAlone }: Watched,
  { open, close }: Openable,
): Known {
  const first = open();
  let opened: OpenedShard | null = first instanceof Promise ? null : first;
  // Who asks next hears why it cannot be.
  if (first instanceof Promise) first.catch(() => {});
  const withOpened = async <Value>(work: (shard: OpenedShard) => Promise<Value>): Promise<Value> => {
    try {
      opened = await open();
      return await work(opened);
    } catch (error) {
      if (!(error instanceof AccountElsewhere)) onFailure();
      throw error;
    }
  };
  const probe = (): Promise<void> => withOpened((shard) => shard.probe());
  const ask = (call: PostgresCall): Promise<VerbAnswer<VerbName>> => withOpened((shard) => shard.call(call));
  const watch = new ShardWatch({ name, clock, probe, onCall: tell });
  return {
    name,
    row,
    place,
    get isHere() {
      return watch.isHere;
    },
    // One that is away refuses at once, as it refuses calls.
    database: () => watch.ask(() => withOpened(async ({ side }) => side)),
    call: (call) => (isAlone() && opened !== null ? opened.call(call) : watch.ask(() => ask(call))),
    async close() {
      watch[Symbol.dispose]();
      await close();
    },
  };
}
