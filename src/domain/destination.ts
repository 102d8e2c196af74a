/**
 * A destination: the URL, headers and health that a demo alert or a chat assistant owns.
 *
 * States: on → paused (by a person) → on; on → off (410 Gone, or days of failures) → on (by a person). While it is not
 * `on`, its deliveries wait.
 */
import type { Authentication } from "./authentication.ts";

export const DESTINATION_STATES = ["on", "paused", "off"] as const;

export type DestinationState = (typeof DESTINATION_STATES)[number];

/** The state that its owner sees. `held`: the destination is on, and its breaker is open. */
export type DestinationCondition = DestinationState | "held";

/** A failed attempt of the receiver's. */
export interface DestinationFailure {
  readonly atMs: number;
  /** An outcome of an attempt. */
  readonly outcome: string;
  readonly status: number | null;
}

/** The reason why a destination was turned off; the dashboard has a sentence for each. */
export const DESTINATION_OFF_REASONS = ["gone", "failing"] as const;

export type DestinationOffReason = (typeof DESTINATION_OFF_REASONS)[number];

/**
 * A header that the owner adds to each request. `secret` values are sealed at rest and masked wherever they are shown.
 */
export interface CustomHeader {
  /** As typed; names are compared without regard to case. */
  readonly name: string;
  readonly value: string;
  readonly secret: boolean;
}

/** The address, headers and secrets of a delivery, opened and ready to use. */
export interface Target {
  readonly destinationId: string;
  /** Already parsed, so that the builder of a request cannot parse the text in another way. */
  readonly url: URL;
  readonly headers: readonly CustomHeader[];
  /** An access token and a client certificate; `null` or left out, as usual, for neither. */
  readonly authentication?: Authentication | null;
  /** The account's verification secrets. The first one is current and makes the service's own signature. */
  readonly secrets: readonly string[];
}

/** Guess. A node takes what it may start in this time: a delivery that waits for 30 s of its claim is given back. */
const RATE_BUFFER_SECONDS = 10;

/** The deliveries of a destination that one node may take at `ratePerSecond`; one even when that takes longer. */
export const slotsAtRate = (ratePerSecond: number | null): number =>
  ratePerSecond === null ? Infinity : Math.max(1, Math.floor(ratePerSecond * RATE_BUFFER_SECONDS));
