/**
 * The store's contract: everything that must survive a crash goes through these verbs.
 *
 * - Each verb is one transaction: when its promise resolves, the change is on disk (FULL sync); when it rejects with
 *   `StoreUnavailable`, nothing of it happened, or (a lost connection) its outcome is unknown and repeating is safe.
 * - Each takes one object of plain data, so that a store may live behind a thread or a network.
 * - Verbs of the event's path take many items at once; a store may also join several waiting calls into one commit.
 * - Guards are in the names: `…IfClaimed` changes nothing for a delivery whose claim the caller no longer holds.
 * - Instants are milliseconds since the Unix epoch from the caller's clock.
 *
 * `conformance/` holds every promise made here as a test that each store must pass.
 */
import type { Account } from "../domain/account.ts";
import type { DemoAlert } from "../domain/alert.ts";
import type { AttemptRecord } from "../domain/attempt.ts";
import type { ChatAssistant } from "../domain/chat-assistant.ts";
import type { DeliveryState } from "../domain/delivery.ts";
import type { DestinationOffReason, DestinationState } from "../domain/destination.ts";
import type { EventType } from "../domain/event.ts";
import type { Actor } from "../domain/actor.ts";
import type { DashboardVerbs } from "./dashboard-verbs.ts";
import type {
  CreateReplay,
  DestinationChange,
  RequestResend,
  ResendResult,
  SetDestinationState,
  SetReplayState,
  SteppedReplays,
  StoredReplay,
} from "./decisions.ts";
import type { OperatorVerbs } from "./operator-verbs.ts";
import type { InboxVerbs } from "./inbox-verbs.ts";
import type { NodeVerbs } from "./node-verbs.ts";

/** The store cannot commit now: disk full, read-only, gone. Nothing was accepted; the caller may try again. */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
}

/** The database cannot be used at all, and waiting will not help: too new, too old, damaged, in use. */
export class StoreUnusable extends Error {
  override name = "StoreUnusable";
}

export interface Store extends DashboardVerbs, OperatorVerbs, InboxVerbs, NodeVerbs, AsyncDisposable {
  /* What an account sets up. */
  putAccount(params: PutAccount): Promise<{ created: boolean }>;
  putChatAssistant(params: PutChatAssistant): Promise<{ created: boolean } | { missing: "account" }>;
  saveAlert(params: SaveAlert): Promise<SaveAlertResult>;
  saveAssistantDestination(params: SaveAssistantDestination): Promise<SaveAssistantDestinationResult>;
  loadAccount(params: { accountId: string }): Promise<StoredAccount | null>;
  /** One of them, however many the account has. */
  loadAssistant(params: { accountId: string; assistantId: string }): Promise<StoredAssistant | null>;

  /* The event's path. */
  acceptEvents(params: AcceptEvents): Promise<AcceptedEvent[]>;
  claimDueDeliveries(params: ClaimDueDeliveries): Promise<ClaimedDelivery[]>;
  settleAttemptsIfClaimed(params: SettleAttempts): Promise<SettleResult[]>;
  /** Gives deliveries back untouched: due again at `dueAtMs`, no attempt counted. Another probe may go then. */
  releaseClaims(params: ReleaseClaims): Promise<{ released: number }>;
  recordTestDelivery(params: RecordTestDelivery): Promise<void>;

  /* What people decide. */
  /**
   * Turning on forgets the destination's troubles, also those of one that is on but held: what waits goes out at once.
   * Pausing one that is off changes nothing. Every change is kept with its reason.
   */
  setDestinationState(params: SetDestinationState): Promise<"changed" | "unchanged" | "missing">;
  /** The newest 500, newest first. */
  listDestinationChanges(params: { accountId: string; destinationId: string }): Promise<DestinationChange[]>;
  requestResend(params: RequestResend): Promise<ResendResult>;
  /**
   * Freezes the deliveries that the filter names now and that can still be sent, and answers how many they are. A
   * repeat with the same id answers the same and freezes nothing. `too_many`: more than `deliveriesMax`; nothing is
   * written.
   */
  createReplay(params: CreateReplay): Promise<{ readonly deliveries: number } | { readonly refused: "too_many" }>;
  /** Makes as many deliveries of running replays `pending` as their rates allow by now; each once, whatever crashes. */
  stepReplays(params: { nowMs: number; deliveriesMax: number }): Promise<SteppedReplays>;
  /** `unchanged` also when it has ended: nothing starts it again. */
  setReplayState(params: SetReplayState): Promise<"changed" | "unchanged" | "missing">;
  loadReplay(params: { accountId: string; replayId: string }): Promise<StoredReplay | null>;

  /* Housekeeping, in steps of at most `rowsMax` rows. */
  purge(params: Purge): Promise<Purged>;
  /** Cancels what was due before `dueBeforeMs` while its destination is not on; for a deleted one, all that waits. */
  expireWaiting(params: { nowMs: number; dueBeforeMs: number; rowsMax: number }): Promise<{ readonly expired: number }>;

