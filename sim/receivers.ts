/**
 * The receivers of a run. Each has a mood: healthy, or some of the faults that the seed switched on. The answer that a
 * request meets is drawn when it starts: when it reaches the receiver, whether the receiver takes it, and what comes
 * back when.
 */
import type { AttemptPhase, Outcome } from "../src/domain/attempt.ts";
import type { Chance } from "./chance.ts";
import { FAULTS, FAULT_NAMES, type FaultName, type ReceiverFault, type Swarm } from "./faults.ts";

/** The fate of one request, were there no deadline. */
export interface Meeting {
  /** When the receiver has the whole request; `null`: never. */
  readonly reachesAfterMs: number | null;
  /** The status that the receiver answers, whether it arrives or not. */
  readonly status: number;
  readonly endsAfterMs: number;
  readonly outcome: Outcome;
  /** The phase that is under way when the deadline comes first. */
  readonly phase: AttemptPhase;
}

export interface Receivers {
  readonly hosts: readonly string[];
  /** Never anything but a quick 2xx, in the whole run. */
  isHealthy(host: string): boolean;
  meet(host: string, nowMs: number): Meeting;
}

export interface ReceiversOptions {
  readonly swarm: Swarm;
  readonly chance: Chance;
  readonly count: number;
  /** False once the run heals: then everybody answers 2xx. */
  readonly areFaultsOn: () => boolean;
}

interface Receiver {
  readonly rates: ReadonlyMap<ReceiverFault, number>;
  readonly flapMs: number;
}

const HEALTHY_SHARE = 0.35;

export function createReceivers({ swarm, chance, count, areFaultsOn }: ReceiversOptions): Receivers {
  const receivers = new Map<string, Receiver>();
  for (let number = 1; number <= count; number += 1) {
    receivers.set(`r${number}.example.com`, drawReceiver(swarm, chance));
  }
  const hosts = [...receivers.keys()];
  const hole = swarm.isOn("black_hole") ? chance.pick(hosts) : null;
  return {
    hosts,
    isHealthy: (host) => host !== hole && receivers.get(host)?.rates.size === 0,
    meet(host, nowMs) {
      const receiver = receivers.get(host);
      if (receiver === undefined) throw new Error(`there is no receiver ${host}`);
      if (!areFaultsOn()) return taken(chance, nowMs);
      if (swarm.isOn("shortage") && chance.happens(swarm.rate("shortage"))) return unsent(chance);
      if (host === hole) return hang(chance.pick(["connect", "headers"]));
      for (const [name, rate] of receiver.rates) {
        if (chance.happens(name === "flap" ? Number(isDown(receiver, nowMs)) : rate))
          return MEETINGS[name](chance, nowMs);
      }
      return taken(chance, nowMs);
    },
  };
}

function drawReceiver(swarm: Swarm, chance: Chance): Receiver {
  const rates = new Map<ReceiverFault, number>();
  const isHealthy = chance.happens(HEALTHY_SHARE);
  for (const name of FAULT_NAMES.filter(isReceiverFault)) {
    const isMine = chance.happens(0.6) && !isHealthy && name !== "black_hole";
    if (isMine && swarm.isOn(name)) rates.set(name, swarm.rate(name));
  }
  return { rates, flapMs: chance.between(20, 900) * 1000 };
}

const isReceiverFault = (name: FaultName): name is ReceiverFault => FAULTS[name].kind === "receivers";

const isDown = ({ flapMs }: Receiver, nowMs: number): boolean => Math.floor(nowMs / flapMs) % 2 === 1;

type Draw = (chance: Chance, nowMs: number) => Meeting;

const taken: Draw = (chance) => answer(chance, { status: chance.pick([200, 200, 200, 201, 202, 204]) });
const failing: Draw = (chance) => answer(chance, { status: chance.pick([500, 502, 503, 504]) });

const MEETINGS: Readonly<Record<ReceiverFault, Draw>> = {
  answer_lost: (chance) => {
    const meeting = taken(chance, 0);
    // Half of them are noticed at once, the other half only by the deadline.
    return chance.happens(0.5)
      ? { ...meeting, outcome: broken("ECONNRESET") }
      : { ...meeting, endsAfterMs: Infinity, phase: "headers" };
  },
  client_error: (chance) => answer(chance, { status: chance.pick([302, 400, 401, 404, 422]) }),
  server_error: failing,
  gone: (chance) => answer(chance, { status: 410 }),
  rate_limited: (chance, nowMs) =>
    answer(chance, { status: chance.pick([429, 429, 503]), headers: { "retry-after": retryAfter(chance, nowMs) } }),
  hang: (chance) => hang(chance.pick(["dns", "connect", "headers", "body"])),
  drip: (chance) => ({ ...taken(chance, 0), endsAfterMs: chance.between(2_000, 25_000), phase: "body" }),
  reset: (chance) => ({
    ...answer(chance, { status: 500 }),
    reachesAfterMs: chance.happens(0.5) ? null : 5,
    outcome: chance.pick([broken("ECONNRESET"), broken("ECONNREFUSED"), notFound, badCertificate]),
  }),
  flap: (chance, nowMs) => (chance.happens(0.5) ? failing : MEETINGS.reset)(chance, nowMs),
  black_hole: () => hang("headers"),
};

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function answer(chance: Chance, { status, headers = {} }: Answer): Meeting {
  const reachesAfterMs = chance.between(1, 60);
  return {
    reachesAfterMs,
    status,
    endsAfterMs: reachesAfterMs + chance.between(1, 90),
    outcome: { kind: "response", response: { status, headers, body: new Uint8Array(), bodyCut: false } },
    phase: "headers",
  };
}

/** While it waits for the body, the status line is there already, and the receiver has taken the webhook. */
function hang(phase: AttemptPhase): Meeting {
  const isConnected = phase === "headers" || phase === "body";
  return {
    reachesAfterMs: isConnected ? 20 : null,
    status: phase === "body" ? 200 : 500,
    endsAfterMs: Infinity,
    outcome: { kind: "timeout", phase },
    phase,
  };
}

/** The request never left its machine. */
function unsent(chance: Chance): Meeting {
  const outcome = chance.pick<Outcome>([
    { kind: "internal_error", message: "no more files" },
    { kind: "proxy_error", code: "PROXY_UNREACHABLE", message: "the proxy is away" },
  ]);
  return { reachesAfterMs: null, status: 500, endsAfterMs: 1, outcome, phase: "connect" };
}

/** Sensible, odd and absurd ones; dates are in the receiver's time, which is the true one. */
function retryAfter(chance: Chance, nowMs: number): string {
  const tenYearsSeconds = 10 * 365 * 86_400;
  const date = new Date(nowMs + chance.between(-90, 3_600) * 1000).toUTCString();
  return chance.pick(["0", "-5", "7", "90", "1800", "7200", date, String(tenYearsSeconds), "soon", "", "3.5"]);
}

const broken = (code: string): Outcome => ({ kind: "network_error", code, message: "the connection broke" });
const notFound: Outcome = { kind: "dns_error", code: "ENOTFOUND", message: "no such name" };
const badCertificate: Outcome = { kind: "tls_error", code: "CERT_HAS_EXPIRED", message: "expired" };
