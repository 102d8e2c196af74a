/**
 * The promises of nodes about themselves: lanes within their limit, nothing held at rest, and true words about both.
 */
import { StoreUnavailable } from "../../src/store/contract/store.ts";
import { sawSuccess } from "../records.ts";
import { type Invariant, type NewInvariant, type RestingWorld, firstFinding } from "./invariant.ts";

/** Design: a lane starts with 4 at once, one more for each window of successes, 64 at most. */
const LANE_START = 4;
const LANE_MAX = 64;

const lanesKeepTheirLimit = (): Invariant => ({
  name: "a node sends to a destination no more at once than its lane allows",
  see(fact, { ledger }) {
    if (fact.kind !== "send_started") return null;
    const { life, destinationId, deliveryId } = fact.send;
    const mine = ledger.sends.filter((send) => send.life === life && send.destinationId === destinationId);
    const inFlight = mine.filter(({ endedAtMs }) => endedAtMs === null).length;
    const grown = Math.floor(mine.filter(sawSuccess).length / LANE_START);
    const limit = Math.min(LANE_START + grown, LANE_MAX);
    if (inFlight <= limit) return null;
    return { message: `${life.name} has ${inFlight} under way to ${destinationId}, not ${limit}`, about: deliveryId };
  },
});

const nothingIsHeldAtRest = (): Invariant => ({
  name: "a node at rest holds nothing: no place, no request",
  rest: ({ nodes }) =>
    firstFinding(nodes, ({ life, engine }) => {
      const { deliveries, inFlight } = engine.lanes.load.counts();
      if (deliveries === 0 && inFlight === 0) return null;
      return { message: `${life.name} has ${deliveries} deliveries, ${inFlight} in flight`, about: life.name };
    }),
});

const failuresHaveACause = (): Invariant => ({
  name: "nothing fails but for a store that is away",
  see(fact, { swarm }) {
    if (fact.kind === "store_failed" && fact.how === "own_fault") {
      return { message: `${fact.verb} failed in the store: ${fact.detail}`, about: fact.life.name };
    }
    if (fact.kind !== "told_failed") return null;
    const hasCause =
      swarm.isOn("store_error", "reply_lost", "shard_away", "moves") && fact.error instanceof StoreUnavailable;
    return hasCause ? null : { message: `${fact.what} failed: ${String(fact.error)}`, about: fact.life.name };
  },
});

const wordsAreTrue = (): Invariant => {
  const told = { attempted: 0, claimLost: 0, accepted: 0 };
  const done = { written: 0, refused: 0 };
  return {
    name: "what nodes tell equals a recount",
    see(fact) {
      if (fact.kind === "told_accepted") told.accepted += fact.accepted;
      if (fact.kind === "told") told[fact.what === "attempted" ? "attempted" : "claimLost"] += 1;
      if (fact.kind === "settled") done[fact.isWritten ? "written" : "refused"] += 1;
      return null;
    },
    rest(world) {
      const { events } = world.ledger;
      if (told.attempted > done.written || told.accepted > events.size) return notTrue(told, done, events.size);
      // A node that died, or never got the answer, could not tell of it.
      if (mayHaveKeptQuiet(world)) return null;
      const isTrue =
        told.attempted === done.written && told.claimLost === done.refused && told.accepted === events.size;
      return isTrue ? null : notTrue(told, done, events.size);
    },
  };
};

function mayHaveKeptQuiet({ swarm, ledger }: RestingWorld): boolean {
  return swarm.isOn("crash", "reply_lost", "shard_away", "moves") || ledger.sends.some(({ life }) => life.hasCrashed);
}

const notTrue = (told: object, done: object, events: number) => ({
  message: `told ${JSON.stringify(told)}, done ${JSON.stringify(done)} and ${events} events`,
  about: "",
});

export const HOLDING: readonly NewInvariant[] = [
  lanesKeepTheirLimit,
  nothingIsHeldAtRest,
  failuresHaveACause,
  wordsAreTrue,
];
