/**
 * Google Chat's webhooks: a card, and a text for pop-ups. A card's paragraphs know a few HTML tags and no mentions, so
 * text from people stands there, escaped and its addresses parted; the text of a message has no escapes, and none is
 * used. Sources: developers.google.com/workspace/chat, "Format messages", "Create messages" (32,000 bytes, 4,096
 * characters of text), "Cards v2" (100 widgets), "Limits" (one write a second for a space);
 * cloud.google.com/apis/design/errors.
 */
import { asMembers } from "../../events/summary.ts";
import type { AnswerWords, ChatTool, ToolAnswer } from "./chat-tool.ts";
import type { ChatLink, ChatMessage, ChatParagraph } from "./message.ts";
import {
  JOINER,
  type Words,
  escapeHtml,
  findWords,
  fitParagraphs,
  partMentions,
  readMembers,
  readWaitMs,
  writeText,
} from "./texts.ts";

const MESSAGE_BYTES_MAX = 30_000;
/** A card has at most 100 widgets. */
const PARAGRAPHS_MAX = 90;
const HEADLINE_CHARS_MAX = 500;
const PARAGRAPH_CHARS_MAX = 4_000;
const FACTS_MAX = 10;
const NAME_CHARS_MAX = 100;
const VALUE_CHARS_MAX = 400;

function write({ headline, paragraphs, facts, link, footer }: ChatMessage): string {
  const head = [paragraph(`<b>${html(headline, HEADLINE_CHARS_MAX)}</b>`)];
  const lines = facts
    .slice(0, FACTS_MAX)
    .map(({ name, value }) => `<b>${html(name, NAME_CHARS_MAX)}:</b> ${html(value, VALUE_CHARS_MAX)}`);
  const tail = [lines.join("<br>"), link === null ? "" : writeLink(link), writeFooter(footer)]
    .filter((text) => text !== "")
    .map(paragraph);
  const fallback = writeText(partMentions(headline), HEADLINE_CHARS_MAX, (char) =>
    char === "<" ? `<${JOINER}` : char,
  );
  const max = MESSAGE_BYTES_MAX - bytesOf(wrap([...head, ...tail], fallback));
  const sizeOf = (each: ChatParagraph): number =>
    Math.max(bytesOf(paragraph(writeParagraph(each))) + 1, MESSAGE_BYTES_MAX / PARAGRAPHS_MAX);
  const shown = fitParagraphs(paragraphs, { max, sizeOf }).map((each) => paragraph(writeParagraph(each)));
  return JSON.stringify(wrap([...head, ...shown, ...tail], fallback));
}

const wrap = (widgets: readonly object[], fallbackText: string) => ({
  fallbackText,
  cardsV2: [{ cardId: "event", card: { sections: [{ widgets }] } }],
});

const bytesOf = (part: unknown): number => Buffer.byteLength(JSON.stringify(part));

const paragraph = (text: string) => ({ textParagraph: { text } });

const html = (text: string, charsMax: number): string =>
  writeText(partMentions(text.slice(0, charsMax + 1)), charsMax, (char) => (char === "\n" ? "<br>" : escapeHtml(char)));

const writeLink = ({ words, url }: ChatLink): string => `<a href="${url.replaceAll("&", "&amp;")}">${words}</a>`;

const writeParagraph = ({ title, text, link }: ChatParagraph): string =>
  [
    ...(title === null ? [] : [`<b>${html(title, NAME_CHARS_MAX)}</b>`]),
    ...(text === "" ? [] : [html(text, PARAGRAPH_CHARS_MAX)]),
    ...(link === null ? [] : [writeLink(link)]),
  ].join("<br>");

const writeFooter = (footer: ChatMessage["footer"]): string =>
  footer === null
    ? ""
    : [html(footer.text, VALUE_CHARS_MAX), ...(footer.link === null ? [] : [writeLink(footer.link)])].join(" · ");

const NEW_ADDRESS = "Make a new webhook in the space's settings (Apps & integrations), and use its address.";

const ANSWERS: Readonly<Record<string, Words>> = {
  INVALID_ARGUMENT: ["Google Chat cannot read the message.", ""],
  UNAUTHENTICATED: ["Google Chat says that this address is not valid.", NEW_ADDRESS],
  PERMISSION_DENIED: ["Google Chat says that this address may not write into the space.", NEW_ADDRESS],
  NOT_FOUND: ["Google Chat does not find the space or the webhook of this address.", NEW_ADDRESS],
  RESOURCE_EXHAUSTED: [
    "Google Chat takes one message a second for a space.",
    "Set a rate limit of 1 a second, or less where others write into the space too.",
  ],
};

function readAnswer({ body }: ToolAnswer): AnswerWords | null {
  const { status, details } = asMembers(readMembers(body)["error"]);
  const words = findWords(ANSWERS, status);
  if (words === undefined) return null;
  const [sentence, advice] = words;
  const waitsMs = (Array.isArray(details) ? details : []).map((each) => readWaitMs(asMembers(each)["retryDelay"]));
  return { sentence, advice, waitMs: Math.max(0, ...waitsMs), isAboutForm: status === "INVALID_ARGUMENT" };
}

export const googleChat: ChatTool = {
  kind: "google_chat",
  writers: [write],
  readAnswer,
};
