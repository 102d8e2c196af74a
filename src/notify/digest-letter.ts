/**
 * The text of the letter about failing destinations: all news in one letter, shortened where there is much of it. Pure:
 * the same news makes the same letter.
 */
import type { ClaimedDigest, DigestKind } from "../store/contract/mail.ts";
import { oneLine } from "../domain/plain-text.ts";
import {
  NAME_CHARS_MAX,
  SECTIONS,
  buildLink,
  describeFact,
  describeOwner,
  readHost,
  summarize,
} from "./digest-words.ts";
import { type Letter, mailLinkUrl } from "./letter.ts";

/** Guess, for each kind. A reader of more goes to the dashboard anyway. */
export const DIGEST_LINES_MAX = 20;

export type Digest = Pick<ClaimedDigest, "accountName" | "lines" | "counts">;

export interface DigestLinks {
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: string;
  readonly stopToken: string;
}

export function digestLetter(digest: Digest, { publicUrl, stopToken }: DigestLinks): Letter {
  const { counts } = digest;
  const lines = [
    ...SECTIONS.flatMap(([kind, title]) => writeSection(digest, { kind, title, publicUrl })),
    ...(counts.failing + counts.still_failing > 0 ? [...WHILE_FAILING, ""] : []),
    ...(counts.turned_off > 0 ? [...WHILE_OFF, ""] : []),
    ...(counts.certificate_ends > 0 ? [...BEFORE_THE_END, ""] : []),
    `All webhooks: ${publicUrl}/`,
    "",
    "-- ",
    `A reader of this address has confirmed it for the account ${oneLine(digest.accountName, NAME_CHARS_MAX)}.`,
    `Stop these letters: ${mailLinkUrl(publicUrl, stopToken)}`,
  ];
  return { subject: summarize(digest), text: lines.join("\n") };
}

const WHILE_FAILING = [
  "While a webhook fails nothing is lost: its deliveries wait and are sent again by themselves. If every attempt",
  "fails for five days, it is turned off until a person turns it on again.",
];

const WHILE_OFF = [
  "Deliveries to a webhook that is turned off are kept for 14 days. Repair the receiver, then turn the webhook on in",
  "the dashboard.",
];

const BEFORE_THE_END = [
  "A receiver that asks for a client certificate refuses one that has ended. Webhooks to it fail from then on, and",
  "wait until the certificate is replaced.",
];

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
