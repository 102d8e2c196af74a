/**
 * A node's way to the shared store: each verb travels there, runs, and its answer travels back, and on each of these
 * legs it may be late or get lost. A verb that has left its node runs even if the node dies meanwhile.
 */
import { secondsMs } from "../src/lib/duration.ts";
import { VERB_KINDS } from "../src/store/contract/verbs.ts";
import type { PutAccount } from "../src/store/contract/accounts.ts";
import type { Claim } from "../src/store/contract/path.ts";
import { type Store, StoreUnavailable } from "../src/store/contract/store.ts";
import type { Chance } from "./chance.ts";
import type { Swarm } from "./faults.ts";
import type { History } from "./history.ts";
import type { Verb } from "./ledger/books.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Life, SendRecord } from "./records.ts";
import type { Simulator } from "./simulator.ts";

/** The weather on the way to the store and back, for all nodes together. */
export interface StoreWeather {
  draw(): { readonly thereMs: number; readonly backMs: number; readonly fault: "before_commit" | "reply_lost" | null };
}

export interface StorePortOptions {
  readonly sim: Simulator;
  readonly life: Life;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly history: History;
  readonly weather: StoreWeather;
  /** Meets the node's fate at this call. False: it died first, and the call is not made. */
  readonly isCallMade: (verb: Verb) => boolean;
}

export function createStorePort(options: StorePortOptions): Store {
  const verbs = Object.keys(options.store) as Verb[];
  const port = Object.fromEntries(verbs.map((verb) => [verb, (params: unknown) => call(options, verb, params)]));
  // Nodes do not dispose of the store: the run closes it.
  return { ...port, [Symbol.asyncDispose]: () => Promise.resolve() } as unknown as Store;
}

function call(options: StorePortOptions, verb: Verb, params: unknown): Promise<unknown> {
  const { sim, life, weather, isCallMade } = options;
  if (!LOOKS.has(verb)) sim.noteActivity();
  if (life.isDead || !isCallMade(verb)) return new Promise(() => {});
  noteSettleCall(options, verb, params);
  const { thereMs, backMs, fault } = weather.draw();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  sim.after(thereMs, null, () => {
    void arrive(options, { verb, params, fault }).then((arrival) =>
      sim.after(backMs, life, () => {
        noteAnswer(options, verb, arrival);
        if (!LOOKS.has(verb) || !isNothing(verb, arrival)) sim.noteActivity();
        if (arrival.kind === "failed") reject(arrival.error);
        else resolve(arrival.answer);
      }),
    );
  });
  return promise;
}

type Arrival =
  | { readonly kind: "answered"; readonly answer: unknown; readonly change: Change | null }
  | { readonly kind: "failed"; readonly error: unknown };

/** The account's version right after a verb that changes what it has set up. */
interface Change {
  readonly accountId: string;
  readonly configVersion: number;
}

/** The person who asked for the change is told now: from here on nothing that it ended may be done by this node. */
function noteAnswer({ life, history }: StorePortOptions, verb: Verb, arrival: Arrival): void {
  if (arrival.kind === "failed" || arrival.change === null) return;
  history.add({ kind: "change_answered", life, verb, ...arrival.change });
}

interface Arriving {
  readonly verb: Verb;
  readonly params: unknown;
  readonly fault: "before_commit" | "reply_lost" | null;
}

async function arrive(options: StorePortOptions, { verb, params, fault }: Arriving): Promise<Arrival> {
  const { life, store, ledger, history } = options;
  if (fault === "before_commit") return failed(options, verb, { how: fault, error: unavailable(fault) });
  const run = store[verb] as (params: unknown) => Promise<unknown>;
  const arrival = await run(params).then(
    (answer): Arrival => ({ kind: "answered", answer, change: null }),
    (error: unknown): Arrival => failed(options, verb, { how: "own_fault", error }),
  );
  if (arrival.kind === "failed") return arrival;
  await ledger.note(life, { verb, params, answer: arrival.answer });
  if (fault === null) return { ...arrival, change: findChange(ledger, verb, params) };
  if (typeof params === "object" && params !== null && "claim" in params)
    ledger.noteUnheard((params.claim as Claim).token);
  history.add({ kind: "store_failed", life, verb, how: fault, detail: "" });
  return { kind: "failed", error: unavailable(fault) };
}

function findChange(ledger: Ledger, verb: Verb, params: unknown): Change | null {
  if (VERB_KINDS[verb] !== "set-up") return null;
  const { accountId } = verb === "putAccount" ? { accountId: (params as PutAccount).account.id } : (params as Owned);
  const configVersion = ledger.configs.latest(accountId)?.configVersion ?? 0;
  return { accountId, configVersion };
}

type Owned = { readonly accountId: string };

interface Failure {
  readonly how: "before_commit" | "own_fault";
  readonly error: unknown;
}

function failed({ life, history }: StorePortOptions, verb: Verb, { how, error }: Failure): Arrival {
  history.add({ kind: "store_failed", life, verb, how, detail: String(error) });
  return { kind: "failed", error };
}

const unavailable = (how: string): StoreUnavailable => new StoreUnavailable(`the simulated store fails: ${how}`);

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

/** A store that is away stays away for a while, for everybody. */
const AWAY_SHARE = 0.15;
const AWAY_MS_MAX = secondsMs(90);
const SLOW_MS_MAX = secondsMs(20);
/** Then the answer is old when it comes. */
const SLOW_BACK_SHARE = 0.3;

export function createStoreWeather(options: {
  readonly sim: Simulator;
  readonly swarm: Swarm;
  readonly stream: (name: string) => Chance;
  readonly areFaultsOn: () => boolean;
}): StoreWeather {
  const { sim, swarm, stream, areFaultsOn } = options;
  const dice = {
    way: stream("way"),
    error: stream("store_error"),
    lost: stream("reply_lost"),
    slow: stream("slow_store"),
  };
  let awayUntilMs = 0;
  return {
    draw() {
      const way = { thereMs: dice.way.between(0, 3), backMs: dice.way.between(0, 3), fault: null };
      if (!areFaultsOn()) return way;
      const slowMs = dice.slow.happens(swarm.rate("slow_store")) ? dice.slow.between(500, SLOW_MS_MAX) : 0;
      const isBackSlow = slowMs > 0 && dice.slow.happens(SLOW_BACK_SHARE);
      const thereMs = way.thereMs + (isBackSlow ? 0 : slowMs);
      const backMs = way.backMs + (isBackSlow ? slowMs : 0);
      const isRefused = dice.error.happens(swarm.rate("store_error"));
      if (isRefused && dice.error.happens(AWAY_SHARE)) awayUntilMs = sim.nowMs() + dice.error.between(500, AWAY_MS_MAX);
      if (isRefused || sim.nowMs() < awayUntilMs) return { ...way, thereMs, fault: "before_commit" };
      return { thereMs, backMs, fault: dice.lost.happens(swarm.rate("reply_lost")) ? "reply_lost" : null };
    },
  };
}
