/**
 * The fate of a node that calls a port: nothing, a crash, a stop, a long pause, or a clock that is set. From
 * outside a node can only be seen at its ports, so crashing there is crashing anywhere.
 */
import { hoursMs, minutesMs, secondsMs } from "../src/lib/duration.ts";
import type { Chance } from "./chance.ts";
import type { Swarm } from "./faults.ts";
import type { Verb } from "./ledger/books.ts";

export type PortCall = Verb | "send";

export type Fate =
  | { readonly kind: "none" }
  /** `isCallMade`: the call still takes effect; its caller does not hear of it. */
  | { readonly kind: "crash"; readonly isCallMade: boolean }
  /** The node is told to stop. */
  | { readonly kind: "stop" }
  | { readonly kind: "pause"; readonly forMs: number }
  | { readonly kind: "clock_jump"; readonly offsetMs: number };

export interface Fates {
  draw(call: PortCall): Fate;
}

const NOTHING: Fate = { kind: "none" };

/** Most calls look for work in vain, where a fault shows little: they are spared most of the time. */
const LOOKING_SHARE = 0.05;

export function createFates(swarm: Swarm, stream: (name: string) => Chance, areFaultsOn: () => boolean): Fates {
  const dice = { crash: stream("crash"), stop: stream("stop"), pause: stream("pause"), clock: stream("clock_jump") };
  return {
    draw(call) {
      if (!areFaultsOn()) return NOTHING;
      const share = call === "claimDueDeliveries" ? LOOKING_SHARE : 1;
      if (dice.crash.happens(swarm.rate("crash") * share)) {
        return { kind: "crash", isCallMade: dice.crash.happens(0.6) };
      }
      if (dice.stop.happens(swarm.rate("stop") * share)) return { kind: "stop" };
      if (dice.pause.happens(swarm.rate("pause") * share)) {
        return { kind: "pause", forMs: dice.pause.between(secondsMs(1), secondsMs(180)) };
      }
      if (dice.clock.happens(swarm.rate("clock_jump") * share)) {
        return { kind: "clock_jump", offsetMs: drawOffsetMs(dice.clock) };
      }
      return NOTHING;
    },
  };
}

function drawOffsetMs(chance: Chance): number {
  const farthest = chance.pick([0, secondsMs(2), minutesMs(5), hoursMs(1)]);
  return chance.pick([-1, 1]) * farthest;
}
