/**
 * The event's path: accept, claim, settle, give back. These verbs take many items at once, and a store may join several
 * waiting calls into one commit. `…IfClaimed` changes nothing for a delivery that the caller no longer holds.
 *
 *     acceptEvents ──► pending ──claimDueDeliveries──► claimed ──settleAttemptsIfClaimed──► pending again, or ended
 *                         ▲                                └────releaseClaims────┐
 *                         └──────────────────────────────────────────────────────┘
 */
import type { AttemptRecord } from "../../domain/attempt.ts";
import type { EndedState } from "../../domain/delivery.ts";
import type { DestinationOffReason } from "../../domain/destination.ts";
import { accountsOf, earlier, inARow, inOrder, pick, type VerbTable } from "./verb-table.ts";

export interface PathVerbs {
  acceptEvents(params: AcceptEvents): Promise<AcceptedEvent[]>;
  claimDueDeliveries(params: ClaimDueDeliveries): Promise<ClaimedDelivery[]>;
  settleAttemptsIfClaimed(params: SettleAttempts): Promise<SettleResult[]>;
  /** Gives deliveries back untouched: due again at `dueAtMs`, no attempt counted. Another trial may go then. */
  releaseClaims(params: ReleaseClaims): Promise<{ released: number }>;
  /**
   * When a delivery to a destination that is on falls due next: never later than the truth, and earlier until a claim
   * has looked. `null`: nothing waits. One search, whatever waits.
   */
  findNextDue(params: { nowMs: number }): Promise<{ readonly dueAtMs: number | null }>;
}

export const PATH_VERBS = {
  acceptEvents: {
    kind: "path",
    route: {
      kind: "accounts",
      accountsOf: ({ events }) => accountsOf(events),
      only: (params, indexes) => ({ ...params, events: pick(params.events, indexes) }),
      join: inOrder,
    },
  },
  claimDueDeliveries: {
    kind: "path",
    route: {
      kind: "all",
      rest(params, claimed) {
        if (claimed.length === 0) return params;
        const deliveriesMax = params.deliveriesMax - claimed.length;
        const bodyCharsMax = params.bodyCharsMax - claimed.reduce((sum, { body }) => sum + body.length, 0);
        return deliveriesMax <= 0 || bodyCharsMax <= 0 ? null : { ...params, deliveriesMax, bodyCharsMax };
      },
      join: inARow,
    },
  },
  settleAttemptsIfClaimed: {
    kind: "path",
    route: {
      kind: "accounts",
      accountsOf: ({ settlements }) => accountsOf(settlements),
      only: (params, indexes) => ({ ...params, settlements: pick(params.settlements, indexes) }),
      join: inOrder,
      lost: (answers) => answers.flatMap(({ kind }, index) => (kind === "claim_lost" ? [index] : [])),
    },
  },
  releaseClaims: {
    kind: "path",
    route: {
      kind: "accounts",
      accountsOf: ({ claims }) => accountsOf(claims),
      only: (params, indexes) => ({ ...params, claims: pick(params.claims, indexes) }),
      join: (parts) => ({ released: parts.reduce((sum, { answer }) => sum + answer.released, 0) }),
    },
  },
  findNextDue: {
    kind: "path",
    reads: true,
    route: {
      kind: "all",
      join: (one, other) => ({ dueAtMs: earlier(one.dueAtMs, other.dueAtMs) }),
    },
  },
} satisfies VerbTable<PathVerbs>;

/** The token under which a node holds deliveries, and until when. After that anyone may take them again. */
export interface Claim {
  readonly token: string;
  readonly untilMs: number;
}

export interface NewEvent {
  readonly id: string;
  readonly accountId: string;
  /** The account's version that `deliveries` was decided with. */
  readonly configVersion: number;
  readonly type: string;
  /** The session's or conversation's own id (a UUID, lower case): with account and type, unique forever. */
  readonly sourceId: string;
  /** The chat assistant of a conversation. */
  readonly assistantId?: string | null;
  /** The exact text of the body; UTF-8 on the wire. */
  readonly body: string;
  readonly deliveries: readonly NewDelivery[];
  /** Webhooks that it does not go to, as `domain/not-sent.ts` writes them; nothing where all take it. */
  readonly notSent?: string | null;
  /** The trace that its attempts belong to, as `formatTraceContext` writes it; nothing without tracing. */
  readonly traceContext?: string | null;
  /** The row of the inbox that it came from: it goes in the same transaction, whether the event is new or known. */
  readonly inboxSeq?: number | null;
}

