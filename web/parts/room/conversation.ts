/** A conversation out of its payload, for its page. Pure. */
import { digitsOf, flagOf, instantOf, membersOf, readBody, textOf, textsOf, writtenOf } from "../json/json-reader.ts";
import { type Transcript, parseTranscript } from "./transcript.ts";
import { type Visitor, readVisitor } from "./visitor.ts";

export interface Conversation {
  readonly visitor: Visitor;
  readonly summary: string;
  readonly topics: readonly string[];
  readonly intent: string;
  /** As it was sent; shown as it is when it has another form than `turns` knows. */
  readonly transcript: string;
  readonly talk: Transcript | null;
  readonly startedAtMs: number | null;
  readonly completedAtMs: number | null;
  readonly durationMs: number | null;
  readonly ctaOpened: string;
  readonly variables: readonly Variable[];
}

export interface Variable {
  readonly name: string;
  /** One of the account's own signals: its name is shown as it came. */
  readonly isCustom: boolean;
  /** "" when it was not extracted. */
  readonly value: string;
}

export function readConversation(bodyText: string): Conversation {
  const body = readBody(bodyText);
  const transcript = textOf(body.get("transcript"));
  return {
    visitor: readVisitor(body),
    summary: textOf(body.get("conversation_summary")).trim(),
    topics: textsOf(body.get("topics")),
    intent: textOf(body.get("intent_level")),
    transcript,
    talk: parseTranscript(transcript),
    startedAtMs: instantOf(body.get("started_at")),
    completedAtMs: instantOf(body.get("completed_at")),
    durationMs: toMs(digitsOf(body.get("duration"))),
    ctaOpened: textOf(body.get("cta_opened")),
    variables: readVariables(membersOf(body.get("extracted_variables"))),
  };
}

/** Seconds as the payload has them; `null` when there is no number. */
export function toMs(seconds: string): number | null {
  return seconds === "" ? null : Number(seconds) * 1000;
}

/** The signals that every conversation has (specification §2.5), in its order. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ["email", "E-mail"],
  ["visitor_name", "Name"],
  ["phone_number", "Phone"],
  ["qualified", "Qualified"],
]);

function readVariables(members: ReturnType<typeof membersOf>): readonly Variable[] {
  const known = [...KNOWN].flatMap(([key, name]): readonly Variable[] => {
    const node = members.get(key);
    if (node === undefined) return [];
    const flag = flagOf(node);
    const value = flag === null ? writtenOf(node) : flag ? "Yes" : "No";
    return [{ name, isCustom: false, value }];
  });
  const custom = [...members].filter(([key]) => !KNOWN.has(key));
  return [...known, ...custom.map(([name, node]) => ({ name, isCustom: true, value: writtenOf(node) }))];
}
