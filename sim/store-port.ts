/**
 * A node's way to the shared store: each verb travels there, runs, and its answer travels back, and on each of these
 * legs it may be late or get lost. A verb that has left its node runs even if the node dies meanwhile. With several
 * shards each part of a call travels by itself. Where calls share commits, accepts and settlements of a shard travel
 * together and have one fate.
 */
import type { Clock } from "../src/lib/clock.ts";
import type { PutAccount } from "../src/store/contract/accounts.ts";
import type { Claim, SettleAttempts, Settlement } from "../src/store/contract/path.ts";
import { type Store, VERBS } from "../src/store/contract/store.ts";
import { AccountElsewhere, isLockedOut, toStoreError, withStoreError } from "../src/store/postgres/failures.ts";
import { completeMove } from "../src/store/postgres/shards/move/complete-move.ts";
import type { History } from "./history.ts";
import type { Verb } from "./ledger/books.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Arrival, Change, RunCall, SimCall } from "./calls.ts";
import { joinCommits } from "./joined.ts";
import { fenceOf, holdFence, listElsewhere } from "./moves/fences.ts";
import type { Movers } from "./moves/movers.ts";
import { directoryOver } from "./moves/steps.ts";
import type { Mutant } from "./mutant.ts";
import type { Life, SendRecord } from "./records.ts";
import type { Simulator } from "./simulator.ts";
import { type StoreFault, type StoreWeather, toError } from "./store-weather.ts";
import { type OverShards, type Stores, overShards, runOn, toDirectory } from "./stores.ts";
import type { Upgrade } from "./upgrade.ts";
import { createWays, type Ways } from "./ways.ts";

export interface StorePortOptions {
  readonly sim: Simulator;
  readonly life: Life;
  readonly clock: Clock;
  readonly stores: Stores;
  readonly ledger: Ledger;
  readonly history: History;
  readonly weather: StoreWeather;
  /** `null`: all shards are of this node's version. */
  readonly upgrade: Upgrade | null;
  /** `null`: accounts stay where they are. */
  readonly movers: Pick<Movers, "over"> | null;
  /** Accepts and settlements share commits. */
  readonly isJoined: boolean;
  readonly mutant: Mutant;
  /** Meets the node's fate at this call. False: it died first, and the call is not made. */
  readonly isCallMade: (verb: Verb) => boolean;
}