  /* What people ask. */
  loadDelivery(params: { accountId: string; deliveryId: string }): Promise<StoredDelivery | null>;
  /**
   * `waiting`: deliveries that are pending; `oldestDueAtMs`: of those that could go now, the earliest due time. What is
   * held back, or waits for a destination that is not on, is not overdue.
   */
  countWaiting(params: { nowMs: number }): Promise<{ waiting: number; oldestDueAtMs: number | null }>;
  /** How many destinations there are, each in one of these; deleted ones are in none. */
  countDestinations(params: { nowMs: number }): Promise<DestinationCounts>;
  /** Commits a write and reads it back; rejects with `StoreUnavailable` when that cannot be done. */
  probe(params: { nowMs: number }): Promise<void>;
  /** A small value of the installation itself, such as the check value of its encryption key. */
  loadSetting(params: { name: string }): Promise<string | null>;
  saveSetting(params: { name: string; value: string }): Promise<void>;
  /** The first one stays, of however many nodes: answers the value that is there now, and whether it is this one. */
  saveSettingUnlessThere(params: { name: string; value: string }): Promise<KeptSetting>;
}

export interface KeptSetting {
  readonly value: string;
  readonly isNew: boolean;
}

/* ---- configuration ---- */

export interface PutAccount {
  readonly account: Account;
  /** Kept only when the account is new: an account's secret does not change because it is put again. */
  readonly newSealedSecret: string;
  readonly nowMs: number;
}

export interface PutChatAssistant {
  readonly accountId: string;
  readonly assistant: ChatAssistant;
  /** False leaves an assistant that exists as it is (a conversation only needs it to be there). */
  readonly rename: boolean;
  readonly nowMs: number;
}

/** A custom header as stored: `value` is sealed when `secret`. */
export interface StoredHeader {
  readonly name: string;
  readonly value: string;
  readonly secret: boolean;
}

export interface DestinationSetup {
  readonly id: string;
  readonly url: string;
  readonly headers: readonly StoredHeader[];
  /** The owner's limit: deliveries a second; `null` for none. */
  readonly ratePerSecond: number | null;
}

export interface SaveAlert {
  readonly accountId: string;
  readonly alert: DemoAlert;
  /** `null` leaves the destination as it is: none, or the one that was saved before. */
  readonly destination: DestinationSetup | null;
  /** `null` creates; else the revision that the editor saw. */
  readonly expectedRevision: number | null;
  readonly alertsMax: number;
  readonly by: Actor;
  readonly nowMs: number;
}

export type SaveAlertResult =
  | { readonly kind: "saved"; readonly revision: number }
  | { readonly kind: "account_missing" }
  | { readonly kind: "alert_missing" }
  | { readonly kind: "limit_reached" }
  | { readonly kind: "edited_meanwhile"; readonly revision: number };

export interface SaveAssistantDestination {
  readonly accountId: string;
  readonly assistantId: string;
  readonly destination: DestinationSetup;
  readonly expectedRevision: number;
  readonly by: Actor;
  readonly nowMs: number;
}

/** `edited_meanwhile` also when it has got a destination of another id: sealed headers belong to one. */
export type SaveAssistantDestinationResult =
  | { readonly kind: "saved"; readonly revision: number }
  | { readonly kind: "assistant_missing" }
  | { readonly kind: "edited_meanwhile"; readonly revision: number };

export interface StoredDestination extends DestinationSetup {
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  /** Start of the unbroken run of failed attempts, or `null` when the last one succeeded. */
  readonly failingSinceMs: number | null;
}

/** Everything that deciding and delivering need to know of an account, read in one transaction. */
export interface StoredAccount extends Account {
  /** Grows with every change of anything below; an accept made with an older one is refused. */
  readonly configVersion: number;
  readonly secrets: StoredSecrets;
  readonly alerts: readonly (DemoAlert & StoredOwner)[];
  readonly assistants: readonly StoredAssistant[];
}

export type StoredAssistant = ChatAssistant & StoredOwner;

/** Sealed. While the secret is being rotated there is a next one, which is current from its instant on. */
export interface StoredSecrets {
  readonly current: { readonly sealed: string; readonly createdAtMs: number };
  readonly next: { readonly sealed: string; readonly createdAtMs: number; readonly becomesCurrentAtMs: number } | null;
}

/** What alerts and assistants have alike. `changed`: who saved it last; `null` when that was before it was kept. */
export interface StoredOwner {
  readonly revision: number;
  readonly changed: { readonly by: string; readonly atMs: number } | null;
  readonly destination: StoredDestination | null;
}

/* ---- the event's path ---- */

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
  readonly type: EventType;
  /** The session's or conversation's own id (a UUID, lower case): with account and type, unique for ever. */
  readonly sourceId: string;
  /** The chat assistant of a conversation. */
  readonly assistantId?: string | null;
  /** The exact text of the body; UTF-8 on the wire. */
  readonly body: string;
  readonly deliveries: readonly NewDelivery[];
  /** The trace that its attempts belong to, as `formatTraceContext` writes it; nothing when nobody traces. */
  readonly traceContext?: string | null;
  /** The row of the inbox that it came from: it goes in the same transaction, whether the event is new or known. */
  readonly inboxSeq?: number | null;
}

