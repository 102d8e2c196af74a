/**
 * The faults that a run may have. Each seed switches a random part of it on, at random rates: a run in which everything
 * fails at once reaches few states, a thousand runs in which different things fail reach most.
 */
import { createChance } from "./chance.ts";

/**
 * Who meets the fault: the infrastructure below the engine, the server of one shard, the receivers, the users of the
 * service, or who moves accounts. A layout is no fault: it is how the installation is laid, drawn and shrunk with the
 * faults.
 */
type FaultKind = "infrastructure" | "shard" | "receivers" | "users" | "layout" | "moves";

interface FaultRule {
  readonly kind: FaultKind;
  /** Least and most probability, each time that it could happen. */
  readonly rates: readonly [least: number, most: number];
}

/** In the order in which shrinking tries to take them out. */
export const FAULTS = {
  /** A node does not come back from a port call: its promises never settle, a new one starts from the store. */
  crash: { kind: "infrastructure", rates: [0.002, 0.04] },
  /** A node stands still, often for longer than a claim. */
  pause: { kind: "infrastructure", rates: [0.002, 0.04] },
  /** A node's clock is set up to an hour ahead or back. */
  clock_jump: { kind: "infrastructure", rates: [0.002, 0.04] },
  /** A node is stopped in order and started again. */
  stop: { kind: "infrastructure", rates: [0.002, 0.04] },
  /** The store refuses a verb; nothing of it happens. */
  store_error: { kind: "infrastructure", rates: [0.005, 0.2] },
  /** The store does a verb, and the caller is told that it failed. */
  reply_lost: { kind: "infrastructure", rates: [0.005, 0.15] },
  /** The store takes seconds. */
  slow_store: { kind: "infrastructure", rates: [0.01, 0.2] },
  /** The receiver has taken the webhook; its answer does not arrive. */
  answer_lost: { kind: "receivers", rates: [0.01, 0.3] },
  client_error: { kind: "receivers", rates: [0.02, 0.5] },
  server_error: { kind: "receivers", rates: [0.02, 0.9] },
  gone: { kind: "receivers", rates: [0.01, 0.1] },
  /** 429 or 503 with a `Retry-After` of any kind. */
  rate_limited: { kind: "receivers", rates: [0.02, 0.4] },
  /** Nothing comes any more, at any phase of the request. */
  hang: { kind: "receivers", rates: [0.02, 0.5] },
  /** The answer comes byte by byte, within the deadline or not. */
  drip: { kind: "receivers", rates: [0.02, 0.3] },
  /** No connection, or one that breaks. */
  reset: { kind: "receivers", rates: [0.02, 0.5] },
  /** Up for a while, down for a while. */
  flap: { kind: "receivers", rates: [0.2, 1] },
  /** One receiver hangs whatever it is sent, until the faults end. */
  black_hole: { kind: "receivers", rates: [0.1, 1] },
  /** The product posts a record again: at once, later, elsewhere. */
  repeat: { kind: "users", rates: [0.1, 0.8] },
  /** Owners change addresses, toggles and plans meanwhile. */
  configure: { kind: "users", rates: [0.2, 1] },
  /** Owners pause destinations, and turn on what is paused or off. */
  halt: { kind: "users", rates: [0.1, 0.8] },
  /** Owners have deliveries sent again that have ended, and sent now that wait. */
  resend: { kind: "users", rates: [0.1, 0.8] },
  /** Owners have many deliveries sent again at once, and think better of it. */
  replay: { kind: "users", rates: [0.1, 0.8] },
  /** A node has no file left for another socket, or its proxy is away: the attempt says nothing about the receiver. */
  shortage: { kind: "infrastructure", rates: [0.01, 0.2] },
  /** Looking a name up and connecting takes seconds. */
  slow_connect: { kind: "infrastructure", rates: [0.02, 0.3] },
  /** Owners pause a destination, or change its address, while a node has something of it in memory. */
  meddle: { kind: "users", rates: [0.2, 1] },
  /** The store's process dies between two verbs, and the next one has what is on disk. */
  memory_lost: { kind: "infrastructure", rates: [0.002, 0.05] },
  /** Load keeps a node's CPU busy for a while, so that intake waits for full lanes. */
  busy: { kind: "users", rates: [0.2, 1] },
  /** The server of a shard cannot be reached for a while. Only where there are several. */
  shard_away: { kind: "shard", rates: [0.002, 0.03] },
  /** Accounts lie in several shards, each on a server of its own. */
  shards: { kind: "layout", rates: [1, 1] },
  /** Accepts and settlements share commits, and the settlement of a success waits for company. */
  joined: { kind: "layout", rates: [1, 1] },
  /** Operators move accounts between shards, and take moves back. Only where there are several. */
  moves: { kind: "moves", rates: [0.3, 1] },
  /** A process that moves an account dies, or stands still for longer than its sessions live. */
  mover_lost: { kind: "moves", rates: [0.003, 0.06] },
  /** Accounts have webhooks for several types, declared ones too; the product sends those, and owners choose anew. */
  webhooks: { kind: "users", rates: [0.2, 1] },
  /** The run begins with shards whose schema is of another version. Only where there are several. */
  upgrade: { kind: "shard", rates: [0.3, 1] },
  /** A chat assistant of each account gets its webhooks one at a time. */
  order: { kind: "users", rates: [1, 1] },
} as const satisfies Record<string, FaultRule>;

