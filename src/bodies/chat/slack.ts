/**
 * Slack's incoming webhooks: a message in blocks, and a text for pop-ups and for programs that know no blocks. Text
 * from people stands in objects of the type `plain_text`, which know no markup; `&`, `<` and `>` are escaped in every
 * object. What is `mrkdwn` is ours: strong titles and links. Sources: docs.slack.dev, "Text object", "Header block"
 * (150 characters), "Section block" (10 fields of 2,000), "Formatting message text", "Rate limits"; for the answers
 * "Sending messages using incoming webhooks" and the changelog of 2016-05-17.
 */
import type { AnswerWords, ChatTool, ToolAnswer } from "./chat-tool.ts";
import type { ChatLink, ChatMessage, ChatParagraph } from "./message.ts";
import { type Words, escapeHtml, findWords, fitParagraphs, partMentions, writeText } from "./texts.ts";

const HEADER_CHARS_MAX = 150;
const TEXT_CHARS_MAX = 3_000;
const FIELD_CHARS_MAX = 2_000;
const FIELDS_MAX = 10;
/** Slack takes 50 blocks: these, and the ones for headline, facts, link and footer. */
const PARAGRAPH_BLOCKS_MAX = 40;
const FACTS_MAX = 10;
const FACT_NAME_CHARS_MAX = 100;

function write(message: ChatMessage): string {
  const { headline, facts, link, footer } = message;
  const paragraphs = fitParagraphs(message.paragraphs, { max: PARAGRAPH_BLOCKS_MAX, sizeOf: countBlocks });
  const cells = facts.slice(0, FACTS_MAX).flatMap(({ name, value }) => [strong(name), plain(value, FIELD_CHARS_MAX)]);
  const blocks = [
    writeHeadline(headline),
    ...writeParagraphs(paragraphs),
    ...tables(cells),
    ...(link === null ? [] : [section(mrkdwn(writeLink(link)))]),
    ...(footer === null ? [] : [{ type: "context", elements: writeFooter(footer) }]),
  ];
  const text = writeText(partMentions(headline), 1_500, escapeSlack);
  const where = link ?? paragraphs.find((paragraph) => paragraph.link !== null)?.link ?? footer?.link ?? null;
  return JSON.stringify({ text: where === null ? text : `${text}: ${where.url}`, blocks });
}

/** Slack has no escape for a quote. */
const escapeSlack = (char: string): string => (char === '"' ? char : escapeHtml(char));

const plain = (text: string, charsMax: number) => ({
  type: "plain_text",
  text: writeText(text, charsMax, escapeSlack),
  emoji: false,
});
const mrkdwn = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
const strong = (title: string) =>
  mrkdwn(`*${writeText(title.replaceAll(/[*_~`]/g, " "), FACT_NAME_CHARS_MAX, escapeSlack)}*`);
const section = (text: object) => ({ type: "section", text });

const writeLink = ({ words, url }: ChatLink): string => `<${url}|${words}>`;

/** A header is strong and short. */
function writeHeadline(headline: string): object {
  const text = plain(headline, TEXT_CHARS_MAX);
  return text.text.length <= HEADER_CHARS_MAX ? { type: "header", text } : section(text);
}

/**
 * A text with a link is a row of a table: the two stand side by side, as no object has both plain text and markup. Rows
 * that follow one another share blocks.
 */
function writeParagraphs(paragraphs: readonly ChatParagraph[]): object[] {
  const blocks: object[] = [];
  let cells: object[] = [];
  const endTable = (): void => {
    blocks.push(...tables(cells));
    cells = [];
  };
  for (const { title, text, link } of paragraphs) {
    if (title !== null) {
      endTable();
      blocks.push(section(strong(title)));
    }
    if (link !== null) cells.push(plain(text, FIELD_CHARS_MAX), mrkdwn(writeLink(link)));
    else if (text !== "") {
      endTable();
      blocks.push(section(plain(text, TEXT_CHARS_MAX)));
    }
  }
  endTable();
  return blocks;
}

/** At the most: what ends a table pays for its last block. */
const countBlocks = ({ title, text, link }: ChatParagraph): number =>
  (title === null ? 0 : 2) + (link !== null ? 2 / FIELDS_MAX : text === "" ? 0 : 2);

/** Two columns. */
function tables(cells: readonly object[]): object[] {
  const rows: object[] = [];
  for (let at = 0; at < cells.length; at += FIELDS_MAX) {
    rows.push({ type: "section", fields: cells.slice(at, at + FIELDS_MAX) });
  }
  return rows;
}

const writeFooter = ({ text, link }: NonNullable<ChatMessage["footer"]>): object[] => [
  plain(text, FIELD_CHARS_MAX),
  ...(link === null ? [] : [mrkdwn(writeLink(link))]),
];

const NEW_ADDRESS = "Make a new address in Slack, and put it in the place of this one.";
const ASK_ADMIN = "Ask an administrator of the Slack workspace to allow it.";

const RATE: Words = ["Slack takes about one message a second for an address.", "Set a rate limit of 1 a second."];
const FORM: Words = ["Slack cannot read the message.", ""];

const ANSWERS: Readonly<Record<string, Words>> = {
  user_not_found: ["Slack does not know the person that this address writes to.", NEW_ADDRESS],
  channel_not_found: ["Slack does not find the channel of this address.", NEW_ADDRESS],
  channel_is_archived: [
    "Slack says that the channel is archived.",
    "Unarchive it in Slack, or use the address of another channel.",
  ],
  no_service: ["Slack says that this address is switched off, was removed, or is not whole.", NEW_ADDRESS],
  no_service_id: ["Slack says that this address is not whole.", NEW_ADDRESS],
  no_team: ["Slack does not know the workspace of this address.", NEW_ADDRESS],
  invalid_token: ["Slack says that this address is not valid.", NEW_ADDRESS],
  team_disabled: ["Slack says that the workspace is switched off.", "Use the address of another workspace."],
  action_prohibited: ["Slack says that the workspace does not let this address write there.", ASK_ADMIN],
  posting_to_general_channel_denied: ["Slack says that this address may not write into #general.", ASK_ADMIN],
  rollup_error: ["Slack has a fault of its own.", ""],
};

const FORM_ANSWERS = new Set([
  "no_text",
  "invalid_payload",
  "invalid_blocks",
  "invalid_blocks_format",
  "missing_text_or_fallback_or_attachments",
  "too_many_attachments",
]);

function readAnswer({ status, body }: ToolAnswer): AnswerWords | null {
  const said = /^[a-z_]+(?=$|\W)/.exec(body.trim())?.[0] ?? "";
  const isAboutForm = FORM_ANSWERS.has(said);
  const [sentence, advice] = findWords(ANSWERS, said) ?? (status === 429 ? RATE : isAboutForm ? FORM : []);
  return sentence === undefined ? null : { sentence, advice: advice ?? "", waitMs: 0, isAboutForm };
}

export const slack: ChatTool = {
  kind: "slack",
  writers: [write],
  readAnswer,
};
