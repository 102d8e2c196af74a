/**
 * The facts that the event's path reports, once each. `observe/` makes logs and metrics of them; this folder knows
 * neither.
 */
import type { SendResult } from "../domain/attempt.ts";
import type { DestinationOffReason } from "../domain/destination.ts";
import type { Verdict } from "./send/judge.ts";

export interface DeliveryReport {
  /** Records were committed (`accepted`) or known already (`duplicates`, of which `differing` have another body). */
  accepted(fact: {
    readonly type: string;
    readonly accepted: number;
    readonly duplicates: number;
    readonly differing: number;
  }): void;
  /** Deliveries of new events were committed: they wait, or are in flight. */
  queued(fact: {
    readonly accountId: string;
    readonly deliveries: readonly { readonly id: string; readonly destinationId: string }[];
  }): void;
  /** Conversations of chat assistants that were not known: they are there now. */
  assistantsCreated(fact: { readonly accountId: string }): void;
  /** A round looked for due deliveries and found this many. */
  claimed(fact: { readonly deliveries: number; readonly durationMs: number }): void;
  attempted(fact: AttemptFact): void;
  /** An attempt was made, but its claim had run out: its result was not written. */
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
  /** What a program held of a destination that is asked has ended, or its claim ran out: ids of its deliveries. */
  pulled(fact: PulledFact): void;
  /** A bug threw; the delivery becomes due again when its claim runs out. */
  failed(fact: { readonly what: string; readonly error: unknown }): void;
}

export interface TestFact {
  readonly accountId: string;
  readonly deliveryId: string;
  /** `null` for values that were never saved. */
  readonly destinationId: string | null;
  readonly result: SendResult;
}

export interface PulledFact {
  readonly accountId: string;
  readonly destinationId: string;
  readonly acknowledged: readonly string[];
  /** Due again. */
  readonly notAcknowledged: readonly string[];
  readonly failed: readonly string[];
}

export interface AttemptFact {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly attemptNumber: number;
  /** Origin of the Webhook URL: paths and queries may carry secrets. */
  readonly origin: string;
  readonly result: SendResult;
  readonly verdict: Verdict;
  /** The destination is held back until then (its breaker is open, or it sent `Retry-After`); 0 when it is not. */
  readonly heldUntilMs: number;
  /** From the accept or the last resend to the start of the attempt. */
  readonly waitedMs: number;
  /** The time that storing the result took. */
  readonly settleMs: number;
  /** The stored trace context of the accept; `null` when it was not traced. */
  readonly traceContext: string | null;
}

/** Reports every fact to each of them, in their order. */
export function joinReports(...reports: readonly DeliveryReport[]): DeliveryReport {
  const each = (tell: (report: DeliveryReport) => void): void => reports.forEach(tell);
  return {
    accepted: (fact) => each((report) => report.accepted(fact)),
    queued: (fact) => each((report) => report.queued(fact)),
    assistantsCreated: (fact) => each((report) => report.assistantsCreated(fact)),
    claimed: (fact) => each((report) => report.claimed(fact)),
    attempted: (fact) => each((report) => report.attempted(fact)),
    claimLost: (fact) => each((report) => report.claimLost(fact)),
    turnedOff: (fact) => each((report) => report.turnedOff(fact)),
    tested: (fact) => each((report) => report.tested(fact)),
    replaysStepped: (fact) => each((report) => report.replaysStepped(fact)),
    pulled: (fact) => each((report) => report.pulled(fact)),
    failed: (fact) => each((report) => report.failed(fact)),
  };
}
