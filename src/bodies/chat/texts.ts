/**
 * What the writers of all chat tools do with texts: text from people is escaped character by character and cut where no
 * escape is halved, addresses are made fit to stand in any tool's markup, and what is too much is left out by whole
 * paragraphs. Pure.
 */
import { LIMITS } from "../../domain/limits.ts";
import type { Members } from "../../events/event-type.ts";
import { parseJson } from "../../events/exact-json.ts";
import { asMembers } from "../../events/summary.ts";
import type { ChatParagraph } from "./message.ts";

/** Parts what programs would read as a mention or a link, and is not seen. */
export const JOINER = "\u2060";

/**
 * Parts mentions and bare addresses. An e-mail address stays whole, so that it can be copied: what follows `@` in it is
 * no name that pings many.
 */
export const partMentions = (text: string): string =>
  text
    .replaceAll(/@(?=(?:all|channel|everyone|here)\b)|(?<![\w.+-])@/gi, `@${JOINER}`)
    .replaceAll(/:(?=\/\/)|\bwww(?=\.)/gi, `$&${JOINER}`)
    .replaceAll("](", `]${JOINER}(`);

/**
 * The text with each character in the place of which `escape` puts another text, and no longer than `charsMax` then: a
 * longer one ends with `…`.
 */
export function writeText(text: string, charsMax: number, escape: (char: string) => string = (char) => char): string {
  let written = "";
  let cutAt = 0;
  for (const char of text) {
    const next = escape(char);
    if (written.length + next.length > charsMax) return `${written.slice(0, cutAt)}…`;
    written += next;
    if (written.length < charsMax) cutAt = written.length;
  }
  return written;
}

/** An escape of HTML, of which Slack knows the first three. */
const HTML_ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escapeHtml = (char: string): string => HTML_ESCAPES[char] ?? char;

/** Guess: longer than any page of a product. Two of them leave space for the rest in each tool's limits. */
const LINK_CHARS_MAX = 1_000;

/** Characters that end an address in one of the tools' markups, or begin one in it. */
const UNFIT = /[|<>"'()[\]`{}\\^*~]/g;

/** An address as it may stand in a message; `null` for a text that is none of the web. */
export function readLink(text: string): string | null {
  const url = text.length > LINK_CHARS_MAX ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  const path = `${url.pathname}${url.search}${url.hash}`.replaceAll(
    UNFIT,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return path.length > LINK_CHARS_MAX ? null : `${url.origin}${path}`;
}

export interface Capacity {
  readonly max: number;
  /** In the unit of `max`. */
  readonly sizeOf: (paragraph: ChatParagraph) => number;
}

/** The paragraphs that fit, and a last one that counts the others. */
export function fitParagraphs(
  paragraphs: readonly ChatParagraph[],
  { max, sizeOf }: Capacity,
): readonly ChatParagraph[] {
  const counts = (left: number): ChatParagraph => ({ title: null, text: `… and ${left} more.`, link: null });
  const sizes = paragraphs.map(sizeOf);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= max) return paragraphs;
  let kept = paragraphs.length;
  while (kept > 0 && total + sizeOf(counts(paragraphs.length - kept)) > max) {
    kept -= 1;
    total -= sizes[kept] ?? 0;
  }
  return [...paragraphs.slice(0, kept), counts(paragraphs.length - kept)];
}

/** What a tool asks to wait, in seconds: a number, or a text such as `1.5` or `30s`. */
export function readWaitMs(value: unknown): number {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  const [seconds = "0"] = /^\d+(?:\.\d+)?(?=s?$)/.exec(text) ?? [];
  return Math.min(Math.ceil(Number(seconds) * 1000), LIMITS.retryAfterMsMax);
}

/** The members of an answer's body, where it is a JSON object. */
export function readMembers(body: string): Members {
  const parsed = parseJson(body);
  return parsed.ok ? asMembers(parsed.value) : {};
}

export type Words = readonly [sentence: string, advice: string];

/** What a tool's word or code means. It comes from outside, and may be `constructor`. */
export const findWords = (table: Readonly<Record<string, Words>>, word: unknown): Words | undefined =>
  (typeof word === "string" || typeof word === "number") && Object.hasOwn(table, word) ? table[word] : undefined;