export type FaultName = keyof typeof FAULTS;

export type ReceiverFault = {
  [Name in FaultName]: (typeof FAULTS)[Name]["kind"] extends "receivers" ? Name : never;
}[FaultName];

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

export interface Swarm {
  readonly seed: number;
  /** The faults that are switched on. */
  readonly faults: readonly FaultName[];
  isOn(...names: readonly FaultName[]): boolean;
  /** Nothing of this kind is switched on. */
  isCalm(kind: FaultKind): boolean;
  /** The probability of a fault, 0 while it is switched off. */
  rate(name: FaultName): number;
}

/** The seed's own choice, or exactly the `faults` that are named; rates are the seed's in any case. */
export function makeSwarm(seed: number, faults: readonly FaultName[] | null = null): Swarm {
  const chance = createChance(seed, "swarm");
  // Half of what engines promise can only be seen while the ground is firm; hence this share of calm runs of each kind.
  const share = {
    infrastructure: chance.pick([0, 0.2, 0.5]),
    receivers: chance.pick([0, 0.3, 0.6]),
    users: 0.6,
    shard: 0.5,
    layout: 0.35,
    moves: 0.7,
  };
  const drawn = FAULT_NAMES.map((name) => {
    const { kind, rates } = FAULTS[name];
    return { name, isOn: chance.happens(share[kind]), rate: rates[0] * (rates[1] / rates[0]) ** chance.unit() };
  });
  const on = drawn.filter(({ name, isOn }) => (faults === null ? isOn : faults.includes(name)));
  const rates = new Map(on.map(({ name, rate }) => [name, rate]));
  return {
    seed,
    faults: on.map(({ name }) => name),
    isOn: (...names) => names.some((name) => rates.has(name)),
    isCalm: (kind) => on.every(({ name }) => FAULTS[name].kind !== kind),
    rate: (name) => rates.get(name) ?? 0,
  };
}

/** Reads a list such as `crash,reply_lost`; `none` and `all` are lists too. */
export function parseFaults(text: string): readonly FaultName[] {
  if (text === "all") return FAULT_NAMES;
  const names = text === "none" || text === "" ? [] : text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !Object.hasOwn(FAULTS, name));
  if (unknown.length > 0) {
    throw new Error(`no such fault: ${unknown.join(", ")}. There are: ${FAULT_NAMES.join(", ")}, all, none.`);
  }
  return names as FaultName[];
}
