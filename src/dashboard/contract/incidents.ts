/** Incidents of a destination, as its owner reads them. */
import type { ResponseCount } from "../../domain/incident.ts";
import type { IncidentFigures, StoredIncident } from "../../store/contract/incidents.ts";
import type { EvidenceView } from "./deliveries.ts";
import type { DestinationOwner } from "./destinations.ts";

export type { IncidentFigures, ResponseCount, StoredIncident };

export interface IncidentList {
  /** Newest first. */
  readonly incidents: readonly StoredIncident[];
  readonly hasOlder: boolean;
}

/** One of any destination; `destination` is `null` when that is forgotten. */
export interface AccountIncidentView extends StoredIncident {
  readonly destination: { readonly id: string; readonly url: string; readonly owner: DestinationOwner } | null;
}

export interface AccountIncidentList {
  /** Those under way, the one that a link names, and the others, newest first. */
  readonly incidents: readonly AccountIncidentView[];
  /** Behind this one there are older ones; `null` when there are none. */
  readonly olderThan: string | null;
}

export interface IncidentFiguresAnswer {
  /** `null`: the destination has no such incident, or it is forgotten. */
  readonly figures: IncidentFigures | null;
  /** What the last of them met. */
  readonly evidence: EvidenceView | null;
  /** As many deliveries of its time are looked at, newest first. */
  readonly lookedAtMax: number;
}
