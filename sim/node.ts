/**
 * A node: a machine with a clock of its own, and the lives that run on it one after the other. Between the ports it is
 * the code of production, put together as `app.ts` does it; a life that crashed leaves nothing behind but the store.
 */
import { createAccountCache } from "../src/accounts/account-cache.ts";
import type { AccountsContext } from "../src/accounts/context.ts";
import { type Acceptance, accept } from "../src/delivery/accept.ts";
import type { DeliveryContext } from "../src/delivery/context.ts";
import { type Engine, createEngine } from "../src/delivery/engine.ts";
import { createHousekeeping } from "../src/delivery/housekeeping.ts";
import { createLoopWork } from "../src/delivery/loop-work.ts";
import { MadeBodies } from "../src/delivery/made-bodies.ts";
import { resendAll, sendWaiting, setReplayState, startReplay } from "../src/delivery/resend.ts";
import type { DeliveryReport } from "../src/delivery/report.ts";
import type { Result } from "../src/domain/problem.ts";
import { RETRY_SCHEDULE } from "../src/domain/retry-schedule.ts";
import { LIMITS } from "../src/domain/limits.ts";
import { daysMs } from "../src/lib/duration.ts";
import type { ParsedRecord } from "../src/events/event-type.ts";
import type { Clock } from "../src/lib/clock.ts";
import type { Sealer } from "../src/lib/seal.ts";
import { START_MS } from "../test/kit/world/virtual-clock.ts";
import type { Chance } from "./chance.ts";
import type { Fates, PortCall } from "./fates.ts";
import type { Swarm } from "./faults.ts";
import type { History } from "./history.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Movers } from "./moves/movers.ts";
import type { Mutant } from "./mutant.ts";
import { createNetwork } from "./network.ts";
import type { Receivers } from "./receivers.ts";
import { type Machine, meetFate, stopInOrder } from "./life.ts";
import type { Life } from "./records.ts";
import { OWNER } from "./set-up.ts";
import type { Simulator } from "./simulator.ts";
import { createStorePort } from "./store-port.ts";
import type { StoreWeather } from "./store-weather.ts";
import type { Stores } from "./stores.ts";
import { TYPES } from "./event-types.ts";
import type { Upgrade } from "./upgrade.ts";

/** The things that all nodes share. */
export interface Surroundings {
  readonly sim: Simulator;
  readonly stores: Stores;
  /** `null`: all shards are of the nodes' version. */
  readonly upgrade: Upgrade | null;
  /** `null`: accounts stay where they are. */
  readonly movers: Pick<Movers, "over"> | null;
  readonly ledger: Ledger;
  readonly history: History;
  readonly weather: StoreWeather;
  readonly fates: Fates;
  readonly swarm: Swarm;
  readonly receivers: Receivers;
  readonly sealer: Sealer;
  /** Several machines on one store. One alone works as on SQLite: it knows of every change by itself. */
  readonly isShared: boolean;
  readonly mutant: Mutant;
  readonly stream: (name: string) => Chance;
}

export interface Node {
  readonly life: Life;
  readonly accounts: AccountsContext;
  readonly engine: Engine;
  accept(accountId: string, records: readonly ParsedRecord[]): Promise<Result<readonly Acceptance[]>>;
  resend(accountId: string, deliveryIds: readonly string[]): Promise<unknown>;
  sendWaiting(accountId: string, destinationId: string): Promise<unknown>;
  /**
   * Replays everything that has ended. `actor` is the replay's own, so that what it does can be told from everything
   * else.
   */
  replay(accountId: string, actor: string): Promise<unknown>;
  cancelReplay(accountId: string, replayId: string): Promise<unknown>;
  /** One step: replays move on, what is too old goes. */
  keepHouse(): Promise<unknown>;
  /** As on SIGTERM: answers what it has taken on, gives back, waits; ends the life in any case. Twice is fine. */
  stop(): void;
}

/** Plenty: what holds a run's lanes back is their own limit. */
const HELD_MAX = 1_024;

/** Short, so that payloads are purged while deliveries that need them still wait; rows are counted at the end. */
const RETENTION = { payloadMs: daysMs(1), attemptBodyMs: daysMs(1), rowMs: daysMs(365) };

const REPLAY_RATE_PER_SECOND = 5;
const ENDED = { states: ["delivered", "failed", "cancelled"] } as const;

