/**
 * The log of deliveries, sessions and conversations, the figures of the charts, a resend, and retention.
 *
 * Every list has an index. Lists are paged by cursors that name the last row, so that new rows never shift a page. A
 * cursor is plain values of the row's order; the dashboard makes one string of them.
 */
import type { Actor } from "../../domain/account.ts";
import type { About } from "../../domain/event.ts";
import type { AttemptRecord } from "../../domain/attempt.ts";
import type { DeliveryStatus } from "../../domain/delivery.ts";
import type { ResponseFilter } from "../../domain/replay.ts";
import type { LISTED, LOADED, RowOf } from "../columns.ts";
import { OF_ACCOUNT, withLess, type VerbTable } from "./verb-table.ts";

export interface LogVerbs {
  listDeliveries(params: ListDeliveries): Promise<ListedDeliveries>;
  /** How many the same filter lets through, as far as a person waits for it. */
  countDeliveries(params: CountDeliveries): Promise<CountedDeliveries>;
  loadDelivery(params: LoadDelivery): Promise<StoredDelivery | null>;
  /** Events as accepted, newest first: of one type or of all. */
  listEvents(params: ListEvents): Promise<readonly ListedEvent[]>;
  loadEvent(params: LoadEvent): Promise<(StoredEvent & { readonly deliveryIds: readonly string[] }) | null>;
  /** What these events tell about, in any order: none of a test, nor of another account. */
  listEventBodies(params: ListEventBodies): Promise<readonly EventBody[]>;
  /** Counts in `[fromMs, toMs)`, joined to buckets of `bucketMs` that start at multiples of it. */
  countAttempts(params: CountAttempts): Promise<readonly AttemptCount[]>;
  /** Marks that differ from those before when something has happened. Costs a few searches. */
  loadActivity(params: LoadActivity): Promise<Activity>;
  recordTestDelivery(params: RecordTestDelivery): Promise<void>;
  /**
   * A person's "now": an answer for each delivery, in the order given. One that has ended is sent again with a whole
   * schedule before it; one that waits gets its next attempt now, in its schedule. Each goes before all others of its
   * destination, and one that rests is half-open at once: the first of them is its trial.
   */
  requestResends(params: RequestResends): Promise<readonly ResendResult[]>;
  purge(params: Purge): Promise<Purged>;
}

export const LOG_VERBS = {
  listDeliveries: { kind: "side", reads: true, route: OF_ACCOUNT },
  countDeliveries: { kind: "side", reads: true, route: OF_ACCOUNT },
  loadDelivery: { kind: "side", reads: true, route: OF_ACCOUNT },
  listEvents: { kind: "side", reads: true, route: OF_ACCOUNT },
  loadEvent: { kind: "side", reads: true, route: OF_ACCOUNT },
  listEventBodies: { kind: "side", reads: true, route: OF_ACCOUNT },
  countAttempts: { kind: "side", reads: true, route: OF_ACCOUNT },
  loadActivity: { kind: "side", reads: true, route: OF_ACCOUNT },
  recordTestDelivery: { kind: "path", route: OF_ACCOUNT },
  requestResends: { kind: "path", route: OF_ACCOUNT },
  purge: {
    kind: "side",
    route: {
      kind: "all",
      rest: (params, { purged }) => withLess(params, "rowsMax", purged),
      join: (one, other) => ({ purged: one.purged + other.purged, hasMore: one.hasMore || other.hasMore }),
    },
  },
} satisfies VerbTable<LogVerbs>;

/**
 * A test is kept like a delivery that has ended, marked as a test; it touches no queue and counts in no health and no
 * statistics. It has no key against repeats: a test may be repeated.
 */
export interface RecordTestDelivery {
  readonly nowMs: number;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly accountId: string;
  /** `null` for a test of values that were not saved. */
  readonly destinationId: string | null;
  readonly type: string;
  readonly body: string;
  readonly attempt: AttemptRecord;
  readonly state: "delivered" | "failed";
}

export interface LoadDelivery {
  readonly accountId: string;
  readonly deliveryId: string;
}

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

/** What one delivery shows in the log and by itself. */
type Shown<Table extends typeof LISTED | typeof LOADED> = Omit<RowOf<Table>, "isTest" | `last${string}`> & {
  readonly eventType: string;
  readonly isTest: boolean;
};

export interface StoredDelivery extends Shown<typeof LOADED> {
  /** `null` once it is purged. */
  readonly body: string | null;
  /** Answers that are purged have no headers and an empty body. `loadBodyTexts` has the texts that `sent` names. */
  readonly attempts: readonly AttemptRecord[];
}

