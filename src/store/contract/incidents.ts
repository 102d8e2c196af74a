/**
 * Incidents: from when to when a destination was in trouble, what came back, and what became of its deliveries. No verb
 * makes one: the transaction that changes a destination's health opens and ends it (`domain/incident.ts`), so a crash
 * leaves both or neither. Healthy destinations cost nothing.
 */
import type { DestinationOffReason } from "../../domain/destination.ts";
import type { IncidentEnd, ResponseCount } from "../../domain/incident.ts";
import { OF_ACCOUNT, type VerbTable } from "./verb-table.ts";

export interface IncidentsVerbs {
  /** Newest first: of one destination, or all of the account's that were under way at `sinceMs` or later. */
  listIncidents(params: ListIncidents): Promise<readonly StoredIncident[]>;
  /** Counts its deliveries by what became of them; `null` when the destination has no such incident in this account. */
  countIncident(params: CountIncident): Promise<IncidentFigures | null>;
}

export const INCIDENTS_VERBS = {
  listIncidents: { kind: "side", reads: true, route: OF_ACCOUNT },
  countIncident: { kind: "side", reads: true, route: OF_ACCOUNT },
} satisfies VerbTable<IncidentsVerbs>;

export type ListIncidents = {
  readonly accountId: string;
  readonly limit: number;
} & (
  | {
      readonly destinationId: string;
      /** Behind this one; `null` begins with the newest. */
      readonly before: string | null;
    }
  | {
      readonly sinceMs: number;
      /** Behind this one; the newest come first without it. */
      readonly before?: string;
    }
);

export interface StoredIncident {
  /** Sorts by when it was opened. */
  readonly id: string;
  readonly destinationId: string;
  /** The start of the first attempt that failed. */
  readonly fromMs: number;
  /** `null` while it lasts. */
  readonly toMs: number | null;
  readonly end: IncidentEnd | null;
  /** Why the destination was turned off during it; `null` when it was not. */
  readonly offReason: DestinationOffReason | null;
  /** How often the receiver was well in between, for ten minutes at most. */
  readonly interruptions: number;
  /** Failed attempts by what came back, most frequent first. */
  readonly responses: readonly ResponseCount[];
}

export interface CountIncident {
  readonly accountId: string;
  readonly destinationId: string;
  readonly incidentId: string;
  /** Stops after so many of the destination's deliveries, from the incident's end back. */
  readonly rowsMax: number;
  readonly nowMs: number;
}

/** The deliveries that an incident has hit: they were accepted before its end and did not arrive at once. */
export interface IncidentFigures {
  readonly delivered: number;
  /** Pending. */
  readonly waiting: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Those that failed, by their last response; most frequent first. */
  readonly failedBy: readonly ResponseCount[];
  /** The earliest acceptance among them; `null` when there is none. */
  readonly oldestMs: number | null;
  /** The first and the last accepted of those with an attempt that failed; `null` when there is none. */
  readonly firstFailedId: string | null;
  readonly lastFailedId: string | null;
  /** There are more than were looked at. */
  readonly isCapped: boolean;
}
