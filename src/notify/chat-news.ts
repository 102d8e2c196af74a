/**
 * A notification as a message of a chat tool, and the Test button's message. Pure: `src/bodies/chat` writes it for the
 * tool, and makes the names in it harmless, which come from people.
 */
import type { ChatMessage, ChatParagraph } from "../bodies/chat/message.ts";
import { OWNER_NOUNS } from "../domain/event.ts";
import { oneLine } from "../domain/plain-text.ts";
import type { Section } from "./email-text.ts";
import type { ChannelLine, ChannelNotification, MessageFrame, TestNotification } from "./notification-body.ts";
import {
  NAME_CHARS_MAX,
  SECTIONS,
  buildLink,
  describeFact,
  describeOwner,
  readHost,
  summarize,
} from "./notification-words.ts";

/** Of each kind. Guess: a channel is no list; the page is. */
export const CHAT_LINES_MAX = 8;

export function chatNews(notification: ChannelNotification, { publicUrl }: MessageFrame): ChatMessage {
  const only = findOnly(notification);
  const summary = summarize(notification);
  return {
    headline: only === null ? summary : `${toName(only)}: w${summary.slice(1)}`,
    paragraphs:
      only !== null
        ? [toParagraph(only, publicUrl)]
        : SECTIONS.flatMap(([kind, title]) => toSection(notification, { kind, title, publicUrl })),
    facts: [],
    link: null,
    footer: {
      text: accountLine(notification),
      link: { words: "All webhooks", url: `${publicUrl}/` },
    },
  };
}

export const chatTest = (test: TestNotification): ChatMessage => ({
  headline: "This is a test. News about failing webhooks will arrive here.",
  paragraphs: [],
  facts: [],
  link: null,
  footer: { text: accountLine(test), link: { words: "Settings", url: `${test.publicUrl}/settings/account` } },
});

/** A name may have nothing in it that is seen. */
const accountLine = ({ accountId, accountName }: Pick<ChannelNotification, "accountId" | "accountName">): string =>
  oneLine(accountName, NAME_CHARS_MAX) || accountId;

/** The one webhook that a message is about: the headline names it, and nothing below says it again. */
function findOnly({ counts, lines }: ChannelNotification): ChannelLine | null {
  const [only] = lines;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return total === 1 && only !== undefined ? only : null;
}

const toName = ({ destination }: ChannelLine): string => oneLine(destination.owner.name, NAME_CHARS_MAX);

function toSection({ lines, counts }: ChannelNotification, { kind, title, publicUrl }: Section): ChatParagraph[] {
  const shown = lines.filter((line) => line.kind === kind).slice(0, CHAT_LINES_MAX);
  if (shown.length === 0) return [];
  const left = counts[kind] - shown.length;
  const more = { title: null, text: `• and ${left} more`, link: { words: "See all", url: `${publicUrl}/` } };
  return [
    { title: `${title} (${counts[kind]})`, text: "", link: null },
    ...shown.map((line) => toParagraph(line, publicUrl, `• ${readHost(line)}, ${describeOwner(line)}\n`)),
    ...(left > 0 ? [more] : []),
  ];
}

const toParagraph = (line: ChannelLine, publicUrl: string, head = ""): ChatParagraph => ({
  title: null,
  text: `${head}${describeFact(line)}${describeWaiting(line)}`,
  link: { words: `Open the ${OWNER_NOUNS[line.destination.owner.kind]}`, url: buildLink(line, publicUrl) },
});

function describeWaiting({ waiting }: ChannelLine): string {
  if (waiting === null || waiting.count === 0) return "";
  const count = `${waiting.isCapped ? "More than " : ""}${waiting.count.toLocaleString("en")}`;
  return waiting.count === 1 && !waiting.isCapped ? " 1 delivery waits." : ` ${count} deliveries wait.`;
}