/** A part of an account's deliveries; parts that are left out do not narrow it. */
export interface ListDeliveries {
  readonly accountId: string;
  /** `waiting` and `retrying` are both pending; without and with attempts in the running schedule. */
  readonly statuses?: readonly DeliveryStatus[];
  readonly type?: string;
  readonly destinationId?: string;
  /** The last attempt's. */
  readonly response?: ResponseFilter;
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
  /**
   * Where a part of the filter has no index, about so many rows are looked at one by one. Left out, it is what a page
   * that a person waits for can afford.
   */
  readonly lookedAtMax?: number;
}

export interface DeliveryCursor {
  readonly createdAtMs: number;
  readonly id: string;
}

export interface ListedDeliveries {
  readonly deliveries: readonly ListedDelivery[];
  /** `null` on the last page. */
  readonly next: DeliveryCursor | null;
  /**
   * Older rows were not all looked at, so that a page with few or no rows is no proof that there are no others: the
   * next page goes on there. `null` when the page is full or everything was looked at.
   */
  readonly searchedBackToMs: number | null;
}

export interface CountDeliveries extends Omit<ListDeliveries, "idText" | "before" | "limit" | "lookedAtMax"> {
  /** Ends behind this number of rows of the index that it follows, whether the filter lets them through or not. */
  readonly rowsMax: number;
}

export interface CountedDeliveries {
  readonly count: number;
  /** `false`: not everything was looked at, so there are at least `count`. */
  readonly isWhole: boolean;
}

export interface ListedDelivery extends Shown<typeof LISTED> {
  /** `status` when it is an answer's, else the outcome's kind. */
  readonly last: { readonly outcome: string; readonly status: number | null; readonly totalMs: number } | null;
  /** Its event's, as the next one; `null` for a test's. */
  readonly sourceId: string | null;
  readonly about: About;
}

export interface ListEvents {
  readonly accountId: string;
  /** `null`: of all types, also those that nobody declares any more. */
  readonly type: string | null;
  /** Conversations of one assistant. */
  readonly assistantId?: string;
  readonly before: { readonly seq: number } | null;
  readonly limit: number;
}

export interface ListedEvent {
  readonly seq: number;
  readonly id: string;
  readonly sourceId: string;
  readonly type: string;
  /** The chat assistant of a conversation; `null` for a session. */
  readonly assistantId: string | null;
  readonly acceptedAtMs: number;
  readonly about: About;
  /** Empty where there is none. */
  readonly intentLevel: string;
  /** Its payload is gone, and with it what is known about it. */
  readonly isPurged: boolean;
  /** As it was accepted: webhooks that it did not go to; see `domain/not-sent.ts`. */
  readonly notSent: string | null;
  readonly deliveries: { readonly total: number; readonly delivered: number; readonly failed: number };
}

export interface StoredEvent extends ListedEvent {
  /** `null` once it is purged. */
  readonly body: string | null;
}

export interface LoadEvent {
  readonly accountId: string;
  readonly type: string;
  /** To the letter; a session's and a conversation's is kept in lower case. */
  readonly sourceId: string;
}

/** A body may have 1 MiB: ask for as many as there is room for. */
export interface ListEventBodies {
  readonly accountId: string;
  readonly eventIds: readonly string[];
}

export interface EventBody extends Pick<StoredEvent, "id" | "sourceId" | "type" | "body"> {}

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
  /** Only of these: each costs a search. */
  readonly destinationIds?: readonly string[];
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

export interface RequestResends {
  readonly accountId: string;
  readonly deliveryIds: readonly string[];
  readonly by: Actor;
  readonly nowMs: number;
}

/**
 * `in_memory`: a node holds it at this moment. `not_its_turn`: others wait before it, and its destination gets one at a
 * time. `destination_paused` and `destination_off` are answers about one that
 * waits; one that has ended is queued, and waits for its destination too.
 */
export type ResendResult =
  | "queued"
  | "missing"
  | "in_memory"
  | "not_its_turn"
  | "destination_paused"
  | "destination_off"
  | "is_test"
  | "payload_purged"
  | "destination_deleted";

export interface LoadActivity {
  readonly accountId: string;
  /** Attempts and events are looked at from here on. Guess: some minutes ago, more than an attempt takes. */
  readonly sinceMs: number;
}

export interface Activity {
  /** The mark of attempts and events since then. An earlier `sinceMs` may give another mark, with nothing new. */
  readonly deliveries: string;
  /** The mark of the account's set-up and of its audit. */
  readonly configuration: string;
  /** Marks of each destination's state and health, by its id; deleted ones too. */
  readonly destinations: Readonly<Record<string, string>>;
  /** Marks of how far each of the newest replays is, by its id. */
  readonly replays: Readonly<Record<string, string>>;
}
