/**
 * A notification as a Slack message: blocks, and a text for pop-ups and for programs that know no blocks. Pure.
 *
 * Names come from people. Nothing in a name may ping anyone or make a link: `&`, `<` and `>` are escaped as Slack asks
 * for, `verbatim` keeps Slack from making links of bare addresses, and an invisible joiner parts what other programs
 * with the same kind of webhook would read as a mention or a link.
 */
import type { Section } from "./email-text.ts";
import { OWNER_NOUNS } from "../domain/event.ts";
import { oneLine } from "../domain/plain-text.ts";
import {
  NAME_CHARS_MAX,
  SECTIONS,
  buildLink,
  describeFact,
  describeOwner,
  readHost,
  summarize,
} from "./notification-words.ts";
import type { ChannelLine, ChannelNotification, MessageFrame, TestNotification } from "./notification-body.ts";

/** Slack refuses a message with a longer text in a block. */
export const SLACK_TEXT_CHARS_MAX = 3_000;

/** With eight lines of each kind a message has at most 47 blocks; Slack takes 50. */
export const SLACK_LINES_MAX = 8;

/** Host names have at most 253 characters, and links are ours: no entry is longer than this before it is cut. */
const ENTRY_CHARS_MAX = 1_500;

export function slackMessage(notification: ChannelNotification, { publicUrl }: MessageFrame): string {
  const only = findOnly(notification);
  const summary = toSlack(
    only === null ? summarize(notification) : `${toName(only)}: w${summarize(notification).slice(1)}`,
  );
  const entries =
    only !== null
      ? [writeFact(only, publicUrl)]
      : SECTIONS.flatMap(([kind, title]) => writeSection(notification, { kind, title, publicUrl }));
  const blocks = [
    section(`*${summary}*`),
    ...pack(entries).map(section),
    context(`${toSlack(oneLine(notification.accountName, NAME_CHARS_MAX))} · ${link(`${publicUrl}/`, "All webhooks")}`),
  ];
  const [first] = notification.lines;
  const where = first === undefined ? `${publicUrl}/` : buildLink(first, publicUrl);
  return JSON.stringify({ text: `${summary}: ${where}`, blocks });
}

/** The one webhook that a message is about: the headline names it, and nothing below says it again. */
function findOnly({ counts, lines }: ChannelNotification): ChannelLine | null {
  const [only] = lines;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return total === 1 && only !== undefined ? only : null;
}

const toName = ({ destination }: ChannelLine): string => oneLine(destination.owner.name, NAME_CHARS_MAX);

export function slackTest({ accountName, publicUrl }: TestNotification): string {
  const text = "This is a test. News about failing webhooks will arrive here.";
  const name = toSlack(oneLine(accountName, NAME_CHARS_MAX));
  const blocks = [section(text), context(`${name} · ${link(`${publicUrl}/settings/account`, "Settings")}`)];
  return JSON.stringify({ text, blocks });
}

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text, verbatim: true } });
const context = (text: string) => ({ type: "context", elements: [{ type: "mrkdwn", text, verbatim: true }] });

/** `url` is ours: `|` and `>` cannot be in it. */
const link = (url: string, words: string): string => `<${url}|${words}>`;

function writeSection({ lines, counts }: ChannelNotification, { kind, title, publicUrl }: Section): string[] {
  const shown = lines.filter((line) => line.kind === kind).slice(0, SLACK_LINES_MAX);
  if (shown.length === 0) return [];
  const left = counts[kind] - shown.length;
  return [
    `*${title}* (${counts[kind]})`,
    ...shown.map((line) => writeEntry(line, publicUrl)),
    ...(left > 0 ? [`• and ${left} more: ${link(`${publicUrl}/`, "see all")}`] : []),
  ];
}

const writeEntry = (line: ChannelLine, publicUrl: string): string =>
  writeFact(line, publicUrl, `• ${readHost(line)}, ${describeOwner(line)}\n`);

function writeFact(line: ChannelLine, publicUrl: string, head = ""): string {
  const words = `Open the ${OWNER_NOUNS[line.destination.owner.kind]}`;
  const text = `${head}${describeFact(line)}${describeWaiting(line)}`;
  const href = link(buildLink(line, publicUrl), words);
  return `${cutEscaped(toSlack(text), ENTRY_CHARS_MAX)}\n${href}`;
}

function describeWaiting({ waiting }: ChannelLine): string {
  if (waiting === null || waiting.count === 0) return "";
  const count = `${waiting.isCapped ? "More than " : ""}${waiting.count.toLocaleString("en")}`;
  return waiting.count === 1 && !waiting.isCapped ? " 1 delivery waits." : ` ${count} deliveries wait.`;
}

/** Entries joined into as few texts as the limit allows. */
function pack(entries: readonly string[]): string[] {
  const texts: string[] = [];
  for (const entry of entries) {
    const last = texts.at(-1);
    const joined = last === undefined ? entry : `${last}\n${entry}`;
    if (last === undefined || joined.length > SLACK_TEXT_CHARS_MAX) texts.push(entry);
    else texts[texts.length - 1] = joined;
  }
  return texts;
}

const JOINER = "\u2060";

/** Text from people as Slack shows it, character by character. */
export function toSlack(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", `@${JOINER}`)
    .replaceAll("](", `]${JOINER}(`);
}

/** Never in the middle of an escaped character. */
function cutEscaped(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax - 1).replace(/&[a-z]*$/, "")}…`;
}
