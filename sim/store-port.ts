/**
 * A node's way to the shared store: each verb travels there, runs, and its answer travels back, and on each of these
 * legs it may be late or get lost. A verb that has left its node runs even if the node dies meanwhile. With several
 * groups each part of a call travels by itself. Where calls share commits, accepts and settlements of a group travel
 * together and have one fate.
 */
import type { Clock } from "../src/lib/clock.ts";
import type { PutAccount } from "../src/store/contract/accounts.ts";
import type { Claim } from "../src/store/contract/path.ts";
import { type Store, VERBS } from "../src/store/contract/store.ts";
import type { History } from "./history.ts";
import type { Verb } from "./ledger/books.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { refuseWhileAway } from "./away-groups.ts";
import type { Arrival, Change, RunCall } from "./calls.ts";
import { joinCommits } from "./joined.ts";
import type { Mutant } from "./mutant.ts";
import type { Life, SendRecord } from "./records.ts";
import type { Simulator } from "./simulator.ts";
import { type StoreFault, type StoreWeather, toError } from "./store-weather.ts";
import { type Stores, overGroups, runOn } from "./stores.ts";

export interface StorePortOptions {
  readonly sim: Simulator;
  readonly life: Life;
  readonly clock: Clock;
  readonly stores: Stores;
  readonly ledger: Ledger;
  readonly history: History;
  readonly weather: StoreWeather;
  /** Accepts and settlements share commits. */
  readonly isJoined: boolean;
  readonly mutant: Mutant;
  /** Meets the node's fate at this call. False: it died first, and the call is not made. */
  readonly isCallMade: (verb: Verb) => boolean;
}

export function createStorePort(options: StorePortOptions): Store {
  const { sim, clock, stores, isJoined, mutant } = options;
  const travelAll = (group: number, verb: Verb, all: readonly unknown[]) => travel(options, { group, verb, all });
  const alone: RunCall = async ({ verb, params }, group) => toAnswer(await travelAll(group, verb, [params]));
  const run = isJoined ? joinCommits({ clock, alone, travelAll }) : alone;
  const tried = mutant.onRun?.(run) ?? run;
  const watched = stores.groups.all.length === 1 ? tried : refuseWhileAway(clock, tried);
  const dispatched = overGroups({ groups: stores.groups, run: watched });
  const verbs = Object.entries(dispatched) as [Verb, (params: unknown) => Promise<unknown>][];
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

function toAnswer([arrival]: readonly Arrival[]): unknown {
  if (arrival?.kind === "answered") return arrival.answer;
  throw arrival?.error;
}

interface Trip {
  readonly group: number;
  readonly verb: Verb;
  /** The params of each call. */
  readonly all: readonly unknown[];
}

function travel(options: StorePortOptions, trip: Trip): Promise<readonly Arrival[]> {
  const { sim, life, weather, isCallMade } = options;
  const { group, verb } = trip;
  if (life.isDead || !isCallMade(verb)) return new Promise(() => {});
  const { thereMs, backMs, fault } = weather.draw(group);
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
  { group, verb, all }: Trip,
  fault: StoreFault | null,
): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = [];
  noteShared(options, { verb, all, fault });
  for (const params of all) arrivals.push(await arrive(options, { group, verb, params, fault }));
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

interface Arriving {
  readonly group: number;
  readonly verb: Verb;
  readonly params: unknown;
  readonly fault: StoreFault | null;
}

async function arrive(options: StorePortOptions, { group, verb, params, fault }: Arriving): Promise<Arrival> {
  const { life, stores, ledger, history } = options;
  if (fault === "before_commit" || fault === "away")
    return failed(options, verb, { how: fault, error: toError(fault) });
  const arrival = await runOn(stores.of(group), { verb, params }).then(
    (answer): Arrival => ({ kind: "answered", answer, change: null }),
    (error: unknown): Arrival => failed(options, verb, { how: "own_fault", error }),
  );
  if (arrival.kind === "failed") return arrival;
  await ledger.note(life, { verb, params, answer: arrival.answer });
  if (fault === null) return { ...arrival, change: findChange(ledger, verb, params) };
  if (typeof params === "object" && params !== null && "claim" in params)
    ledger.noteUnheard((params.claim as Claim).token, (accountId) => stores.groupOf(accountId) === group);
  history.add({ kind: "store_failed", life, verb, how: fault, detail: "" });
  return { kind: "failed", error: toError(fault) };
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
