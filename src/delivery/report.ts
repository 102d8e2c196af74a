/**
 * What the event's path tells about itself: facts, once each. Logs and metrics are made from them in `observe/`; this
 * folder knows neither.
 */
import type { SendResult } from "../domain/attempt.ts";
import type { DestinationOffReason } from "../domain/destination.ts";
import type { EventType } from "../domain/event.ts";
import type { Verdict } from "./judge.ts";

export interface DeliveryReport {
  /** Records were committed (`accepted`) or were known already (`duplicates`). */
  accepted(fact: { readonly type: EventType; readonly accepted: number; readonly duplicates: number }): void;
  /** Deliveries of new events were committed: they wait, or are on their way. */
  queued(fact: {
    readonly accountId: string;
    readonly deliveries: readonly { readonly id: string; readonly destinationId: string }[];
  }): void;
  /** A round looked for due deliveries and found so many. */
  claimed(fact: { readonly deliveries: number; readonly durationMs: number }): void;
  attempted(fact: AttemptFact): void;
  /** An attempt was made, but its claim had run out meanwhile: its result was not written. */
  claimLost(fact: AttemptFact): void;
  /** Nothing more goes to the destination until a person turns it on. */
  turnedOff(fact: {
    readonly accountId: string;
    readonly destinationId: string;
    readonly reason: DestinationOffReason;
  }): void;
  tested(fact: TestFact): void;
  /** Replays have made some of their deliveries pending, or have ended. */
  replaysStepped(fact: {
    readonly replays: readonly { readonly accountId: string; readonly replayId: string }[];
  }): void;
  /** Something threw that should not have; the delivery comes back when its claim runs out. */
  failed(fact: { readonly what: string; readonly error: unknown }): void;
}

export interface TestFact {
  readonly accountId: string;
  readonly deliveryId: string;
  /** `null` for values that were never saved. */
  readonly destinationId: string | null;
  readonly result: SendResult;
}

export interface AttemptFact {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly accountId: string;
  readonly destinationId: string;
  readonly attemptNumber: number;
  /** Origin of the Webhook URL: paths and queries may carry secrets. */
  readonly origin: string;
  readonly result: SendResult;
  readonly verdict: Verdict;
  /** The destination is held back until then (its breaker opened, or it asked for silence); 0 when it is not. */
  readonly heldUntilMs: number;
  /** From when the delivery was accepted or last resent to the start of the attempt. */
  readonly waitedMs: number;
  /** How long it took to store the result. */
  readonly settleMs: number;
  /** What the event was accepted in, as it is stored; `null` when it is not traced. */
  readonly traceContext: string | null;
}
