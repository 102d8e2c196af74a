/**
 * A transcript as turns. Its form is that of the specification (2.5): a mode marker in brackets, then `Assistant:` and
 * `User:` turns with a blank line before each. A text of another form is no conversation for the page: it stays text.
 * Pure.
 */
export type Mode = "text" | "voice";

export interface Turn {
  readonly speaker: "assistant" | "user";
  readonly text: string;
}

export interface Transcript {
  readonly mode: Mode;
  readonly turns: readonly Turn[];
}

const MODES: ReadonlyMap<string, Mode> = new Map([
  ["[Text mode]", "text"],
  ["[Voice mode]", "voice"],
]);
const TURN = /^(Assistant|User):[ \t]?/;

/** `null` for a text of another form. */
export function parseTranscript(text: string): Transcript | null {
  const [marker = "", ...paragraphs] = text.split("\n\n");
  const mode = MODES.get(marker);
  if (mode === undefined) return null;
  const turns: Turn[] = [];
  for (const paragraph of paragraphs) {
    const [start, speaker] = TURN.exec(paragraph) ?? [];
    if (start === undefined) return null;
    turns.push({ speaker: speaker === "User" ? "user" : "assistant", text: paragraph.slice(start.length) });
  }
  return { mode, turns };
}

export interface Utterance {
  readonly speaker: Turn["speaker"];
  readonly texts: readonly string[];
}

/** All that one of them says before the other answers: its name stands once. */
export function groupTurns(turns: readonly Turn[]): readonly Utterance[] {
  const groups: { speaker: Turn["speaker"]; texts: string[] }[] = [];
  for (const { speaker, text } of turns) {
    const last = groups.at(-1);
    if (last?.speaker === speaker) last.texts.push(text);
    else groups.push({ speaker, texts: [text] });
  }
  return groups;
}
