/**
 * A replay: a bulk resend of deliveries, at a rate, as a job that survives a restart.
 *
 *     running ⇄ paused              by a person
 *        │        │
 *        ├────────┴──► cancelled    by a person; what was not moved yet stays as it is
 *        └──► finished              no delivery is left
 */
import type { DeliveryState } from "./delivery.ts";

export const REPLAY_STATES = ["running", "paused", "cancelled", "finished"] as const;

export type ReplayState = (typeof REPLAY_STATES)[number];

/** Selects deliveries of an account. Tests, and events without their payload, are never among them. */
export interface ReplayFilter {
  readonly destinationId?: string;
  readonly type?: string;
  /** `pending` ones get their next attempt when it is their turn, in their schedule. */
  readonly states: readonly DeliveryState[];
  /** The last attempt's. */
  readonly response?: ResponseFilter;
  /** The search, as a person typed it. A replay has what it has found. */
  readonly q?: string;
  /** A person's, to the letter: no search, and in no address. A replay has what it has found. */
  readonly email?: string;
  /** Inclusive. */
  readonly createdFromMs?: number;
  /** Exclusive, and never later than the replay's own creation. */
  readonly createdToMs?: number;
}

/** A class of answers from 1 to 5 (the status's hundreds), an exact status, or that no answer came. */
export type ResponseFilter = { readonly hundreds: number } | { readonly status: number } | "none";
