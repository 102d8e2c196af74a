/** A webhook's own page: what no counter has of it, and what it would do with an event. */
import type { About } from "../../domain/event.ts";
import type { DeliveryRow, EvidenceView } from "./deliveries.ts";
import type { AuditEntry } from "./session.ts";

export interface WebhookReport {
  /** Deliveries whose last attempt has failed and that did not arrive since, newest first. */
  readonly failures: readonly FailureView[];
  /** Of its deliveries that were accepted in the range, the most frequent first. */
  readonly types: readonly TypeCount[];
  /** From when on they are counted: where the range begins, or later. */
  readonly typesFromMs: number;
  /** All of the range are counted. */
  readonly areTypesWhole: boolean;
  /** What people did with it, by its name of now, newest first. */
  readonly acts: readonly AuditEntry[];
  /** Older acts of the account were not looked at. */
  readonly actsSinceMs: number | null;
}

export interface FailureView {
  readonly row: DeliveryRow;
  /** What the last attempt met, in a sentence. */
  readonly sentence: string;
  readonly evidence: EvidenceView | null;
}

export interface TypeCount {
  readonly type: string;
  readonly delivered: number;
  /** With no attempt left, or cancelled. */
  readonly failed: number;
  readonly waiting: number;
  /** One bar for each 24th of the range, oldest first. What waits is in none. */
  readonly bars: readonly { readonly succeeded: number; readonly failed: number }[];
}

/** By the webhook's settings of now. */
export interface Decision {
  readonly type: string;
  readonly sourceId: string;
  readonly assistantId: string | null;
  readonly acceptedAtMs: number;
  readonly about: About;
  readonly fires: boolean;
  /** Why it does not, or why it waits; empty when it is sent at once. */
  readonly why: string;
}

export interface Decisions {
  /** Newest first. */
  readonly decisions: readonly Decision[];
}
