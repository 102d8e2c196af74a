/**
 * An incident: the time for which a destination was in trouble, kept as its history. Pure. Whether one is under way
 * follows from the destination itself, so the transaction that changes its health opens and ends it.
 *
 *     well ──five failures more than successes, or turned off──► under way ──a success, a person──► ended
 *                                                                   ▲                                 │
 *                                                                   └── fails again within 10 min ────┘
 *
 * A receiver that comes and goes has one incident and not fifty: a short recovery is an interruption of it.
 */
import { minutesMs } from "../lib/duration.ts";
import { isFailing } from "./destination-health.ts";
import type { DestinationNow } from "./destination-now.ts";
import { type Owner, ownerPage } from "./event.ts";
import { firstIdAt } from "./id.ts";

/** A success ended it, or a person did. */
export const INCIDENT_ENDS = ["recovered", "turned_on", "url_changed", "deleted"] as const;

export type IncidentEnd = (typeof INCIDENT_ENDS)[number];

/** Guess: a restart that fails at first is over by then, and no person would call the next failure a new outage. */
export const INTERRUPTION_MS_MAX = minutesMs(10);

/** A paused destination that was failing stays in trouble until it is turned on or its last attempt succeeds. */
export const isInTrouble = ({ state, health }: Pick<DestinationNow, "state" | "health">): boolean =>
  state === "off" || isFailing(health);

/** When the trouble began: with the first failure of the unbroken run. */
export const findStartMs = ({ health }: Pick<DestinationNow, "health">, nowMs: number): number =>
  Math.min(health.failingSinceMs ?? nowMs, nowMs);

/** Made of the instant and of the destination, so that the store needs no chance and ids sort by time. */
export const incidentId = (destinationId: string, openedAtMs: number): string =>
  `${firstIdAt("inc", openedAtMs)}${destinationId.replace(/^dst_/, "").slice(-16)}`;

/** Where an owner reads about it, on the page of the destination's settings. */
export const incidentPath = (owner: Owner, id: string): string =>
  `${ownerPage(owner)}?incident=${encodeURIComponent(id)}`;

/** One kind of what came back: an answer's status, or the kind of failure where none came. */
export interface ResponseCount {
  readonly code: string;
  readonly count: number;
}

/** Most frequent first. */
export function addResponses(one: readonly ResponseCount[], other: readonly ResponseCount[]): ResponseCount[] {
  const counts = new Map<string, number>();
  for (const { code, count } of [...one, ...other]) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}
