/** Incidents of a destination, as its owner reads them. */
import type { DestinationOffReason } from "../../domain/destination.ts";
import type { IncidentEnd, ResponseCount } from "../../domain/incident.ts";
import type { EvidenceView } from "./deliveries.ts";
import type { DestinationOwner } from "./destinations.ts";

export type { IncidentEnd, ResponseCount };

export interface IncidentsQuery {
  /** The one that a link names: the list then reaches back to it. */
  readonly incident?: string;
  /** Those before this one. */
  readonly before?: string;
}

export interface IncidentView {
  readonly id: string;
  readonly destinationId: string;
  readonly fromMs: number;
  /** `null` while it lasts. */
  readonly toMs: number | null;
  readonly end: IncidentEnd | null;
  /** Why the destination was turned off during it. */
  readonly offReason: DestinationOffReason | null;
  /** How often the receiver was well in between, for ten minutes at most. */
  readonly interruptions: number;
  /** Failed attempts by what came back, most frequent first. */
  readonly responses: readonly ResponseCount[];
}

export interface IncidentList {
  /** Newest first. */
  readonly incidents: readonly IncidentView[];
  readonly hasOlder: boolean;
}

/** One of any destination; `destination` is `null` when that is forgotten. */
export interface AccountIncidentView extends IncidentView {
  readonly destination: { readonly id: string; readonly url: string; readonly owner: DestinationOwner } | null;
}

export interface AccountIncidentList {
  /** Those under way, the one that a link names, and the others, newest first. */
  readonly incidents: readonly AccountIncidentView[];
  /** Behind this one there are older ones; `null` when there are none. */
  readonly olderThan: string | null;
}

/** The deliveries that it has hit, by what became of them. */
export interface IncidentFiguresView {
  readonly delivered: number;
  readonly waiting: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Those that failed, by their last response; most frequent first. */
  readonly failedBy: readonly ResponseCount[];
  /** The earliest acceptance among them. */
  readonly oldestMs: number | null;
  /** The first and the last accepted of those with an attempt that failed. */
  readonly firstFailedId: string | null;
  readonly lastFailedId: string | null;
  /** There are more than were counted. */
  readonly isCapped: boolean;
}

export interface IncidentFiguresAnswer {
  /** `null`: the destination has no such incident, or it is forgotten. */
  readonly figures: IncidentFiguresView | null;
  /** What the last of them met. */
  readonly evidence: EvidenceView | null;
  /** As many deliveries of its time are looked at, newest first. */
  readonly lookedAtMax: number;
}
