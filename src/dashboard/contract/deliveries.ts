/** The log: deliveries with their attempts, resends and replays; sessions and conversations as they were accepted. */
import type { BodyKind } from "../../domain/body.ts";
import type { About } from "../../domain/event.ts";
import type { DeliveryState, DeliveryStatus } from "../../domain/delivery.ts";
import type { SavedView } from "../../store/contract/saved-views.ts";
import type { StoredReplay } from "../../store/contract/replays.ts";
import type { FormOf } from "../../domain/form.ts";
import type { deliveryQuery, searchedQuery } from "../forms/queries.ts";
import type { NotSentView } from "./conditions.ts";
import type { DestinationOwner, DestinationView } from "./destinations.ts";
import type { ExplainedOutcome, OutcomeClass } from "./outcomes.ts";

export type { DeliveryStatus, SavedView };

/** The log's filters, in the address of the page and of the call alike. */
export type DeliveryQuery = FormOf<typeof deliveryQuery>;
export type SearchedQuery = FormOf<typeof searchedQuery>;

export interface DeliveryRow {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly isTest: boolean;
  readonly eventType: string;
  /** The session's or conversation's id, or the event's key; `null` for a test. */
  readonly sourceId: string | null;
  readonly about: About;
  /** `null` for a test of values that were not saved. */
  readonly destination: { readonly id: string; readonly url: string; readonly owner: DestinationOwner } | null;
  /** The last attempt; `null` before the first. */
  readonly last: { readonly code: string; readonly class: OutcomeClass; readonly totalMs: number } | null;
  /** In its whole life. */
  readonly attemptsMade: number;
  /** Since it was accepted or last sent again, without those that were no fault of the receiver's. */
  readonly attemptsInSchedule: number;
  /** The length of the retry schedule, such as 10: "3 of 10" is `attemptsInSchedule` of these. */
  readonly attemptsMax: number;
  readonly nextAttemptAtMs: number | null;
  readonly createdAtMs: number;
}

