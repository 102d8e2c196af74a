/**
 * Discord's webhooks: a message with one embed. Nothing in an embed pings anyone, and `allowed_mentions` allows none.
 * Text from people has a backslash before each sign that may begin markup or a link; the footer knows no markup.
 * Sources: docs.discord.com, "Webhook Resource" (Execute Webhook), "Message Resource" (Embed Limits, Allowed Mentions),
 * "Rate Limits" (`retry_after` in seconds, in the body) and "JSON Error Codes".
 */
import type { AnswerWords, ChatTool, ToolAnswer } from "./chat-tool.ts";
import type { ChatLink, ChatMessage, ChatParagraph } from "./message.ts";
import { type Words, findWords, fitParagraphs, readMembers, readWaitMs, writeText } from "./texts.ts";

const EMBED_CHARS_MAX = 6_000;
const TITLE_CHARS_MAX = 256;
const DESCRIPTION_CHARS_MAX = 4_096;
const PARAGRAPH_CHARS_MAX = 2_000;
/** Of 25 fields with 256 and 1,024 characters each: so many that they fit into an embed together. */
const FACTS_MAX = 6;
const NAME_CHARS_MAX = 100;
const VALUE_CHARS_MAX = 400;
const FOOTER_CHARS_MAX = 200;

function write({ headline, paragraphs, facts, link, footer }: ChatMessage): string {
  const title = markdown(headline, TITLE_CHARS_MAX);
  const fields = facts.slice(0, FACTS_MAX).map(({ name, value }) => ({
    name: markdown(name, NAME_CHARS_MAX),
    value: markdown(value, VALUE_CHARS_MAX),
    inline: true,
  }));
  const footerText = writeText(footer?.text ?? "", FOOTER_CHARS_MAX);
  const links = [link, footer?.link ?? null].filter((each) => each !== null).map(writeLink);
  const rest = [title, footerText, ...links, ...fields.flatMap(({ name, value }) => [name, value])];
  const left = EMBED_CHARS_MAX - rest.reduce((sum, text) => sum + text.length + 2, 0);
  const max = Math.min(left, DESCRIPTION_CHARS_MAX - links.reduce((sum, text) => sum + text.length + 2, 0));
  const sizeOf = (paragraph: ChatParagraph): number => writeParagraph(paragraph).length + 2;
  const description = [...fitParagraphs(paragraphs, { max, sizeOf }).map(writeParagraph), ...links].join("\n\n");
  const embed = {
    title,
    ...(link === null ? {} : { url: link.url }),
    ...(description === "" ? {} : { description }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(footerText === "" ? {} : { footer: { text: footerText } }),
  };
  return JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } });
}

/** A backslash takes the meaning of any sign. Some have one at the beginning of a line alone, `1.` included. */
const SIGNS = new Set("\\*_~`|<[]@");
const FIRST_SIGNS = new Set("-+.>#");

function markdown(text: string, charsMax: number): string {
  let mayBeginLine = true;
  let last = "";
  return writeText(text, charsMax, (char) => {
    const isOfAddress = char === "/" && last === ":";
    const isSign = SIGNS.has(char) || isOfAddress || (mayBeginLine && FIRST_SIGNS.has(char));
    mayBeginLine = char === "\n" || (mayBeginLine && /[\d\s]/.test(char));
    last = char;
    return isSign ? `\\${char}` : char;
  });
}

const writeLink = ({ words, url }: ChatLink): string => `[${words}](${url})`;

const writeParagraph = ({ title, text, link }: ChatParagraph): string =>
  [
    ...(title === null ? [] : [`**${markdown(title, NAME_CHARS_MAX)}**`]),
    ...(text === "" ? [] : [markdown(text, PARAGRAPH_CHARS_MAX)]),
    ...(link === null ? [] : [writeLink(link)]),
  ].join("\n");

const NEW_ADDRESS =
  "Make a new webhook in the channel's settings in Discord, and put its address in the place of this.";
const UNKNOWN: Words = ["Discord says that this webhook was deleted.", NEW_ADDRESS];
const INVALID: Words = ["Discord says that this address is not valid.", NEW_ADDRESS];
const RATE: Words = ["Discord takes no more messages for the moment.", "Set a rate limit of 2 a second."];
const FORM: Words = ["Discord cannot read the message.", ""];

const ANSWERS: Readonly<Record<number, Words>> = {
  10003: ["Discord does not find the channel of this webhook.", NEW_ADDRESS],
  10015: UNKNOWN,
  20029: RATE,
  50027: INVALID,
  220001: ["Discord says that the webhook is one of a forum, which asks for a thread.", "Use one of a text channel."],
};

/** An empty message, a form that is wrong, and what is no JSON. */
const FORM_CODES = new Set([50006, 50035, 50109]);

const BY_STATUS: Readonly<Record<number, Words>> = { 401: INVALID, 404: UNKNOWN, 429: RATE };

function readAnswer({ status, body }: ToolAnswer): AnswerWords | null {
  const { code, retry_after: retryAfter } = readMembers(body);
  const isAboutForm = typeof code === "number" && FORM_CODES.has(code);
  const words = isAboutForm ? FORM : (findWords(ANSWERS, code) ?? BY_STATUS[status]);
  if (words === undefined) return null;
  const [sentence, advice] = words;
  return { sentence, advice, waitMs: status === 429 ? readWaitMs(retryAfter) : 0, isAboutForm };
}

export const discord: ChatTool = {
  kind: "discord",
  writers: [write],
  readAnswer,
};
