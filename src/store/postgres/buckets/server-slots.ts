/** Slots for a few calls of a server at a time; the others wait for their turn, first come, first served. */
import { StoreUnavailable } from "../../contract/store.ts";

export interface ServerSlots {
  setMax(max: number): void;
  /** Resolves with what gives the place back. */
  enter(): Promise<() => void>;
  /** Those that wait are rejected. */
  rejectWaiting(toError: () => Error): void;
}

/** More are told to come back. */
const WAITING_MAX = 1_000;

type Waiting = PromiseWithResolvers<() => void>;

export function createServerSlots(): ServerSlots {
  let max = 1;
  let inside = 0;
  const waiting: Waiting[] = [];

  function admit(): void {
    while (inside < max) {
      const next = waiting.shift();
      if (next === undefined) return;
      inside += 1;
      next.resolve(leave);
    }
  }

  function leave(): void {
    inside -= 1;
    admit();
  }

  return {
    setMax(value) {
      max = value;
      admit();
    },
    enter() {
      if (waiting.length >= WAITING_MAX) {
        return Promise.reject(new StoreUnavailable(`${WAITING_MAX} calls already wait for this server`));
      }
      const place: Waiting = Promise.withResolvers();
      waiting.push(place);
      admit();
      return place.promise;
    },
    rejectWaiting(toError) {
      for (const { reject } of waiting.splice(0)) reject(toError());
    },
  };
}
