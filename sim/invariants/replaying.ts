/** The promises of replays: each of their deliveries once more, an exact count, an end, and nothing after a cancel. */
import { type Invariant, type NewInvariant, firstFinding } from "./invariant.ts";

const eachIsMovedOnce = (): Invariant => {
  const moved = new Set<string>();
  return {
    name: "a replay makes each of its deliveries pending once, and none after it was cancelled",
    see(fact, { ledger }) {
      if (fact.kind !== "reopened") return null;
      const { actor, delivery } = fact;
      const replay = [...ledger.replays.values()].find((candidate) => candidate.actor === actor);
      if (replay === undefined) return null;
      const { id } = delivery;
      if (replay.state === "cancelled") return { message: `${actor} moved ${id} after it was cancelled`, about: id };
      const key = `${actor} ${id}`;
      if (moved.has(key)) return { message: `${actor} moved ${id} twice`, about: id };
      moved.add(key);
      return null;
    },
  };
};

const stepsAreCounted = (): Invariant => ({
  name: "a step of replays has made as many deliveries pending as it says",
  see(fact) {
    if (fact.kind !== "stepped" || fact.moved === fact.found) return null;
    return { message: `a step says ${fact.moved} and made ${fact.found} pending`, about: fact.life.name };
  },
});

const replaysEnd = (): Invariant => ({
  name: "a replay that is not cancelled ends, with every one of its deliveries dealt with",
  rest: ({ ledger }) =>
    firstFinding(ledger.replays.values(), ({ id, state, deliveries, moved, skipped }) => {
      if (state === "cancelled" || (state === "finished" && moved + skipped === deliveries)) return null;
      return { message: `${id} is ${state}: ${moved} moved and ${skipped} skipped of ${deliveries}`, about: id };
    }),
});

export const REPLAYING: readonly NewInvariant[] = [eachIsMovedOnce, stepsAreCounted, replaysEnd];
