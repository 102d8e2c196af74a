/**
 * Search in what events are about. Its index is fed beside the event's path: an accept writes nothing for it, and
 * `indexEvents` follows behind. Both stores find the same, because `domain/search-words.ts` says what a word is.
 */
import type { FieldValue } from "../../domain/field-values.ts";
import type { Phrase } from "../../domain/search-words.ts";
import type { Match } from "../../events/find-match.ts";
import type { DeliveryCursor, ListDeliveries, ListedDelivery, ListedEvent } from "./log.ts";
import { OF_ACCOUNT, withLess, type VerbTable } from "./verb-table.ts";

export interface SearchVerbs {
  searchDeliveries(params: SearchDeliveries): Promise<FoundDeliveries>;
  /** Events, also those that nothing was sent for. */
  searchEvents(params: SearchEvents): Promise<FoundEvents>;
  /** Takes the next events into the index. Where another node does, it does nothing. */
  indexEvents(params: IndexEvents): Promise<IndexedEvents>;
}

export const SEARCH_VERBS = {
  searchDeliveries: { kind: "side", reads: true, route: OF_ACCOUNT },
  searchEvents: { kind: "side", reads: true, route: OF_ACCOUNT },
  indexEvents: {
    kind: "side",
    route: {
      kind: "all",
      rest: (params, { indexed }) => withLess(params, "eventsMax", indexed),
      cut: ({ indexed }) => ({ indexed, hasMore: true }),
      join: (one, other) => ({ indexed: one.indexed + other.indexed, hasMore: one.hasMore || other.hasMore }),
    },
  },
} satisfies VerbTable<SearchVerbs>;

/** Beside the words, which may be none then: bodies are looked at, the newest first and as many as one answer can. */
export interface AskedOfBodies {
  /** All must be there; at most `FIELD_VALUES_MAX`. */
  readonly values?: readonly FieldValue[];
  /** To the letter, as `erasePerson` finds it; the words of the address say where to look. */
  readonly email?: string;
}

export interface SearchDeliveries extends Omit<ListDeliveries, "idText">, AskedOfBodies {
  /** All must be found in the event's texts; at most `PHRASES_MAX`, and none only where values are asked for. */
  readonly phrases: readonly Phrase[];
  readonly nowMs: number;
}

export interface SearchEvents extends AskedOfBodies {
  readonly accountId: string;
  /** `null`: of all types. */
  readonly type: string | null;
  /** Conversations of one assistant. */
  readonly assistantId?: string;
  /** Leave it empty for an id. */
  readonly phrases: readonly Phrase[];
  /** A session's or conversation's, its event's or one of its deliveries'. */
  readonly id?: string;
  /** Newest first, behind this one: its acceptance and the event's id. */
  readonly before: DeliveryCursor | null;
  readonly limit: number;
  readonly nowMs: number;
}

export const PHRASES_MAX = 16;

interface Found {
  /** `null` on the last page. */
  readonly next: DeliveryCursor | null;
  /** Not everything older was looked at yet: the next page goes on before this instant. */
  readonly searchedBackToMs: number | null;
  /** The index is behind: what was accepted from then on may be missing. `null`: it has everything. */
  readonly missingFromMs: number | null;
  /** How many bodies were looked at; `null` where none were asked. */
  readonly lookedAt: number | null;
}

export interface FoundDeliveries extends Found {
  readonly deliveries: readonly (ListedDelivery & { readonly match: Match | null })[];
}

export interface FoundEvents extends Found {
  readonly events: readonly (ListedEvent & { readonly match: Match | null })[];
}

export interface IndexEvents {
  readonly nowMs: number;
  readonly eventsMax: number;
  /** The sum of their bodies' `searchedBytes`; one event is taken however large it is. */
  readonly bytesMax: number;
}

export interface IndexedEvents {
  readonly indexed: number;
  /** Call again: there are more. */
  readonly hasMore: boolean;
}
