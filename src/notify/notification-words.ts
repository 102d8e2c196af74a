/**
 * The words of a notification that emails, chat messages and webhooks share: what happened to which destination, since
 * when, and where to look. Pure.
 */
import { OWNER_NOUNS, ownerPage } from "../domain/event.ts";
import { incidentPath } from "../domain/incident.ts";
import type { Notification, NotificationKind, NotificationLine } from "../domain/notification.ts";
import { oneLine } from "../domain/plain-text.ts";
import { minuteInWords } from "../lib/written-times.ts";

/** What is new, gravest first, and then what is not. */
export const SECTIONS: readonly (readonly [kind: NotificationKind, title: string])[] = [
  ["turned_off", "Turned off"],
  ["failing", "Failing"],
  ["certificate_ends", "With a client certificate that ends"],
  ["recovered", "Arriving again"],
  ["still_failing", "Still failing"],
];

export const NAME_CHARS_MAX = 80;

/** The number of destinations with something new. */
const countNews = ({ counts }: Pick<Notification, "counts">): number =>
  counts.turned_off + counts.failing + counts.certificate_ends + counts.recovered;

/** One line about all of it, with the host when there is one. */
export function summarize({ counts, lines }: Pick<Notification, "counts" | "lines">): string {
  const isNews = countNews({ counts }) > 0;
  const named = SECTIONS.filter(([kind]) => counts[kind] > 0 && (kind === "still_failing") !== isNews);
  const [only] = lines.filter(({ kind }) => named.some(([each]) => each === kind));
  const total = named.reduce((sum, [kind]) => sum + counts[kind], 0);
  if (total === 1 && only !== undefined) return `Webhooks to ${readHost(only)} ${VERBS[only.kind]}`;
  return `Webhooks: ${named.map(([kind, title]) => `${counts[kind]} ${title.toLowerCase()}`).join(", ")}`;
}

const VERBS: Readonly<Record<NotificationKind, string>> = {
  turned_off: "are turned off",
  failing: "are failing",
  certificate_ends: "need a new client certificate",
  recovered: "arrive again",
  still_failing: "are still failing",
};

/** Never the path or the query of a Webhook URL: they may carry secrets. */
export const readHost = ({ destination }: Pick<NotificationLine, "destination">): string =>
  new URL(destination.url).host;

export function describeOwner({ destination: { owner } }: Pick<NotificationLine, "destination">): string {
  return `${OWNER_NOUNS[owner.kind]}: ${oneLine(owner.name, NAME_CHARS_MAX)}`;
}

export function describeFact({ kind, atMs, certificateEndsAtMs, destination }: NotificationLine): string {
  switch (kind) {
    case "failing":
    case "still_failing":
      return `Since ${minuteInWords(destination.failingSinceMs ?? atMs)}.${lastAnswer(destination)}`;
    case "turned_off":
      return `At ${minuteInWords(atMs)}: ${REASONS[destination.offReason ?? "failing"]}.${lastAnswer(destination)}`;
    case "certificate_ends":
      return `It ends at ${minuteInWords(certificateEndsAtMs ?? atMs)}. Replace it before, under Authentication.`;
    case "recovered":
      return `Accepted a delivery at ${minuteInWords(atMs)}. What waited is being sent now.`;
  }
}

const REASONS = {
  gone: "it answered 410 Gone, which means that the webhook is no longer wanted",
  failing: "every delivery has failed for five days",
} as const;

function lastAnswer({ lastFailure }: NotificationLine["destination"]): string {
  if (lastFailure === null) return "";
  const answer = lastFailure.status === null ? lastFailure.outcome.replaceAll("_", " ") : String(lastFailure.status);
  return ` Last answer: ${answer}, at ${minuteInWords(lastFailure.atMs)}.`;
}

/** The incident on the page of its owner; that page alone when the incident is not kept any more. */
export function buildLink(
  { incidentId, destination: { owner } }: Pick<NotificationLine, "incidentId" | "destination">,
  publicUrl: string,
): string {
  return `${publicUrl}${incidentId === null ? ownerPage(owner) : incidentPath(owner, incidentId)}`;
}
