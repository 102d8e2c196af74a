/** Destinations as people run them: on, paused or off, what waits for them, and how they have fared. */
import type { Actor } from "../../domain/account.ts";
import type {
  DestinationCondition,
  DestinationFailure,
  DestinationOffReason,
  DestinationState,
} from "../../domain/destination.ts";
import type { NamedOwner } from "../../domain/event.ts";
import { earlier, OF_ACCOUNT, withLess, type VerbTable } from "./verb-table.ts";

export interface DestinationsVerbs {
  /**
   * Turning on forgets the destination's troubles, also those of one that is on but held: what waits goes out at once.
   * Pausing one that is off changes nothing. Every change is kept with its reason.
   */
  setDestinationState(params: SetDestinationState): Promise<"changed" | "unchanged" | "missing">;
  /**
   * Makes what waits due now, the earliest first, at most `rowsMax` at once: repeat with `isContinued` while it
   * `hasMore`. A destination that rests is half-open at once, so one trial goes first.
   */
  sendWaiting(params: SendWaiting): Promise<SendWaitingResult>;
  /** The newest 500, newest first. */
  listDestinationChanges(params: { accountId: string; destinationId: string }): Promise<DestinationChange[]>;
  /** Health of all of an account's destinations, those of deleted owners included when `withDeleted`. */
  loadDestinations(params: LoadDestinations): Promise<readonly ReportedDestination[]>;
  /** What such reports say of waiting, added up, without the searches for all else. */
  countWaitingOfAccount(params: CountWaitingOfAccount): Promise<WaitingOfAccount>;
  /**
   * Cancels what waits for a destination, at most `rowsMax` at once: repeat until there are none. A delivery that a
   * node holds is left to that node: it may arrive yet.
   */
  cancelWaiting(params: CancelWaiting): Promise<{ readonly cancelled: number }>;
  /** Cancels what was due before `dueBeforeMs` while its destination is not on; for a deleted one, all that waits. */
  expireWaiting(params: { nowMs: number; dueBeforeMs: number; rowsMax: number }): Promise<{ readonly expired: number }>;
  /**
   * `waiting`: deliveries that are pending; `oldestDueAtMs`: of those that could go now, the earliest due time. What is
   * held back, or waits for a destination that is not on, is not overdue.
   */
  countWaiting(params: { nowMs: number }): Promise<WaitingCount>;
  /** How many destinations there are, each in one of these; deleted ones are in none. */
  countDestinations(params: { nowMs: number }): Promise<DestinationCounts>;
}

export const DESTINATIONS_VERBS = {
  setDestinationState: { kind: "set-up", route: OF_ACCOUNT },
  sendWaiting: { kind: "path", route: OF_ACCOUNT },
  listDestinationChanges: { kind: "side", reads: true, route: OF_ACCOUNT },
  loadDestinations: { kind: "side", reads: true, route: OF_ACCOUNT },
  countWaitingOfAccount: { kind: "side", reads: true, route: OF_ACCOUNT },
  cancelWaiting: { kind: "side", route: OF_ACCOUNT },
  expireWaiting: {
    kind: "side",
    route: {
      kind: "all",
      rest: (params, { expired }) => withLess(params, "rowsMax", expired),
      join: (one, other) => ({ expired: one.expired + other.expired }),
    },
  },
  countWaiting: {
    kind: "side",
    reads: true,
    route: {
      kind: "all",
      join: (one, other) => ({
        waiting: one.waiting + other.waiting,
        oldestDueAtMs: earlier(one.oldestDueAtMs, other.oldestDueAtMs),
      }),
      without: (answer) => ({ ...answer, isPart: true }),
    },
  },
  countDestinations: {
    kind: "side",
    reads: true,
    route: {
      kind: "all",
      join: (one, other) => ({
        on: one.on + other.on,
        paused: one.paused + other.paused,
        off: one.off + other.off,
        failing: one.failing + other.failing,
        held: one.held + other.held,
      }),
    },
  },
} satisfies VerbTable<DestinationsVerbs>;

export interface WaitingCount {
  readonly waiting: number;
  readonly oldestDueAtMs: number | null;
  /** A server that has some of the accounts is away: theirs are not among these. */
  readonly isPart?: true;
}

/** `failing`: on, and its last attempt failed; `held`: on, and nothing is sent for now, for its breaker or its wish. */
export type DestinationCounts = Readonly<Record<DestinationState | "failing" | "held", number>>;

export interface SendWaiting {
  readonly accountId: string;
  readonly destinationId: string;
  /** A later step of the same decision: it is in the audit already. */
  readonly isContinued: boolean;
  readonly rowsMax: number;
  readonly by: Actor;
  readonly nowMs: number;
}

/** `moved`: those that were due later; what was due already goes too. */
export type SendWaitingResult =
  | { readonly kind: "sent"; readonly moved: number; readonly hasMore: boolean }
  | { readonly kind: "missing" | "paused" | "off" };

export interface CancelWaiting {
  readonly accountId: string;
  readonly destinationId: string;
  /** Deliveries that were accepted later are not touched. */
  readonly createdBeforeMs: number;
  readonly rowsMax: number;
  readonly nowMs: number;
}

export interface LoadDestinations {
  readonly accountId: string;
  readonly destinationId?: string;
  /** Only these, such as those of a page of the log: each costs some searches. */
  readonly destinationIds?: readonly string[];
  readonly withDeleted: boolean;
  readonly nowMs: number;
  /** Stops counting what waits there. */
  readonly waitingMax: number;
}

export interface CountWaitingOfAccount {
  readonly accountId: string;
  /** Stops counting there, at each destination. */
  readonly waitingMax: number;
}

export interface WaitingOfAccount {
  /** Deleted ones are not among them. */
  readonly destinations: number;
  /** Capped where it is at one of them. */
  readonly waiting: ReportedDestination["waiting"];
}

export interface ReportedDestination {
  readonly id: string;
  readonly url: string;
  readonly owner: NamedOwner & { readonly isDeleted: boolean };
  /** By letters. */
  readonly tags: readonly string[];
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly failureScore: number;
  /** The breaker is open. */
  readonly isHeld: boolean;
  /** 0 when nothing holds it back. */
  readonly notBeforeMs: number;
  readonly nextDueAtMs: number | null;
  readonly waiting: { readonly count: number; readonly isCapped: boolean };
  /** When the oldest of those that were counted was accepted; `null` where nothing was. */
  readonly oldestWaitingAtMs: number | null;
  readonly lastFailure: DestinationFailure | null;
  /** The last change of its state by anybody. */
  readonly lastChange: { readonly atMs: number; readonly actor: string; readonly reason: string } | null;
  /** It has had an attempt that was no test. */
  readonly hasAttempts: boolean;
}

export interface SetDestinationState {
  readonly accountId: string;
  readonly destinationId: string;
  readonly state: Exclude<DestinationState, "off">;
  readonly by: Actor;
  readonly reason: string;
  readonly nowMs: number;
}

/** A row of a destination's history; `actor` is a person, or `system`. `held` is a breaker that is open. */
export interface DestinationChange {
  readonly atMs: number;
  readonly from: DestinationCondition;
  readonly to: DestinationCondition;
  readonly reason: string;
  readonly actor: string;
}