/** Begins the machine's next life. */
export function startSimulatedNode(around: Surroundings, machine: Machine, onEnd: (life: Life) => void): Node {
  const { sim, history, mutant } = around;
  machine.lives += 1;
  const life: Life = {
    name: `${machine.name}.${machine.lives}`,
    isDead: false,
    hasCrashed: false,
    isStopping: false,
    pausedUntilMs: 0,
    nowMs: () => sim.nowMs() + machine.offsetMs,
  };
  const stop = () => stopInOrder(around, { life, engine, underWay, onEnd });
  const isCallMade = (call: PortCall) => meetFate(around, { machine, life, onEnd, stop }, call);
  const plain = createContext(around, life, isCallMade);
  const ctx = mutant.onContext?.(plain) ?? plain;
  const busy = around.stream(`busy ${life.name}`);
  const engine = createEngine(ctx, {
    deliveriesMax: mutant.deliveriesMax ?? HELD_MAX,
    loopWork: createLoopWork(ctx.clock, () => (busy.happens(around.swarm.rate("busy")) ? 1 : 0)),
  });
  const housekeeping = createHousekeeping(ctx, engine, RETENTION);
  const acceptingEngine = mutant.onAcceptingEngine?.(engine, ctx) ?? engine;
  const underWay = new Set<Promise<unknown>>();
  history.add({ kind: "life", life, what: "started", detail: "" });
  engine.start();
  return {
    life,
    engine,
    accounts: toAccountsContext(around, ctx),
    async accept(accountId, records) {
      const answering = accept({ ctx, engine: acceptingEngine }, accountId, records);
      underWay.add(answering);
      try {
        return await answering;
      } finally {
        underWay.delete(answering);
      }
    },
    resend: (accountId, deliveryIds) => resendAll({ ctx, engine }, { accountId, deliveryIds, by: OWNER }),
    sendWaiting: (accountId, destinationId) => sendWaiting({ ctx, engine }, { accountId, destinationId, by: OWNER }),
    replay: (accountId, actor) =>
      startReplay(
        { ctx, engine },
        {
          accountId,
          filter: ENDED,
          ratePerSecond: REPLAY_RATE_PER_SECOND,
          startPaused: false,
          by: { person: actor, role: "owner" },
        },
      ),
    cancelReplay: (accountId, replayId) =>
      setReplayState({ ctx, engine }, { accountId, replayId, state: "cancelled", by: OWNER }),
    keepHouse: housekeeping.step,
    stop,
  };
}

function createContext(around: Surroundings, life: Life, isCallMade: (call: PortCall) => boolean): DeliveryContext {
  const { sim, ledger, history, receivers, mutant, sealer, isShared, swarm } = around;
  const clock: Clock = {
    nowMs: life.nowMs,
    monotonicMs: () => sim.nowMs() - START_MS,
    after: (delayMs, fire) => sim.timer(delayMs, life, fire),
  };
  const random = around.stream(`node ${life.name}`);
  const port = createStorePort({ ...around, clock, life, isCallMade, isJoined: swarm.isOn("joined") });
  const store = mutant.onPort?.(port, { life, sim, random }) ?? port;
  const deadlineMs = mutant.deadlineMs ?? LIMITS.attemptDeadlineMs;
  const chance = around.stream(`connecting ${life.name}`);
  const network = createNetwork({ sim, life, receivers, ledger, history, deadlineMs, swarm, chance });
  return {
    clock,
    random,
    store,
    accounts: createAccountCache({ store, sealer, clock, isShared }),
    send: (request, mayStart) =>
      life.isDead || !isCallMade("send") ? new Promise(() => {}) : network(request, mayStart),
    bodies: new MadeBodies({ store, types: TYPES, clock }),
    report: reportTo(history, life),
    names: { signatureHeader: "x-service-signature", userAgent: "Bellwire/simulated" },
    schedule: RETRY_SCHEDULE,
  };
}

function reportTo(history: History, life: Life): DeliveryReport {
  return {
    accepted: ({ accepted, duplicates }) => history.add({ kind: "told_accepted", life, accepted, duplicates }),
    attempted: ({ deliveryId }) => history.add({ kind: "told", life, what: "attempted", about: deliveryId }),
    claimLost: ({ deliveryId }) => history.add({ kind: "told", life, what: "claim_lost", about: deliveryId }),
    queued: () => {},
    assistantsCreated: () => {},
    claimed: () => {},
    turnedOff: () => {},
    tested: () => {},
    replaysStepped: () => {},
    pulled: () => {},
    failed: ({ what, error }) => history.add({ kind: "told_failed", life, what, error }),
  };
}

function toAccountsContext({ sealer }: Surroundings, ctx: DeliveryContext): AccountsContext {
  return {
    store: ctx.store,
    types: TYPES,
    accounts: ctx.accounts,
    sealer,
    clock: ctx.clock,
    random: ctx.random,
    checkUrl: () => Promise.resolve(null),
    signatureHeader: ctx.names.signatureHeader,
    publicUrl: () => "https://bellwire.example.com",
  };
}
