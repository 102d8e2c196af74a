/** Until when the store holds each destination back, as its answers said. */
export interface Holds {
  hold(destinationId: string, untilMs: number): void;
  /** A person wants an attempt now: nothing is held beyond that. */
  endCoolDown(destinationId: string, nowMs: number): void;
  /** A person turned the destination on: it is not held any more. */
  turnOn(destinationId: string): void;
  /** When a person turned the destination on last; infinitely long ago when that was never needed. */
  turnedOnAtMs(destinationId: string): number;
  /** On the clock of the node that was told; 0 for not at all. */
  heldUntilMs(destinationId: string): number;
  /** The latest that it has ever been held back until; a hold may end before. */
  longestHoldMs(destinationId: string): number;
}

export function createHolds(nowMs: () => number): Holds {
  const heldUntil = new Map<string, number>();
  const longestHold = new Map<string, number>();
  const turnedOn = new Map<string, number>();
  const longestHoldMs = (destinationId: string): number => longestHold.get(destinationId) ?? 0;
  return {
    hold(destinationId, untilMs) {
      heldUntil.set(destinationId, untilMs);
      longestHold.set(destinationId, Math.max(untilMs, longestHoldMs(destinationId)));
    },
    endCoolDown(destinationId, atMs) {
      heldUntil.set(destinationId, Math.min(heldUntil.get(destinationId) ?? 0, atMs));
    },
    turnOn(destinationId) {
      heldUntil.delete(destinationId);
      turnedOn.set(destinationId, nowMs());
    },
    turnedOnAtMs: (destinationId) => turnedOn.get(destinationId) ?? -Infinity,
    heldUntilMs: (destinationId) => heldUntil.get(destinationId) ?? 0,
    longestHoldMs,
  };
}