export interface DeliveryList {
  readonly deliveries: readonly DeliveryRow[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
  /** `null` where no words were searched for, unless a filter could not look at everything. */
  readonly search: SearchView | null;
}

/** `isWhole: false`: there are at least `count`, and not everything was looked at. */
export interface DeliveryTotal {
  readonly count: number;
  readonly isWhole: boolean;
}

/** Everything that the log's filters find, newest first, without tests. */
export interface MatchingDeliveries {
  readonly ids: readonly string[];
  /** Those of them that the receiver has accepted already. */
  readonly deliveredIds: readonly string[];
  /** `false`: there are more than can be selected, and these are the newest. */
  readonly isWhole: boolean;
}

/** The result for each delivery of a selection: `refusal` says in words why one could not be sent. */
export interface SelectionAnswer {
  readonly results: readonly { readonly id: string; readonly refusal: string | null }[];
}

/** A search's own part of an answer. */
export interface SearchView {
  /** The matched texts, by the delivery's or the event's id. */
  readonly matches: Readonly<Record<string, Match>>;
  /** Older ones were not all looked at: the next page goes on there. */
  readonly searchedBackToMs: number | null;
  /** The index is behind: what was accepted from then on may be missing. */
  readonly missingFromMs: number | null;
  /** How many events' bodies were looked at for values of fields; `null`: none were asked for. */
  readonly lookedAt: number | null;
  /** Where nothing was found: fields that none of the newest events has. */
  readonly unknownFields: readonly UnknownField[];
  /** Where no delivery matches: some sessions and conversations that do, and that nothing was sent for. */
  readonly unsent: readonly UnsentEvent[];
}

export interface UnknownField {
  readonly field: string;
  /** A field of a known event type with nearly that name. */
  readonly nearest: string | null;
  /** How many of the newest events were looked at for it. */
  readonly lookedAt: number;
}

export interface UnsentEvent {
  readonly eventType: string;
  readonly sourceId: string;
  readonly assistantId: string | null;
  readonly about: About;
}

/** Text of the payload in which the search stands, shown as text; ranges are places in it, in order and apart. */
export interface Match {
  /** What was matched: "visitor", "demo" …, or a field of the body. */
  readonly field: string;
  readonly text: string;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

export interface DeliveryDetail extends DeliveryRow {
  readonly state: DeliveryState;
  readonly eventId: string;
  /** The id that its receiver sees; a test has another one than `id`. */
  readonly webhookId: string;
  /** `null` once it is purged, or when it came from a test of unsaved values. */
  readonly destinationNow: DestinationView | null;
  /** The event's exact body, which is signed and sent unless an attempt names another; `null` once it is purged. */
  readonly body: string | null;
  /** What attempts have sent where that was not the event: each body once. */
  readonly sentBodies: readonly SentBodyView[];
  readonly attempts: readonly AttemptView[];
  /** When the last attempt of the schedule will be over, as planned now; `null` when it has ended. */
  readonly lastAttemptAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly resent: { readonly by: string; readonly atMs: number } | null;
  /** Why it cannot be sent again, in words; `null` when it can. */
  readonly notResendable: string | null;
  /** The last failure: its own or, before its first attempt, of another delivery to its failing destination. */
  readonly evidence: EvidenceView | null;
  /** Its event's, as `EventDetail` has it. */
  readonly email: string | null;
  /** The incident of its destination that lasts. */
  readonly incidentId: string | null;
}

/** A failed attempt in one line, and where the whole of it is. */
export interface EvidenceView {
  readonly deliveryId: string;
  /** The attempt's number. */
  readonly attempt: number;
  readonly atMs: number;
  /** "503 Service Unavailable". */
  readonly status: string;
  /** The answer's first line; empty when it had none. */
  readonly line: string;
}

/** Nobody keeps what was made of an event: it is made again, and compared with what was sent. */
export interface SentBodyView {
  readonly kind: BodyKind;
  /** `null` where it cannot be made any more. */
  readonly body: string | null;
  /** `body` is not what was sent, to the byte. */
  readonly differs: boolean;
}

export interface AttemptView {
  readonly number: number;
  readonly startedAtMs: number;
  readonly url: string;
  /** As sent, secret values masked. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly outcome: ExplainedOutcome;
  /** What it has sent, as a place in `sentBodies`; `null`: the event. */
  readonly sent: number | null;
}

/** The log's views of the account, by name. */
export interface ViewsAnswer {
  readonly views: readonly SavedView[];
}

/* ---- replays ---- */

export interface ReplayView extends Omit<StoredReplay, "actor" | "stateActor"> {
  readonly destination: DestinationOwner | null;
  readonly by: string;
  readonly stateBy: string;
}

export interface ReplayList {
  readonly replays: readonly ReplayView[];
}

/* ---- events ---- */

export interface EventRow {
  /** Its key: the session's or conversation's own id. */
  readonly sourceId: string;
  readonly eventId: string;
  readonly type: string;
  /** The chat assistant of a conversation. */
  readonly assistantId: string | null;
  readonly acceptedAtMs: number;
  /** Nothing is known once the payload is purged. */
  readonly about: About;
  readonly intentLevel: string;
  readonly deliveries: { readonly total: number; readonly delivered: number; readonly failed: number };
  readonly isPurged: boolean;
}

export interface EventList {
  readonly events: readonly EventRow[];
  readonly nextCursor: string | null;
  /** `null` where nothing was searched for. */
  readonly search: SearchView | null;
  /** By the event's id; `null` unless the list has only what was not sent. No webhooks in it: none was there. */
  readonly notSent: Readonly<Record<string, NotSentView>> | null;
}

export interface EventDetail extends EventRow {
  /** Whose page has this and all else of them; `null` where none is known. */
  readonly email: string | null;
  readonly assistant: { readonly id: string; readonly name: string } | null;
  readonly body: string | null;
  readonly rows: readonly DeliveryRow[];
  readonly notSent: NotSentView;
}

export interface DeclaredEventDetail extends EventDetail {
  /** Of its body, in the schema's order; none where nobody declares the type any more. */
  readonly fields: readonly FieldMeaning[];
}

export interface FieldMeaning {
  /** `lead.email`; what is in a list's items is below `items[]`. */
  readonly path: string;
  /** In words, such as "number or null". */
  readonly type: string;
  /** Empty where its schema says nothing. */
  readonly description: string;
}