export interface NewDelivery {
  readonly id: string;
  readonly destinationId: string;
  /** True: held under the call's claim from the start, because a lane of this node has a free slot (the fast path). */
  readonly claimed: boolean;
}

export interface AcceptEvents {
  readonly nowMs: number;
  readonly claim: Claim;
  readonly events: readonly NewEvent[];
}

/** One answer for each event, in order. */
export type AcceptedEvent =
  /** `unclaimed`: ids that were to be claimed but were not, because their destination is not on or is held back. */
  | { readonly kind: "accepted"; readonly unclaimed: readonly string[] }
  /**
   * The source id is known: nothing was written. `deliveries` is how many the first one had; `differs`: its body, which
   * is still there, is another one. The same where the event's record has gone from the inbox, because another node has
   * accepted it or its person was erased.
   */
  | {
      readonly kind: "duplicate";
      readonly eventId: string;
      readonly deliveries: number;
      readonly differs: boolean;
    }
  /** The account's configuration is newer than `configVersion`: nothing was written, decide again. */
  | { readonly kind: "config_changed" };

export interface ClaimDueDeliveries {
  readonly nowMs: number;
  readonly claim: Claim;
  /** At most this number in all. */
  readonly deliveriesMax: number;
  /** At most this number of one account that `accountSlots` does not name. */
  readonly perAccountMax: number;
  /** Free slots of the accounts that are busy on this node; 0 passes one over. */
  readonly accountSlots: Readonly<Record<string, number>>;
  /** At most this number of one destination that `freeSlots` does not name. */
  readonly perDestinationMax: number;
  /** Free slots of the lanes that are busy on this node, fewer or more than `perDestinationMax`; 0 passes one over. */
  readonly freeSlots: Readonly<Record<string, number>>;
  /** Stops before the bodies exceed this number of characters in all; one delivery is always taken. */
  readonly bodyCharsMax: number;
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly body: string;
  /** Attempts made before this claim, in the delivery's whole life. */
  readonly attemptsMade: number;
  /** Attempts made since it was accepted or last resent, without the free ones: what the retry schedule counts. */
  readonly attemptsInSchedule: number;
  /** When it was accepted or last resent. */
  readonly pendingSinceMs: number;
  /** The one attempt that the destination's open breaker lets through. */
  readonly isTrial: boolean;
  /** Its destination got one at a time when it was claimed: it was the head. */
  readonly isInOrder: boolean;
  /** The destination's `ratePerSecond`. */
  readonly ratePerSecond: number | null;
  /** The event's. */
  readonly traceContext: string | null;
  readonly configVersion: number;
  readonly claim: Claim;
}

export interface Settlement {
  readonly deliveryId: string;
  /** The delivery's: it says where the delivery lies. */
  readonly accountId: string;
  readonly claimToken: string;
  readonly attempt: AttemptRecord;
  readonly next: { readonly state: "pending"; readonly dueAtMs: number } | { readonly state: EndedState };
  /** The attempt says nothing about the receiver: it is kept and numbered, but the retry schedule does not count it. */
  readonly isFree: boolean;
  readonly isTrial: boolean;
  /**
   * When the settings that the attempt was made under were saved; `null` for a success, which counts in any case. A
   * failure under settings that were replaced meanwhile says nothing about those that hold now.
   */
  readonly setUpAtMs: number | null;
  /** Turns the destination off in the same transaction. */
  readonly destinationOff: DestinationOffReason | null;
  /** The receiver asked for silence until then (`Retry-After`): the whole destination is held back. */
  readonly holdUntilMs: number | null;
}

export interface SettleAttempts {
  readonly nowMs: number;
  readonly settlements: readonly Settlement[];
  /** Nobody waits for the answer: the store may hold the call back for a moment, to commit it with others. */
  readonly isPatient?: boolean;
}

/** One answer for each settlement, in order. `claim_lost`: nothing was written, somebody else holds it or ended it. */
export type SettleResult =
  /**
   * `heldUntilMs`: nothing goes to the destination before then; 0 when nothing holds it back. While its breaker is open
   * it is never 0, and what the node still holds must be given back: only a claim knows which delivery is the trial.
   * `turnedOff`: why this settlement, and none before it, turned the destination off; `null` when it did not.
   */
  | { readonly kind: "settled"; readonly heldUntilMs: number; readonly turnedOff: DestinationOffReason | null }
  | { readonly kind: "claim_lost" };

export interface ReleaseClaims {
  readonly claims: readonly HeldDelivery[];
  readonly dueAtMs: number;
}

export interface HeldDelivery {
  readonly deliveryId: string;
  readonly accountId: string;
  readonly claimToken: string;
}
