/** A notification as the body of a signed webhook, and the id by which its receiver recognises repeats. Pure. */
import { createHash } from "node:crypto";
import type { Notification, NotificationKind, NotificationLine } from "../domain/notification.ts";
import type { NotificationBody, NotificationDestination, NotificationType } from "../domain/notification-body.ts";
import { bodyTime } from "../domain/operator-alert.ts";
import { oneLine } from "../domain/plain-text.ts";
import type { ReportedDestination } from "../store/contract/destinations.ts";
import { NAME_CHARS_MAX, SECTIONS, buildLink, readHost, summarize } from "./notification-words.ts";

/** A line with the number of deliveries that wait for its destination; `null` where the news is not a failure. */
export interface ChannelLine extends NotificationLine {
  readonly waiting: ReportedDestination["waiting"] | null;
}

/** What one channel is notified of. */
export interface ChannelNotification extends Omit<Notification, "lines"> {
  readonly accountId: string;
  readonly accountName: string;
  readonly channelId: string;
  readonly lines: readonly ChannelLine[];
}

/** Every message of a channel needs this besides what it says. */
export interface MessageFrame {
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: string;
  readonly nowMs: number;
}

export function notificationBody(notification: ChannelNotification, { publicUrl, nowMs }: MessageFrame): string {
  const { accountId, accountName, counts, lines } = notification;
  const [gravest] = SECTIONS.find(([kind]) => counts[kind] > 0) ?? ["still_failing"];
  const body: NotificationBody = {
    type: TYPES[gravest],
    sent_at: bodyTime(nowMs),
    account: { id: accountId, name: oneLine(accountName, NAME_CHARS_MAX) },
    summary: summarize(notification),
    destinations: lines.map((line) => toDestination(line, publicUrl)),
    counts,
    link: `${publicUrl}/`,
  };
  return JSON.stringify(body);
}

export interface TestNotification extends MessageFrame {
  readonly accountId: string;
  readonly accountName: string;
}

export function testBody({ accountId, accountName, publicUrl, nowMs }: TestNotification): string {
  const body: NotificationBody = {
    type: "notice.test",
    sent_at: bodyTime(nowMs),
    account: { id: accountId, name: oneLine(accountName, NAME_CHARS_MAX) },
    summary: "This is a test. News about failing webhooks will arrive here.",
    destinations: [],
    counts: { turned_off: 0, failing: 0, certificate_ends: 0, still_failing: 0, recovered: 0 },
    link: `${publicUrl}/settings/account`,
  };
  return JSON.stringify(body);
}

const TYPES: Readonly<Record<NotificationKind, NotificationType>> = {
  turned_off: "destination.turned_off",
  failing: "destination.failing",
  certificate_ends: "destination.certificate_ends",
  still_failing: "destination.still_failing",
  recovered: "destination.recovered",
};

function toDestination(line: ChannelLine, publicUrl: string): NotificationDestination {
  const { kind, atMs, waiting, incidentId, certificateEndsAtMs, destination } = line;
  const { id, owner, failingSinceMs, offReason, lastFailure } = destination;
  return {
    type: TYPES[kind],
    occurred_at: bodyTime(atMs),
    id,
    owner: { kind: owner.kind, id: owner.id, name: oneLine(owner.name, NAME_CHARS_MAX) },
    host: readHost(line),
    failing_since: failingSinceMs === null ? null : bodyTime(failingSinceMs),
    off_reason: offReason,
    last_failure:
      lastFailure === null
        ? null
        : { at: bodyTime(lastFailure.atMs), outcome: lastFailure.outcome, status: lastFailure.status },
    waiting: waiting === null ? null : { count: waiting.count, is_capped: waiting.isCapped },
    certificate_ends_at: certificateEndsAtMs === null ? null : bodyTime(certificateEndsAtMs),
    incident: incidentId,
    link: buildLink(line, publicUrl),
  };
}

/**
 * The same for the same news to the same channel, so that a notification that went out twice is known by its id,
 * although what waits has changed meanwhile. A reminder differs from the one before by its instant.
 */
export function notificationId({ channelId, lines, counts, remindAtMs }: ChannelNotification): string {
  const news = lines
    .filter(({ kind }) => kind !== "still_failing")
    .map(({ kind, atMs, destination }) => [destination.id, kind, atMs]);
  const { turned_off: off, failing, recovered, certificate_ends: ending } = counts;
  const identity = JSON.stringify([channelId, remindAtMs, [off, failing, recovered, ending], news]);
  return `ntc_${createHash("sha256").update(identity).digest("hex").slice(0, 32)}`;
}
