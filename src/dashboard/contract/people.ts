/** A person: every event that has their e-mail address, with what went where, and erasing them. */
import type { NotSentView } from "./conditions.ts";
import type { DeliveryRow, EventRow, SearchView } from "./deliveries.ts";

export interface PersonPage {
  /** Newest first. */
  readonly events: readonly PersonEvent[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
  readonly search: SearchView;
}

export interface PersonEvent extends EventRow {
  /** What did not arrive comes first; the event's own page has the rest. */
  readonly rows: readonly DeliveryRow[];
  readonly notSent: NotSentView;
}

/** A part of erasing: the call is repeated with `next` until that is `null`. */
export interface ErasedAnswer {
  /** How much of what, in words; always the same lines. */
  readonly lines: readonly ErasedLine[];
  /** A node has these in hand: ask again in a minute. */
  readonly inFlight: number;
  readonly next: string | null;
}

export interface ErasedLine {
  readonly count: number;
  readonly what: string;
}
