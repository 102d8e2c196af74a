/**
 * Teams by its Workflows: an Adaptive Card that a workflow posts; it answers 202 whatever becomes of the card. All text
 * is in runs of `RichTextBlock`, which know no Markdown (`TextBlock` and `Fact` do), and a mention would need an entity
 * beside the card. Sources: learn.microsoft.com, "TextRun", "Text features" (functions such as `{{DATE(…)}}`), "Format
 * cards in Teams", "Create incoming webhooks" (28 KB, four requests a second) and "Request trigger". Cards of more than
 * 21 KB were refused (reports in public trackers).
 */
import { asMembers } from "../../events/summary.ts";
import type { AnswerWords, ChatTool, ToolAnswer } from "./chat-tool.ts";
import type { ChatLink, ChatMessage, ChatParagraph } from "./message.ts";
import { JOINER, type Words, findWords, fitParagraphs, readMembers, writeText } from "./texts.ts";

const MESSAGE_BYTES_MAX = 20_000;
const HEADLINE_CHARS_MAX = 500;
const PARAGRAPH_CHARS_MAX = 2_000;
const FACTS_MAX = 10;
const NAME_CHARS_MAX = 100;
const VALUE_CHARS_MAX = 400;

function write({ headline, paragraphs, facts, link, footer }: ChatMessage): string {
  const head = [block([run(headline, HEADLINE_CHARS_MAX, { weight: "Bolder", size: "Medium" })])];
  const tail = [
    ...facts.slice(0, FACTS_MAX).map(({ name, value }) => block([strong(`${name}: `), run(value, VALUE_CHARS_MAX)])),
    ...(footer === null ? [] : [block([run(footer.text, VALUE_CHARS_MAX, { isSubtle: true })])]),
  ];
  const actions = [link, footer?.link ?? null].filter((each) => each !== null).map(open);
  const max = MESSAGE_BYTES_MAX - bytesOf(wrap([...head, ...tail], actions));
  const sizeOf = (paragraph: ChatParagraph): number => bytesOf(writeParagraph(paragraph));
  const shown = fitParagraphs(paragraphs, { max, sizeOf }).flatMap(writeParagraph);
  return JSON.stringify(wrap([...head, ...shown, ...tail], actions));
}

const wrap = (body: readonly object[], actions: readonly object[]) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body,
        ...(actions.length === 0 ? {} : { actions }),
      },
    },
  ],
});

const bytesOf = (part: unknown): number => Buffer.byteLength(JSON.stringify(part));

const block = (inlines: readonly object[]) => ({ type: "RichTextBlock", inlines });

/** `{{DATE(…)}}` is a function in a run too. */
const run = (text: string, charsMax: number, style: object = {}) => ({
  type: "TextRun",
  text: writeText(text.replaceAll(/\{(?=\{)/g, `{${JOINER}`), charsMax),
  ...style,
});
const strong = (text: string) => run(text, NAME_CHARS_MAX, { weight: "Bolder" });

const open = ({ words, url }: ChatLink) => ({ type: "Action.OpenUrl", title: words, url });

/** A run has no lines: each is a block. */
const writeParagraph = ({ title, text, link }: ChatParagraph): object[] => [
  ...(title === null ? [] : [block([strong(title)])]),
  ...(text === "" ? [] : text.split("\n").map((line) => block([run(line, PARAGRAPH_CHARS_MAX)]))),
  ...(link === null ? [] : [block([{ ...run(link.words, NAME_CHARS_MAX), selectAction: open(link) }])]),
];

const NEW_ADDRESS = "Look at the workflow in Teams (Workflows), and copy its address again.";

const RATE: Words = ["Teams takes no more messages for the moment.", "Set a rate limit of 4 a second or less."];
const FORM: Words = ["Teams cannot read the message.", ""];
const TAKEN: Words = [
  "Teams took the message, and says so whatever becomes of the card.",
  "Look into the channel. If nothing is there, the workflow's run history in Teams says why.",
];

const ANSWERS: Readonly<Record<string, Words>> = {
  WorkflowTriggerIsNotEnabled: ["Teams says that the workflow is switched off.", "Switch it on in Teams (Workflows)."],
  WorkflowNotFound: ["Teams says that the workflow was deleted.", NEW_ADDRESS],
  WorkflowTriggerNotFound: ["Teams says that the workflow no longer begins with a webhook.", NEW_ADDRESS],
  DirectApiAuthorizationRequired: [
    "The workflow asks for people to sign in, or the address is not whole.",
    'Let "Anyone" trigger the workflow, and copy its address again.',
  ],
  DirectApiInvalidAuthorizationScheme: ["The address is not whole: its signature is missing.", NEW_ADDRESS],
  TooManyRequests: RATE,
};

function readAnswer({ status, body }: ToolAnswer): AnswerWords | null {
  const { code } = asMembers(readMembers(body)["error"]);
  const isTaken = status >= 200 && status <= 299;
  const isAboutForm = code === "TriggerInputSchemaMismatch" || code === "InvalidRequestContent" || CONNECTOR.test(body);
  const words = findWords(ANSWERS, code) ?? (status === 429 ? RATE : isAboutForm ? FORM : isTaken ? TAKEN : null);
  if (words === null) return null;
  const [sentence, advice] = words;
  // A workflow takes everything, and posts cards alone.
  return { sentence, advice, waitMs: 0, isAboutForm: isAboutForm || isTaken };
}

/** A connector of old, which answers in sentences. */
const CONNECTOR = /Summary or Text is required|Bad payload received|Microsoft Teams endpoint returned HTTP error/i;

export const teams: ChatTool = {
  kind: "teams",
  writers: [write],
  readAnswer,
};
