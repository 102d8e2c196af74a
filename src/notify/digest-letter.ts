/**
 * The text of the letter about failing destinations: all news in one letter, shortened where there is much of it. Pure:
 * the same news makes the same letter.
 */
import type { ClaimedDigest, DigestKind, DigestLine } from "../store/contract/mail.ts";
import { type Letter, inWords, mailLinkUrl } from "./letter.ts";
import { oneLine } from "../domain/plain-text.ts";

/** Guess, for each kind. A reader of more goes to the dashboard anyway. */
export const DIGEST_LINES_MAX = 20;

const NAME_CHARS_MAX = 80;

export type Digest = Pick<ClaimedDigest, "accountName" | "lines" | "counts">;

export interface DigestLinks {
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: string;
  readonly stopToken: string;
}

/** The number of destinations with news. */
export const countNews = ({ counts }: Pick<Digest, "counts">): number =>
  counts.turned_off + counts.failing + counts.recovered;

export function digestLetter(digest: Digest, { publicUrl, stopToken }: DigestLinks): Letter {
  const { counts } = digest;
  const lines = [
    ...SECTIONS.flatMap(([kind, title]) => writeSection(digest, { kind, title, publicUrl })),
    ...(counts.failing + counts.still_failing > 0 ? [...WHILE_FAILING, ""] : []),
    ...(counts.turned_off > 0 ? [...WHILE_OFF, ""] : []),
    `All webhooks: ${publicUrl}/`,
    "",
    "-- ",
    `A reader of this address has confirmed it for the account ${oneLine(digest.accountName, NAME_CHARS_MAX)}.`,
    `Stop these letters: ${mailLinkUrl(publicUrl, stopToken)}`,
  ];
  return { subject: writeSubject(digest), text: lines.join("\n") };
}

const SECTIONS: readonly (readonly [kind: DigestKind, title: string])[] = [
  ["turned_off", "Turned off"],
  ["failing", "Failing"],
  ["recovered", "Arriving again"],
  ["still_failing", "Still failing"],
];

const WHILE_FAILING = [
  "While a webhook fails nothing is lost: its deliveries wait and are sent again by themselves. If every attempt",
  "fails for five days, it is turned off until a person turns it on again.",
];

const WHILE_OFF = [
  "Deliveries to a webhook that is turned off are kept for 14 days. Repair the receiver, then turn the webhook on in",
  "the dashboard.",
];

function writeSubject(digest: Digest): string {
  const { counts, lines } = digest;
  const [only] = lines.filter(({ kind }) => kind !== "still_failing");
  if (countNews(digest) === 1 && only !== undefined) return `Webhooks to ${readHost(only)} ${VERBS[only.kind]}`;
  const parts = [
    [counts.turned_off, "turned off"],
    [counts.failing, "failing"],
    [counts.recovered, "arriving again"],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return `Webhooks: ${told.join(", ")}`;
}

const VERBS: Readonly<Record<DigestKind, string>> = {
  turned_off: "are turned off",
  failing: "are failing",
  recovered: "arrive again",
  still_failing: "are still failing",
};

interface Section {
  readonly kind: DigestKind;
  readonly title: string;
  readonly publicUrl: string;
}

function writeSection({ lines, counts }: Digest, { kind, title, publicUrl }: Section): string[] {
  const shown = lines.filter((line) => line.kind === kind);
  if (shown.length === 0) return [];
  const left = counts[kind] - shown.length;
  return [
    `${title} (${counts[kind]})`,
    ...shown.flatMap((line) => [
      `- ${readHost(line)}, ${describeOwner(line)}`,
      `  ${describeFact(line)}`,
      `  ${buildLink(line, publicUrl)}`,
    ]),
    ...(left > 0 ? [`- and ${left} more: ${publicUrl}/`] : []),
    "",
  ];
}

/** Never the path or the query of a Webhook URL: they may carry secrets. */
const readHost = ({ destination }: DigestLine): string => new URL(destination.url).host;

function describeOwner({ destination: { owner } }: DigestLine): string {
  return `${owner.kind === "alert" ? "alert" : "chat assistant"}: ${oneLine(owner.name, NAME_CHARS_MAX)}`;
}

function describeFact({ kind, atMs, destination }: DigestLine): string {
  switch (kind) {
    case "failing":
    case "still_failing":
      return `Since ${inWords(destination.failingSinceMs ?? atMs)}.${lastAnswer(destination)}`;
    case "turned_off":
      return `At ${inWords(atMs)}: ${REASONS[destination.offReason ?? "failing"]}.${lastAnswer(destination)}`;
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

function buildLink({ destination: { owner } }: DigestLine, publicUrl: string): string {
  const id = encodeURIComponent(owner.id);
  return `${publicUrl}${owner.kind === "alert" ? `/settings/alerts/${id}` : `/assistants/${id}?tab=integrations`}`;
}
