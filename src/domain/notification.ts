/**
 * One notification to one recipient: which destinations it is about, made of the messages that are due to the recipient
 * and of the destinations as they are now. Pure.
 */
import type { DestinationFailure, DestinationOffReason, DestinationState } from "./destination.ts";
import type { NamedOwner } from "./event.ts";

/** `still_failing`: notified before, and not over yet. It stands beside what is new, and is sent alone once a day. */
export const NOTIFICATION_KINDS = ["turned_off", "failing", "still_failing", "recovered", "certificate_ends"] as const;

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export interface NotifiedDestination {
  readonly id: string;
  readonly url: string;
  readonly owner: NamedOwner;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly lastFailure: DestinationFailure | null;
}

export interface NotificationLine {
  readonly kind: NotificationKind;
  /** When it became news. */
  readonly atMs: number;
  /** The destination's latest incident, which it is about; `null` when it is not kept any more, or about none. */
  readonly incidentId: string | null;
  /** Where it is about the end of the destination's client certificate. */
  readonly certificateEndsAtMs: number | null;
  readonly destination: NotifiedDestination;
}

export interface Notification {
  /** At most as many of each kind as were asked for, oldest first. */
  readonly lines: readonly NotificationLine[];
  /** How many there are of each kind. */
  readonly counts: Readonly<Record<NotificationKind, number>>;
  /** When a reminder fell due that is part of it; `null`: what still fails makes no notification by itself. */
  readonly remindAtMs: number | null;
}

/** A message that is due to the recipient. */
export interface DueMessage {
  readonly kind: Exclude<NotificationKind, "still_failing"> | "reminder";
  readonly destinationId: string;
  readonly atMs: number;
}

/** A destination that is not deleted, as it is now. */
export interface DestinationView extends NotifiedDestination {
  readonly state: DestinationState;
  /** An outage that lasts, of which somebody was notified. */
  readonly isNotified: boolean;
  readonly notifiedAtMs: number | null;
  readonly certificateEndsAtMs: number | null;
  readonly incidentId: string | null;
}

/** `null`: there is nothing to tell. Of a destination's outages the latest message counts. */
export function composeNotification(
  due: readonly DueMessage[],
  destinations: readonly DestinationView[],
  linesMax: number,
): Notification | null {
  const changes = new Map<string, DueMessage>();
  const warnings = new Map<string, DueMessage>();
  for (const message of due) {
    if (message.kind === "certificate_ends") warnings.set(message.destinationId, message);
    else if (message.kind !== "reminder") changes.set(message.destinationId, message);
  }
  const lines: NotificationLine[] = [];
  for (const view of destinations) {
    const change = changes.get(view.id);
    const warning = warnings.get(view.id);
    if (change !== undefined && change.kind !== "reminder") lines.push(toLine(change.kind, change.atMs, view));
    else if (view.isNotified && view.state === "on") lines.push(toLine("still_failing", findSinceMs(view), view));
    if (warning !== undefined) lines.push(toLine("certificate_ends", warning.atMs, view));
  }
  const remindAtMs = due.find(({ kind }) => kind === "reminder")?.atMs ?? null;
  const isNews = lines.some(({ kind }) => kind !== "still_failing");
  if (!isNews && (remindAtMs === null || lines.length === 0)) return null;
  return { ...cutLines(lines, linesMax), remindAtMs };
}

const findSinceMs = ({ failingSinceMs, notifiedAtMs }: DestinationView): number => failingSinceMs ?? notifiedAtMs ?? 0;

function toLine(kind: NotificationKind, atMs: number, view: DestinationView): NotificationLine {
  const { id, url, owner, offReason, failingSinceMs, lastFailure } = view;
  const isWarning = kind === "certificate_ends";
  return {
    kind,
    atMs,
    incidentId: isWarning ? null : view.incidentId,
    certificateEndsAtMs: isWarning ? view.certificateEndsAtMs : null,
    destination: { id, url, owner, offReason, failingSinceMs, lastFailure },
  };
}

/** In the same order for the same news, whoever asks. */
function cutLines(lines: readonly NotificationLine[], linesMax: number): Pick<Notification, "lines" | "counts"> {
  const sorted = lines.toSorted((a, b) => a.atMs - b.atMs || (a.destination.id < b.destination.id ? -1 : 1));
  const counts = { turned_off: 0, failing: 0, still_failing: 0, recovered: 0, certificate_ends: 0 };
  const shown = NOTIFICATION_KINDS.flatMap((wanted) => {
    const ofKind = sorted.filter(({ kind }) => kind === wanted);
    counts[wanted] = ofKind.length;
    return ofKind.slice(0, linesMax);
  });
  return { lines: shown, counts };
}
