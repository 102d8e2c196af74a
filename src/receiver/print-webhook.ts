/**
 * A received webhook in words, for people at a terminal: one line each, or the whole request. Pure.
 *
 * All text from outside, verified or not, goes through `terminalText`: a body can hold text that a visitor has typed.
 */
import type { ReceivedWebhook } from "./receiver.ts";
import { terminalLines, terminalText } from "./terminal-text.ts";
import { FAILURE_SENTENCES, isTestId } from "./verify.ts";

/** Wide enough for the built-in types' names, so that lines stand below each other; a declared one may be longer. */
const EVENT_WIDTH = 27;
const EVENT_CHARS_MAX = 64;
const TITLE_CHARS_MAX = 60;
const LEAD_CHARS_MAX = 40;
const DETAIL_CHARS_MAX = 500;
const BODY_LINES_MAX = 200;

/**
 * Such as `✓ 12:00:01Z demo_viewed Product tour · ada@example.com`: whether it verifies, the time of the attempt, the
 * event, who and what it is about, whether it is a test; and the reason when it does not verify.
 */
export function webhookLine(webhook: ReceivedWebhook): string {
  const { verification } = webhook;
  if (verification.valid) return `✓ ${webhookWords(webhook)}`;
  return `✗ ${webhookWords(webhook)} · NOT VERIFIED: ${FAILURE_SENTENCES[verification.reason]}`;
}

/** The same without its signatures' result. */
export function webhookWords(webhook: Omit<ReceivedWebhook, "verification">): string {
  const { event, about } = describeBody(webhook.body);
  const mark = isTestId(findHeader(webhook, "webhook-id")) ? " · a test" : "";
  return `${attemptTime(webhook)}  ${event.padEnd(EVENT_WIDTH)}  ${about}${mark}`;
}

/** The rest of the whole request: the headers, then the body. */
export function webhookDetails({ headers, body }: ReceivedWebhook): string[] {
  const headerLines = headers.map(([name, value]) => terminalText(`${name}: ${value}`, DETAIL_CHARS_MAX));
  const parsed = parseJson(body);
  // Formatted for reading. The signature covers the original bytes, which `--save` keeps.
  const text = parsed === undefined ? body.toString("utf8") : JSON.stringify(parsed, null, 2);
  const bodyLines = terminalLines(text, { charsMax: DETAIL_CHARS_MAX, linesMax: BODY_LINES_MAX });
  return [...headerLines, "", ...bodyLines, ""].map((line) => (line === "" ? "" : `    ${line}`));
}

interface BodyFacts {
  readonly event: string;
  readonly about: string;
}

function describeBody(body: Buffer): BodyFacts {
  const parsed = parseJson(body);
  if (!isObject(parsed)) return { event: "(no JSON object)", about: `${body.length} bytes` };
  const title = toText(parsed.name) ?? toText(parsed.conversation_summary);
  const about = title === null ? listTelling(parsed) : [title, ...leadOf(parsed)];
  return {
    event: terminalText(toText(parsed.event) ?? "(no event)", EVENT_CHARS_MAX),
    about: about.map((text, place) => terminalText(text, place === 0 ? TITLE_CHARS_MAX : LEAD_CHARS_MAX)).join(" · "),
  };
}

function leadOf({ lead }: Record<string, unknown>): readonly string[] {
  if (lead === undefined) return [];
  return [isObject(lead) ? (toText(lead.email) ?? "lead without e-mail") : "unknown visitor"];
}

const TELLING_MAX = 2;

/**
 * The first texts of a declared type's body that a person can tell apart: a receiver has no declaration that would say
 * which those are.
 */
function listTelling(body: Record<string, unknown>): readonly string[] {
  const { event: _, ...rest } = body;
  const telling = listTexts(rest).filter((text) => !/^(?:[0-9a-f-]{32,}|\d{4}-\d\d-\d\d.*)$/i.test(text));
  return telling.length === 0 ? ["(no text in it)"] : telling.slice(0, TELLING_MAX);
}

/** Guess. A body that is not verified may be as deep as its sender likes. */
const LEVELS_MAX = 10;

/** All texts in a JSON value, in their order. */
function listTexts(value: unknown, level = 0): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (typeof value !== "object" || value === null || level === LEVELS_MAX) return [];
  return Object.values(value).flatMap((member) => listTexts(member, level + 1));
}

/** The attempt's own time, which a retry changes; the time of arrival for a sender that states none. */
function attemptTime(webhook: Headed & { readonly receivedAtMs: number }): string {
  const seconds = findHeader(webhook, "webhook-timestamp") ?? "";
  const atMs = /^\d{1,11}$/.test(seconds) ? Number(seconds) * 1000 : webhook.receivedAtMs;
  return `${new Date(atMs).toISOString().slice(11, 19)}Z`;
}

type Headed = Pick<ReceivedWebhook, "headers">;

const findHeader = ({ headers }: Headed, wanted: string): string | null =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;

const toText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
