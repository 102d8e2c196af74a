/**
 * The text of a conversation: a mode marker, then a paragraph for each turn, with a blank line before each. Blank lines
 * stand there and nowhere else, so that no message can look like a turn: splitting at blank lines gives the marker and
 * exactly `message_count` turns. Pure. Source: specification §2.5; decisions, "Changes".
 */

export const MARKERS = { text: "[Text mode]", voice: "[Voice mode]" } as const;
const SPEAKERS = { assistant: "Assistant", user: "User" } as const;

/**
 * Every character that the line splitting of a common language takes for the end of a line. Python's `splitlines` takes
 * the most: LF, VT, FF, CR, FS, GS, RS, NEL and the two separators of Unicode. Java's `\R` and JavaScript's `^` take
 * fewer.
 */
const BREAKS = "\\n\\v\\f\\r\\x1c-\\x1e\\x85\\u2028\\u2029";
/** Characters that a blank line may hold: white space of JavaScript or Python. */
const BLANKS = "\\t \\x1f\\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff";

/** CR LF is one break. */
const BREAK = `(?:\\r\\n|[${BREAKS}])`;
/** Line breaks with nothing visible between them. */
const RUN_OF_BREAKS = new RegExp(`${BREAK}(?:[${BLANKS}]*${BREAK})*`, "g");
const BREAKS_AT_START = new RegExp(`^[${BLANKS}]*\\n+`);
const BREAKS_AT_END = new RegExp(`\\n+[${BLANKS}]*$`);
/** Searched for first: few texts need rewriting, which takes four times as long (0.2 µs a message). */
const OTHER_BREAK = `[${BREAKS.replace("\\n", "")}]`;
const UNTIDY_START = new RegExp(`^[${BLANKS}]*\\n`);
const UNTIDY_MESSAGE = new RegExp(`${OTHER_BREAK}|\\n[${BLANKS}]*(?:\\n|$)`);
const UNTIDY_TRANSCRIPT = new RegExp(`${OTHER_BREAK}|\\n(?:[${BLANKS}]+\\n|\\n\\n|[${BLANKS}]*$)`);
const TURN = new RegExp(`^(?:${Object.values(SPEAKERS).join("|")}):`);

export interface Message {
  readonly role: keyof typeof SPEAKERS;
  readonly text: string;
}

export interface Transcript {
  readonly text: string;
  readonly turns: number;
}

export function renderTranscript(mode: keyof typeof MARKERS, messages: readonly Message[]): Transcript {
  const turns = messages.map(({ role, text }) => `${SPEAKERS[role]}: ${withoutBlankLines(text)}`);
  return { text: [MARKERS[mode], ...turns].join("\n\n"), turns: turns.length };
}

/** A run of line breaks becomes one, and goes at both ends of the text. */
function withoutBlankLines(text: string): string {
  if (!UNTIDY_START.test(text) && !UNTIDY_MESSAGE.test(text)) return text;
  return text.replace(RUN_OF_BREAKS, "\n").replace(BREAKS_AT_START, "").replace(BREAKS_AT_END, "");
}

/**
 * A ready transcript with every line break as LF and one blank line between turns; `null` when the text is not a
 * transcript.
 */
export function readTranscript(ready: string): Transcript | null {
  const [marker, ...turns] = splitIntoParagraphs(ready);
  if ((marker !== MARKERS.text && marker !== MARKERS.voice) || turns.length === 0) return null;
  if (!turns.every((turn) => TURN.test(turn))) return null;
  return { text: [marker, ...turns].join("\n\n"), turns: turns.length };
}

function splitIntoParagraphs(text: string): string[] {
  const isTidy = !UNTIDY_TRANSCRIPT.test(text);
  const tidy = isTidy ? text : text.replace(RUN_OF_BREAKS, oneOrTwo).replace(BREAKS_AT_END, "");
  return tidy.split("\n\n");
}

const oneOrTwo = (run: string): string => (run.length === 1 || run === "\r\n" ? "\n" : "\n\n");

/**
 * The same as patterns, for the schemas. Each character has one way to match, so they take linear time: after a break,
 * only blank characters have to be scanned to know whether a line is blank.
 */
const MARKER = "\\[(?:Text|Voice) mode\\]";
const A_BREAK = `(?:\\r\\n|\\r(?!\\n)|[${BREAKS.replace("\\r", "")}])`;
const REST_OF_LINE = `[^${BREAKS}]*`;
const BLANK_PART = `[${BLANKS}]*`;
const LINE = `${BLANK_PART}[^${BLANKS}${BREAKS}]${REST_OF_LINE}`;
const turnPattern = (lineBreak: string): string => `(?:Assistant|User):${REST_OF_LINE}(?:${lineBreak}${LINE})*`;

/** The form that `readTranscript` accepts. */
export const READY_TRANSCRIPT_PATTERN = [
  `^${MARKER}(?:`,
  `${A_BREAK}(?:${BLANK_PART}${A_BREAK})+${turnPattern(A_BREAK)}`,
  `)+(?:${A_BREAK}${BLANK_PART})*$`,
].join("");

/** The form that both functions write. */
export const TRANSCRIPT_PATTERN = `^${MARKER}(?:\\n\\n${turnPattern("\\n")})*$`;
