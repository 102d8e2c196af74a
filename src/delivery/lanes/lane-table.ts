/**
 * Every lane of this node, made when it is first needed. Idle lanes are kept for what they measured, up to a maximum.
 */
import { type Lane, newLane } from "./lane.ts";

const LANES_MAX = 10_000;

export class LaneTable {
  readonly #lanes = new Map<string, Lane>();
  readonly #isBusy: (lane: Lane) => boolean;

  constructor(isBusy: (lane: Lane) => boolean) {
    this.#isBusy = isBusy;
  }

  of(destinationId: string): Lane {
    const known = this.#lanes.get(destinationId);
    if (known !== undefined) return known;
    if (this.#lanes.size >= LANES_MAX) this.#forgetAnIdleLane();
    const lane = newLane(destinationId);
    this.#lanes.set(destinationId, lane);
    return lane;
  }

  all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  #forgetAnIdleLane(): void {
    for (const [id, lane] of this.#lanes) {
      if (!this.#isBusy(lane)) {
        this.#lanes.delete(id);
        return;
      }
    }
  }
}