export interface NewDelivery {
  readonly id: string;
  readonly destinationId: string;
  /** True: inserted already held under the call's claim, because a lane of this node has room (the fast path). */
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
  /** The source id is known: nothing was written. `deliveries` is how many the first one had. */
  | { readonly kind: "duplicate"; readonly eventId: string; readonly deliveries: number }
  /** The account's configuration is newer than `configVersion`: nothing was written, decide again. */
  | { readonly kind: "config_changed" };

export interface ClaimDueDeliveries {
  readonly nowMs: number;
  readonly claim: Claim;
  /** At most so many in all. */
  readonly deliveriesMax: number;
  /** At most so many of one destination that `freeSlots` does not name. */
  readonly perDestinationMax: number;
  /** Room in the lanes that are busy on this node, fewer or more than `perDestinationMax`; 0 passes one over. */
  readonly freeSlots: Readonly<Record<string, number>>;
  /** Stops before the bodies exceed so many characters in all; one delivery is always taken. */
  readonly bodyCharsMax: number;
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
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
  readonly isProbe: boolean;
  /** The destination's `ratePerSecond`. */
  readonly ratePerSecond: number | null;
  /** The event's. */
  readonly traceContext: string | null;
  readonly configVersion: number;
  readonly claim: Claim;
}

export interface Settlement {
  readonly deliveryId: string;
  readonly claimToken: string;
  readonly attempt: AttemptRecord;
  readonly next:
    | { readonly state: "pending"; readonly dueAtMs: number }
    | { readonly state: Exclude<DeliveryState, "pending"> };
  /** The attempt says nothing about the receiver: it is kept and numbered, but the retry schedule does not count it. */
  readonly isFree: boolean;
  readonly isProbe: boolean;
  /** Turns the destination off in the same transaction. */
  readonly destinationOff: DestinationOffReason | null;
  /** The receiver asked for silence until then (`Retry-After`): the whole destination is held back. */
  readonly holdUntilMs: number | null;
}

export interface SettleAttempts {
  readonly nowMs: number;
  readonly settlements: readonly Settlement[];
}

/** One answer for each settlement, in order. `claim_lost`: nothing was written, somebody else holds it or ended it. */
export type SettleResult =
  /**
   * `heldUntilMs`: nothing goes to the destination before then; 0 when nothing holds it back. While its breaker is open
   * it is never 0, and what the node still holds must be given back: only a claim knows which delivery is the probe.
   * `turnedOff`: why this settlement, and none before it, turned the destination off; `null` when it did not.
   */
  | { readonly kind: "settled"; readonly heldUntilMs: number; readonly turnedOff: DestinationOffReason | null }
  | { readonly kind: "claim_lost" };

export interface ReleaseClaims {
  readonly claims: readonly { readonly deliveryId: string; readonly claimToken: string }[];
  readonly dueAtMs: number;
}

/** A test is kept like a delivery that has ended, marked as a test; it counts in no health and no statistics. */
export interface RecordTestDelivery {
  readonly nowMs: number;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly accountId: string;
  /** `null` for a test of values that were not saved. */
  readonly destinationId: string | null;
  readonly type: EventType;
  readonly body: string;
  readonly attempt: AttemptRecord;
  readonly state: "delivered" | "failed";
}

/* ---- housekeeping ---- */

/** Never touches what is pending, and never forgets the key of a session or conversation. */
export interface Purge {
  readonly nowMs: number;
  readonly payloadsBeforeMs: number;
  readonly attemptBodiesBeforeMs: number;
  readonly rowsBeforeMs: number;
  readonly rowsMax: number;
}

export interface Purged {
  /** Rows changed. */
  readonly purged: number;
  /** Call again: there may be more, perhaps behind rows that have to stay for now and were only passed over. */
  readonly hasMore: boolean;
}

/* ---- what people ask ---- */

/** `failing`: on, and its last attempt failed; `held`: on, and nothing is sent for now, for its breaker or its wish. */
export type DestinationCounts = Readonly<Record<DestinationState | "failing" | "held", number>>;

export interface StoredDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly accountId: string;
  readonly destinationId: string | null;
  readonly isTest: boolean;
  readonly state: DeliveryState;
  /** In its whole life. */
  readonly attemptsMade: number;
  /** Since it was accepted or last resent, without the free ones. */
  readonly attemptsInSchedule: number;
  /** When it is due, while pending and in nobody's hands; when its claim runs out, while held. */
  readonly dueAtMs: number | null;
  readonly createdAtMs: number;
  readonly settledAtMs: number | null;
  /** The last resend, by itself or in a replay; `null` when there was none. */
  readonly resentAtMs: number | null;
  readonly resentBy: string | null;
  /** `null` once it is purged. */
  readonly body: string | null;
  /** Answers that are purged have no headers and an empty body. */
  readonly attempts: readonly AttemptRecord[];
}