export function createStorePort(options: StorePortOptions): Store {
  const { sim, clock, stores, isJoined, mutant } = options;
  const travelAll = (shard: string, verb: Verb, all: readonly unknown[]) => travel(options, { shard, verb, all });
  const alone: RunCall = async ({ verb, params, mayBeMissing = false }, shard) =>
    toAnswer(await travel(options, { shard, verb, all: [params], mayBeMissing }));
  const run = isJoined ? joinCommits({ clock, alone, travelAll }) : alone;
  const ways = createWays({ ...options, shards: stores.shards });
  const watched = stores.shards.length === 1 ? run : refuseWhileAway(options, ways, run);
  const over = { shards: stores.shards, run: mutant.onRun?.(watched) ?? watched, ...findAccounts(options, ways) };
  const sent = overShards(over);
  const verbs = Object.entries(sent) as [Verb, (params: unknown) => Promise<unknown>][];
  const port = verbs.map(([verb, send]) => [
    verb,
    (params: unknown) => {
      if (!LOOKS.has(verb)) sim.noteActivity();
      noteSettleCall(options, verb, params);
      return send(params);
    },
  ]);
  // Nodes do not dispose of the store: the run closes it.
  return { ...Object.fromEntries(port), [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** How this node learns where accounts are, and what it does about a move that stands between its shards. */
function findAccounts(
  { stores, movers, life, history }: StorePortOptions,
  ways: Ways,
): Pick<OverShards, "directory" | "completeMove"> {
  if (movers === null) return { directory: toDirectory(stores.shardOf) };
  const over = movers.over(life, { mayUse: (shard) => ways.ask(shard, () => Promise.resolve()) });
  return {
    directory: directoryOver(over),
    completeMove: (accountId) =>
      withStoreError(
        completeMove(over, accountId, async (what) => {
          history.add({ kind: "moving", by: life.name, accountId, what, detail: "for a call" });
        }),
      ),
  };
}

/** Production's own watch of each shard. It gives calls up that hang; these may have been done all the same. */
function refuseWhileAway(options: StorePortOptions, ways: Ways, run: RunCall): RunCall {
  const { life, history } = options;
  return async (call, shard) => {
    let isOpen = false;
    const ask = async (): Promise<unknown> => {
      isOpen = true;
      return await run(call, shard).finally(() => (isOpen = false));
    };
    try {
      return await ways.ask(shard, ask);
    } catch (error) {
      if (isOpen) history.add({ kind: "store_failed", life, verb: call.verb, how: "reply_lost", detail: "given up" });
      if (isOpen) noteUnheard(options, { ...call, shard });
      throw error;
    }
  };
}

function toAnswer([arrival]: readonly Arrival[]): unknown {
  if (arrival?.kind === "answered") return arrival.answer;
  throw arrival?.error;
}

interface Trip {
  readonly shard: string;
  readonly verb: Verb;
  /** The params of each call. */
  readonly all: readonly unknown[];
  readonly mayBeMissing?: boolean;
}

function travel(options: StorePortOptions, trip: Trip): Promise<readonly Arrival[]> {
  const { sim, life, weather, isCallMade } = options;
  const { shard, verb } = trip;
  if (life.isDead || !isCallMade(verb)) return new Promise(() => {});
  const { thereMs, backMs, fault } = weather.draw(shard);
  const { promise, resolve } = Promise.withResolvers<readonly Arrival[]>();
  sim.after(thereMs, null, () => {
    void arriveAll(options, trip, fault).then((arrivals) =>
      sim.after(backMs, life, () => {
        for (const arrival of arrivals) noteAnswer(options, verb, arrival);
        if (!LOOKS.has(verb) || !arrivals.every((arrival) => isNothing(verb, arrival))) sim.noteActivity();
        resolve(arrivals);
      }),
    );
  });
  return promise;
}

async function arriveAll(
  options: StorePortOptions,
  { shard, verb, all, mayBeMissing = false }: Trip,
  fault: StoreFault | null,
): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = [];
  noteShared(options, { verb, all, fault });
  for (const params of all) arrivals.push(await arrive(options, { shard, verb, params, mayBeMissing, fault }));
  return arrivals;
}

function noteShared(
  { life, history }: StorePortOptions,
  { verb, all, fault }: Pick<Trip, "verb" | "all"> & { readonly fault: StoreFault | null },
): void {
  const patient = all.filter((params) => (params as { readonly isPatient?: boolean }).isPatient === true).length;
  if (all.length > 1) history.add({ kind: "shared", life, verb, calls: all.length, patient, fault });
}

/** The person who asked for the change is told now: from here on nothing that it ended may be done by this node. */
function noteAnswer({ life, history }: StorePortOptions, verb: Verb, arrival: Arrival): void {
  if (arrival.kind === "failed" || arrival.change === null) return;
  history.add({ kind: "change_answered", life, verb, ...arrival.change });
}

interface Arriving extends Required<SimCall> {
  readonly shard: string;
  readonly fault: StoreFault | null;
}

async function arrive(options: StorePortOptions, arriving: Arriving): Promise<Arrival> {
  const { life, ledger, history } = options;
  const { shard, verb, params, fault } = arriving;
  if (fault === "before_commit" || fault === "away")
    return failed(options, verb, { how: fault, error: toError(fault) });
  const arrival = await runFenced(options, arriving);
  if (arrival.kind === "failed") return arrival;
  if (fault === null) return { ...arrival, change: findChange(ledger, verb, params) };
  noteUnheard(options, { params, shard });
  history.add({ kind: "store_failed", life, verb, how: fault, detail: "" });
  return { kind: "failed", error: toError(fault) };
}

async function runFenced(options: StorePortOptions, arriving: Arriving): Promise<Arrival> {
  const { stores, upgrade, mutant, ledger, life } = options;
  const { shard, verb, params } = arriving;
  if (upgrade?.isCurrent(shard) === false) options.history.add({ kind: "misused", life, verb, shard });
  const server = stores.servers?.get(shard);
  const found = server === undefined ? "nothing" : fenceOf(arriving);
  const fence = mutant.onFence?.(found, arriving) ?? found;
  try {
    using held = server === undefined ? null : await holdFence(server, fence);
    if (held?.hasWaited === true) noteMet(options, arriving, "waited");
    const run = async (): Promise<Arrival> => {
      const elsewhere = server === undefined ? [] : await listElsewhere(server, found);
      const answer = await runHere(stores.of(shard), arriving, elsewhere);
      await ledger.note(life, { verb, shard, elsewhere, params, answer });
      return { kind: "answered", answer, change: null };
    };
    return await (server === undefined ? run() : server.turns.run(shard, run));
  } catch (error) {
    if (error instanceof AccountElsewhere) {
      noteMet(options, arriving, "elsewhere");
      return { kind: "failed", error };
    }
    const failure = isLockedOut(error)
      ? ({ how: "before_commit", error: toStoreError(error) } as const)
      : ({ how: "own_fault", error } as const);
    return failed(options, verb, failure);
  }
}

/** As on PostgreSQL, rows of an account that does not live in this shard are not settled: they are a copy. */
async function runHere(store: Store, call: SimCall, elsewhere: readonly string[]): Promise<unknown> {
  if (elsewhere.length === 0 || call.verb !== "settleAttemptsIfClaimed") return await runOn(store, call);
  const params = call.params as SettleAttempts;
  const isHere = ({ accountId }: Settlement): boolean => !elsewhere.includes(accountId);
  const answers = await store.settleAttemptsIfClaimed({ ...params, settlements: params.settlements.filter(isHere) });
  const left = [...answers];
  return params.settlements.map((settlement) => (isHere(settlement) ? left.shift() : { kind: "claim_lost" }));
}

function noteMet({ life, history }: StorePortOptions, { verb, shard }: Arriving, what: "waited" | "elsewhere"): void {
  history.add({ kind: "moving", by: life.name, accountId: "", what, detail: `${verb} in shard ${shard}` });
}

function noteUnheard({ ledger }: StorePortOptions, { params, shard }: Pick<Arriving, "params" | "shard">): void {
  if (typeof params !== "object" || params === null || !("claim" in params)) return;
  ledger.noteUnheard((params.claim as Claim).token, shard);
}

function findChange(ledger: Ledger, verb: Verb, params: unknown): Change | null {
  if (VERBS[verb].kind !== "set-up") return null;
  const { accountId } = verb === "putAccount" ? { accountId: (params as PutAccount).account.id } : (params as Owned);
  const configVersion = ledger.configs.latest(accountId)?.configVersion ?? 0;
  return { accountId, configVersion };
}

type Owned = { readonly accountId: string };

interface Failure {
  readonly how: "before_commit" | "away" | "own_fault";
  readonly error: unknown;
}

function failed({ life, history }: StorePortOptions, verb: Verb, { how, error }: Failure): Arrival {
  history.add({ kind: "store_failed", life, verb, how, detail: String(error) });
  return { kind: "failed", error };
}

/** A look that found nothing is no sign of life: nodes go on looking when everything has ended. */
const LOOKS: ReadonlySet<Verb> = new Set(["claimDueDeliveries", "findNextDue"]);

const isNothing = (verb: Verb, arrival: Arrival): boolean =>
  arrival.kind === "answered" &&
  (verb === "findNextDue" || (Array.isArray(arrival.answer) && arrival.answer.length === 0));

/** Counted when it is called: a settlement that gets lost on its way is no settlement that was forgotten. */
function noteSettleCall({ ledger, life }: StorePortOptions, verb: Verb, params: unknown): void {
  if (verb !== "settleAttemptsIfClaimed") return;
  const { settlements } = params as Parameters<Store["settleAttemptsIfClaimed"]>[0];
  for (const { deliveryId, claimToken } of settlements) {
    const sends = ledger.deliveries.get(deliveryId)?.sends.filter((send) => send.life === life) ?? [];
    // With several claims on one node it only shows now which request was made under which.
    const isOpen = ({ settleCalls, endedAtMs }: SendRecord) => settleCalls === 0 && endedAtMs !== null;
    const guessed = sends.some(({ isClaimGuessed }) => isClaimGuessed) ? sends.find(isOpen) : undefined;
    const send = guessed ?? sends.find(({ claim }) => claim?.token === claimToken);
    if (send !== undefined) send.settleCalls += 1;
  }
}
