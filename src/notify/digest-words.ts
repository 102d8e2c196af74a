/**
 * The words of a digest that letters, Slack messages and webhooks share: what happened to which destination, since
 * when, and where to look. Pure.
 */
import type { DigestKind, DigestLine, News } from "../store/contract/mail.ts";
import { incidentPath, webhookPath } from "../domain/incident.ts";
import { oneLine } from "../domain/plain-text.ts";
import { inWords } from "./letter.ts";

/** News, gravest first, and then what is none any more. */
export const SECTIONS: readonly (readonly [kind: DigestKind, title: string])[] = [
  ["turned_off", "Turned off"],
  ["failing", "Failing"],
  ["certificate_ends", "With a client certificate that ends"],
  ["recovered", "Arriving again"],
  ["still_failing", "Still failing"],
];

export const NAME_CHARS_MAX = 80;

/** The number of destinations with news. */
export const countNews = ({ counts }: Pick<News, "counts">): number =>
  counts.turned_off + counts.failing + counts.certificate_ends + counts.recovered;

/** A failure that was told before is worth a message only when the reader's reminder has fallen due. */
export const isWorthTelling = (news: Pick<News, "counts" | "remindAtMs">): boolean =>
  countNews(news) > 0 || (news.remindAtMs !== null && news.counts.still_failing > 0);

/** One line about all of it, with the host when there is one. */
export function summarize({ counts, lines }: Pick<News, "counts" | "lines">): string {
  const isNews = countNews({ counts }) > 0;
  const told = SECTIONS.filter(([kind]) => counts[kind] > 0 && (kind === "still_failing") !== isNews);
  const [only] = lines.filter(({ kind }) => told.some(([each]) => each === kind));
  const total = told.reduce((sum, [kind]) => sum + counts[kind], 0);
  if (total === 1 && only !== undefined) return `Webhooks to ${readHost(only)} ${VERBS[only.kind]}`;
  return `Webhooks: ${told.map(([kind, title]) => `${counts[kind]} ${title.toLowerCase()}`).join(", ")}`;
}

const VERBS: Readonly<Record<DigestKind, string>> = {
  turned_off: "are turned off",
  failing: "are failing",
  certificate_ends: "need a new client certificate",
  recovered: "arrive again",
  still_failing: "are still failing",
};

/** Never the path or the query of a Webhook URL: they may carry secrets. */
export const readHost = ({ destination }: Pick<DigestLine, "destination">): string => new URL(destination.url).host;

export function describeOwner({ destination: { owner } }: Pick<DigestLine, "destination">): string {
  return `${owner.kind === "alert" ? "alert" : "chat assistant"}: ${oneLine(owner.name, NAME_CHARS_MAX)}`;
}

export function describeFact({ kind, atMs, certificateEndsAtMs, destination }: DigestLine): string {
  switch (kind) {
    case "failing":
    case "still_failing":
      return `Since ${inWords(destination.failingSinceMs ?? atMs)}.${lastAnswer(destination)}`;
    case "turned_off":
      return `At ${inWords(atMs)}: ${REASONS[destination.offReason ?? "failing"]}.${lastAnswer(destination)}`;
    case "certificate_ends":
      return `It ends at ${inWords(certificateEndsAtMs ?? atMs)}. Replace it before, under Authentication.`;
    case "recovered":
      return `Accepted a delivery at ${inWords(atMs)}. What waited is being sent now.`;
  }
}

const REASONS = {
  gone: "it answered 410 Gone, which means that the webhook is no longer wanted",
  failing: "every delivery has failed for five days",
} as const;

function lastAnswer({ lastFailure }: DigestLine["destination"]): string {
  if (lastFailure === null) return "";
  const answer = lastFailure.status === null ? lastFailure.outcome.replaceAll("_", " ") : String(lastFailure.status);
  return ` Last answer: ${answer}, at ${inWords(lastFailure.atMs)}.`;
}

/** The incident on the page of its owner; that page alone when the incident is not kept any more. */
export function buildLink(
  { incidentId, destination: { owner } }: Pick<DigestLine, "incidentId" | "destination">,
  publicUrl: string,
): string {
  return `${publicUrl}${incidentId === null ? webhookPath(owner) : incidentPath(owner, incidentId)}`;
}
