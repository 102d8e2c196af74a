/**
 * Steps of shared verbs that each database implements, because they touch tables of the event's path: destinations,
 * their due bounds and the log. `../sqlite/verbs.ts` and `../postgres/verbs.ts` name theirs, and every
 * verb is called with all of them.
 */
import type { AttemptRecord } from "../../domain/attempt.ts";
import type { ChangeOfDestination, DestinationNow } from "../../domain/destination-now.ts";
import type { ResendResult } from "../contract/log.ts";
import type { HandOut } from "../../domain/pull.ts";
import type { SettleAttempts } from "../contract/path.ts";
import type { ErasePerson } from "../contract/people.ts";
import type { HandOutDue } from "../contract/pull.ts";
import type { CreateReplay } from "../contract/replays.ts";
import type { SearchSteps } from "./log/search-blocks.ts";
import type { SearchReads } from "./log/search.ts";
import type { DueMessage } from "./path/pull-rows.ts";
import type { Answer, SqlTransaction } from "./transaction.ts";

export interface ResendOfDeliveries {
  readonly accountId: string;
  readonly deliveryIds: readonly string[];
  readonly person: string;
  /** Those that wait become due now; without it they are left alone. */
  readonly withWaiting: boolean;
  /** Before all others of its destination, as one that a person asks for by itself. */
  readonly isFirst: boolean;
  readonly nowMs: number;
}

export interface ResentDelivery {
  readonly result: ResendResult;
  /** Empty where it has none. */
  readonly destinationId: string;
}

/** SQLite's booleans are numbers. */
export interface HeldDelivery {
  readonly id: string;
  readonly destinationId: string | null;
  readonly isWaiting: boolean | 0 | 1 | null;
}

export interface AttemptOfEvent {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly attempt: AttemptRecord;
}

export interface EraseSteps<Tx> {
  /** Before anything of it is read: what is in hand and what is searched are made to stand still. */
  beginErasing(tx: Tx, params: ErasePerson): Answer<void>;
  /** All deliveries of a locked event; `null`: a node has one of them in hand. */
  holdDeliveriesOf(tx: Tx, eventId: string, nowMs: number): Answer<readonly HeldDelivery[] | null>;
  listAttempts(tx: Tx, eventIds: readonly string[]): Answer<readonly AttemptOfEvent[]>;
  /** Writes what its request and its failure say now. What the receiver answered goes. */
  emptyAttempt(tx: Tx, deliveryId: string, attempt: AttemptRecord): Answer<unknown>;
  /** The next events of tests of an account (`$1`) behind an id (`$2`), `$3` at most, with their bytes. */
  readonly listTests: string;
  /** What else may have bytes of it, in steps from 0 on, behind the last event. True: that was all. */
  endErasing(tx: Tx, step: number): Answer<boolean>;
}

/** Of one destination that is asked. */
export interface PullSteps<Tx> {
  /** Locks what is due, the earliest first, while bodies fit. */
  takeDueMessages(tx: Tx, params: HandOutDue): Answer<DueMessage[]>;
  holdMessages(tx: Tx, ids: readonly string[], claim: HandOut): Answer<void>;
  /** In this transaction; none of them is in memory. */
  settleHere(tx: Tx, params: SettleAttempts): Answer<void>;
}

/**
 * What nodes of an older version do not know: a body that is not the event, with the kinds of channels that came with
 * it; a destination that is asked; one that gets one delivery at a time; a group of event types.
 */
export type RowForm = "body" | "pull" | "order" | "group";

export interface Dialect<Tx extends SqlTransaction>
  extends SearchReads<Tx>, SearchSteps<Tx>, EraseSteps<Tx>, PullSteps<Tx> {
  /** The destination as of now, which others may not change until the commit; `null`: there is none. */
  lockDestination(tx: Tx, id: string): Answer<DestinationNow | null>;
  /** Whether every node that may run knows this form of rows. */
  mayWrite(tx: Tx, form: RowForm): Answer<boolean>;
  /** Writes what differs of a locked destination, and a row of history when its condition does. */
  changeDestination(tx: Tx, id: string, change: ChangeOfDestination): Answer<void>;
  /** Makes deliveries that have ended pending again, and those that wait due. One answer for each that there is. */
  resendDeliveries(tx: Tx, resend: ResendOfDeliveries): Answer<ReadonlyMap<string, ResentDelivery>>;
  /** Makes a locked destination's bound cover a delivery that is due then. */
  lowerDueBound(tx: Tx, id: string, dueAtMs: number): Answer<void>;
  /** Notes which deliveries a replay is about, one more than its maximum at most. Returns how many. */
  freezeItems(tx: Tx, params: CreateReplay): Answer<number>;
  /** Gives their rows to deliveries in memory with a claim that has run out, so that they can be found. */
  writeExpired(tx: Tx, nowMs: number): Answer<void>;
  /** Cancels those that are still pending. Returns how many. */
  cancelDeliveries(tx: Tx, ids: readonly string[], nowMs: number): Answer<number>;
  /** Mends a destination's due bound, after `cancelled` deliveries (maybe none) have left its queue. */
  shortenQueue(tx: Tx, id: string, cancelled: number): Answer<void>;
}
