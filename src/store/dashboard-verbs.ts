/**
 * The part of the store's contract that stands behind the dashboard: what people look at, what they decide,
 * and the figures of the charts. The rules at the head of `store.ts` hold here too; every list has an index.
 *
 * Lists are paged by cursors that name the last row, so that new rows never shift a page. Cursors are plain values of
 * the row's order; whoever shows them to a browser makes one string of them.
 */
import type { Actor } from "../domain/actor.ts";
import type { DeliveryState } from "../domain/delivery.ts";
import type { DestinationOffReason, DestinationState } from "../domain/destination.ts";
import type { EventType } from "../domain/event.ts";
import type { Activity, LoadActivity } from "./activity.ts";
import type { StoredReplay } from "./decisions.ts";
import type { MailVerbs } from "./mail-verbs.ts";
import type { SessionVerbs } from "./session-verbs.ts";

export interface DashboardVerbs extends SessionVerbs, MailVerbs {
  /* What people decide. Each is written down in the audit by the same transaction. */
  /**
   * Its destination goes with it: nothing more is sent, and what waits is cancelled by `cancelWaiting` (or at last by
   * `expireWaiting`). What was sent stays in the log, which names the alert for as long as there is something of it.
   */
  deleteAlert(params: DeleteAlert): Promise<"deleted" | "missing" | "edited_meanwhile">;
  removeAssistantDestination(params: RemoveAssistantDestination): Promise<"removed" | "missing" | "edited_meanwhile">;
  /**
   * Cancels what waits for a destination, at most `rowsMax` at once: repeat until there are none. What somebody holds
   * is left to them: it may arrive yet.
   */
  cancelWaiting(params: CancelWaiting): Promise<{ readonly cancelled: number }>;
  /** Makes a next secret beside the current one (`becomesCurrentAtMs` ahead), or replaces the current one now. */
  rotateSecret(params: RotateSecret): Promise<"rotated" | "rotating_already" | "missing">;
  /** The next secret becomes the current one. `onlyIfDue`: not before its time, for the housekeeping. */
  switchSecret(params: SwitchSecret): Promise<"switched" | "unchanged">;
  writeAudit(params: NewAuditEntry): Promise<void>;

  /* What people look at. */
  listDeliveries(params: ListDeliveries): Promise<ListedDeliveries>;
  /** Sessions or conversations as accepted, newest first. */
  listEvents(params: ListEvents): Promise<readonly StoredEvent[]>;
  loadEvent(params: LoadEvent): Promise<(StoredEvent & { readonly deliveryIds: readonly string[] }) | null>;
  /** Health of all of an account's destinations, those of deleted owners included when `withDeleted`. */
  loadDestinations(params: LoadDestinations): Promise<readonly ReportedDestination[]>;
  /** The newest 100, newest first. */
  listReplays(params: { readonly accountId: string }): Promise<readonly StoredReplay[]>;
  /** Counts in `[fromMs, toMs)`, joined to buckets of `bucketMs` that start at multiples of it. */
  countAttempts(params: CountAttempts): Promise<readonly AttemptCount[]>;
  listAudit(params: ListAudit): Promise<readonly StoredAuditEntry[]>;
  /** Marks that differ from those before when something has happened. Costs a few searches. */
  loadActivity(params: LoadActivity): Promise<Activity>;
}

/* ---- what people decide ---- */

