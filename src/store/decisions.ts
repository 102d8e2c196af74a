/**
 * What people decide about destinations, deliveries and replays, as the store's verbs take it, and what is kept of it.
 * The verbs are in `store.ts`.
 */
import type { DestinationState } from "../domain/destination.ts";
import type { ReplayFilter, ReplayState } from "../domain/replay.ts";
import type { Actor } from "../domain/actor.ts";

export interface SetDestinationState {
  readonly accountId: string;
  readonly destinationId: string;
  readonly state: Exclude<DestinationState, "off">;
  readonly by: Actor;
  readonly reason: string;
  readonly nowMs: number;
}

/** `replays`: those that moved on or ended, for whoever looks at them. */
export interface SteppedReplays {
  readonly moved: number;
  readonly replays: readonly { readonly accountId: string; readonly replayId: string }[];
}

/** A row of a destination's history; `actor` is a person, or `system`. `held` is a breaker that is open. */
export interface DestinationChange {
  readonly atMs: number;
  readonly from: DestinationState | "held";
  readonly to: DestinationState | "held";
  readonly reason: string;
  readonly actor: string;
}

export interface RequestResend {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly by: Actor;
  readonly nowMs: number;
}

export type ResendResult =
  | "queued"
  | "missing"
  | "pending_already"
  | "is_test"
  | "payload_purged"
  | "destination_deleted";

export interface CreateReplay {
  readonly accountId: string;
  readonly id: string;
  readonly filter: ReplayFilter;
  /** Of one that would have more, nothing is written: all of it is frozen in one transaction. */
  readonly deliveriesMax: number;
  readonly ratePerSecond: number;
  /** Prepared: nothing moves before it is set running; `purge` cancels it when nobody has done so for a day. */
  readonly startPaused: boolean;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface SetReplayState {
  readonly accountId: string;
  readonly replayId: string;
  readonly state: Exclude<ReplayState, "finished">;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface StoredReplay {
  readonly id: string;
  readonly filter: ReplayFilter;
  readonly ratePerSecond: number;
  readonly state: ReplayState;
  /** Never set to running yet. */
  readonly isPrepared: boolean;
  /** The exact count, frozen when it was created; `moved + skipped` grow up to it. */
  readonly deliveries: number;
  readonly moved: number;
  /** Pending already, or without a payload any more. */
  readonly skipped: number;
  /** Who created it. */
  readonly actor: string;
  /** Who paused, resumed or cancelled it last. */
  readonly stateActor: string;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
}