export interface DeleteAlert {
  readonly accountId: string;
  readonly alertId: string;
  readonly expectedRevision: number;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface RemoveAssistantDestination {
  readonly accountId: string;
  readonly assistantId: string;
  readonly expectedRevision: number;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface CancelWaiting {
  readonly accountId: string;
  readonly destinationId: string;
  /** What was accepted later is not touched. */
  readonly createdBeforeMs: number;
  readonly rowsMax: number;
  readonly nowMs: number;
}

export interface RotateSecret {
  readonly accountId: string;
  readonly newSealedSecret: string;
  /** `null`: the new one replaces the current one at once, and a next one is dropped too. */
  readonly becomesCurrentAtMs: number | null;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface SwitchSecret {
  readonly accountId: string;
  readonly onlyIfDue: boolean;
  readonly by: Actor;
  readonly nowMs: number;
}

/** Stable names; the dashboard has the words. */
export const AUDIT_ACTIONS = [
  "signed_in",
  "signed_out",
  "session_replaced",
  "session_crowded_out",
  "person_signed_out",
  "alert_created",
  "alert_changed",
  "alert_deleted",
  "assistant_webhook_changed",
  "assistant_webhook_removed",
  "destination_paused",
  "destination_turned_on",
  "backlog_cancelled",
  "webhook_tested",
  "delivery_resent",
  "replay_prepared",
  "replay_started",
  "replay_paused",
  "replay_cancelled",
  "secret_revealed",
  "secret_rotated",
  "secret_switched",
  "mail_address_added",
  "mail_address_removed",
  "mail_address_asked",
  "mail_address_confirmed",
  "mail_address_stopped",
  "mail_address_started",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface NewAuditEntry {
  readonly accountId: string;
  readonly nowMs: number;
  readonly by: Actor;
  readonly action: AuditAction;
  /** The name or id of what it was done to. Never a secret. */
  readonly subject: string;
}

export interface StoredAuditEntry extends Actor {
  readonly seq: number;
  readonly atMs: number;
  readonly action: AuditAction;
  readonly subject: string;
}

export interface ListAudit {
  readonly accountId: string;
  /** Only what this names, such as who revealed the secret last; everything when left out. */
  readonly action?: AuditAction;
  readonly before: { readonly seq: number } | null;
  readonly limit: number;
}

/* ---- what people look at ---- */

/** A part of an account's deliveries; parts that are left out do not narrow it. */
export interface ListDeliveries {
  readonly accountId: string;
  /** `waiting` and `retrying` are both pending; without and with attempts in the running schedule. */
  readonly statuses?: readonly ("waiting" | "retrying" | Exclude<DeliveryState, "pending">)[];
  readonly type?: EventType;
  readonly destinationId?: string;
  /** The last attempt's: a class from 1 to 5 (the status's hundreds), an exact status, or `none` for no answer. */
  readonly response?: { readonly hundreds: number } | { readonly status: number } | "none";
  /** Inclusive, of the acceptance. */
  readonly createdFromMs?: number;
  /** Exclusive. */
  readonly createdToMs?: number;
  /** An exact id of a delivery, event, session or conversation. */
  readonly idText?: string;
  readonly withTests: boolean;
  /** Newest first, behind this row. */
  readonly before: DeliveryCursor | null;
  readonly limit: number;
}

export interface DeliveryCursor {
  readonly createdAtMs: number;
  readonly id: string;
}

export interface ListedDeliveries {
  readonly deliveries: readonly ListedDelivery[];
  readonly next: DeliveryCursor | null;
}

export interface ListedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly destinationId: string | null;
  readonly isTest: boolean;
  readonly state: DeliveryState;
  readonly attemptsMade: number;
  readonly attemptsInSchedule: number;
  readonly dueAtMs: number | null;
  readonly createdAtMs: number;
  /** `status` when it is an answer's, else the outcome's kind. */
  readonly last: { readonly outcome: string; readonly status: number | null; readonly totalMs: number } | null;
}

export interface ListEvents {
  readonly accountId: string;
  readonly type: EventType;
  /** Conversations of one assistant. */
  readonly assistantId?: string;
  readonly before: { readonly seq: number } | null;
  readonly limit: number;
}

export interface StoredEvent {
  readonly seq: number;
  readonly id: string;
  readonly sourceId: string;
  readonly type: EventType;
  /** The chat assistant of a conversation; `null` for a session. */
  readonly assistantId: string | null;
  readonly acceptedAtMs: number;
  /** `null` once it is purged. */
  readonly body: string | null;
  readonly deliveries: { readonly total: number; readonly delivered: number; readonly failed: number };
}

export interface LoadEvent {
  readonly accountId: string;
  readonly type: EventType;
  /** Lower case. */
  readonly sourceId: string;
}

export interface LoadDestinations {
  readonly accountId: string;
  readonly destinationId?: string;
  readonly withDeleted: boolean;
  readonly nowMs: number;
  /** Stops counting what waits there. */
  readonly waitingMax: number;
}

export interface ReportedDestination {
  readonly id: string;
  readonly url: string;
  readonly owner: {
    readonly kind: "alert" | "assistant";
    readonly id: string;
    readonly name: string;
    readonly isDeleted: boolean;
  };
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly strain: number;
  /** The breaker is open. */
  readonly isHeld: boolean;
  /** 0 when nothing holds it back. */
  readonly notBeforeMs: number;
  readonly nextDueAtMs: number | null;
  readonly waiting: { readonly count: number; readonly isCapped: boolean };
  readonly lastFailure: { readonly atMs: number; readonly outcome: string; readonly status: number | null } | null;
  /** The last change of its state by anybody. */
  readonly lastChange: { readonly atMs: number; readonly actor: string; readonly reason: string } | null;
  /** It has had an attempt that was no test. */
  readonly hasAttempts: boolean;
}

/**
 * Figures are counters by bucket, written where attempts are settled. An `attempt` is counted at its start: `result` is
 * `delivered`, `retry` or `failed`, `code` its answer's status or its outcome's kind, `bin` its time in the histogram
 * of `domain/histogram.ts`. A `delivery` is counted when its 2xx arrives, `bin` being the time since its acceptance.
 */
export interface AttemptCount {
  readonly destinationId: string;
  readonly atMs: number;
  readonly kind: "attempt" | "delivery";
  readonly result: "delivered" | "retry" | "failed";
  readonly code: string;
  readonly bin: number;
  readonly count: number;
}

export interface CountAttempts {
  readonly accountId: string;
  readonly destinationId?: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
  /**
   * Adds up what the caller does not tell apart, as thousands of rows would be read for nothing: all destinations
   * (`destinationId` is then empty), or all answers and times of each (`code` is then empty and `bin` 0), of attempts
   * alone.
   */
  readonly joined?: "destinations" | "answers";
}
