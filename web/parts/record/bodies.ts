/** What the page of a record shows, read from the body: session, conversation with its turns, and visitor. Pure. */
import {
  digitsOf,
  flagOf,
  instantOf,
  type Members,
  membersOf,
  readBody,
  textOf,
  textsOf,
  writtenOf,
} from "../json/json-reader.ts";

export interface Session {
  readonly visitor: Visitor;
  readonly demo: string;
  readonly viewedAtMs: number | null;
  /** Per cent, as written: "72.5"; "" when it is not known. */
  readonly completion: string;
  readonly timeSpentMs: number | null;
  readonly intent: string;
  readonly isChecklistCompleted: boolean | null;
  readonly ctaOpened: string;
  readonly link: { readonly name: string; readonly url: string };
  /** In the order of the visit. */
  readonly referers: readonly string[];
  readonly campaign: readonly NamedFact[];
}

export function readSession(bodyText: string): Session {
  const body = readBody(bodyText);
  return {
    visitor: readVisitor(body),
    demo: textOf(body.get("name")),
    viewedAtMs: instantOf(body.get("viewed_at")),
    completion: digitsOf(body.get("completion")),
    timeSpentMs: toMs(digitsOf(body.get("time_spent"))),
    intent: textOf(body.get("intent_level")),
    isChecklistCompleted: flagOf(body.get("checklist_completed")),
    ctaOpened: textOf(body.get("cta_opened")),
    link: { name: textOf(body.get("link_name")), url: textOf(body.get("link")) },
    referers: textsOf(body.get("referers")),
    campaign: [...membersOf(body.get("utm_params"))].map(([name, node]) => [name, writtenOf(node)]),
  };
}

/* A conversation out of its payload, for its page. Pure. */

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
function toMs(seconds: string): number | null {
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

/**
 * A transcript as turns. Its form is that of the specification (2.5): a mode marker in brackets, then `Assistant:` and
 * `User:` turns with a blank line before each. A text of another form is no conversation for the page: it stays text.
 * Pure.
 */
type Mode = "text" | "voice";

export interface Turn {
  readonly speaker: "assistant" | "user";
  readonly text: string;
}

interface Transcript {
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

/* The visitor in a payload of either kind: lead, company and place, each as far as it is known. Pure. */

export interface Visitor {
  readonly name: string;
  readonly email: string;
  readonly company: Company;
  /** "Lisbon, Lisboa, Portugal" */
  readonly place: string;
  /** The names by which the product knows the lead; none for an unknown visitor. */
  readonly leadFacts: readonly NamedFact[];
}

interface Company {
  readonly name: string;
  readonly domain: string;
  readonly facts: readonly NamedFact[];
}

export type NamedFact = readonly [name: string, value: string];

export function readVisitor(body: Members): Visitor {
  const lead = membersOf(body.get("lead"));
  const reveal = membersOf(body.get("buyer_reveal"));
  const location = membersOf(body.get("location"));
  const name = known([textOf(lead.get("first_name")), textOf(lead.get("last_name"))]).join(" ");
  const email = textOf(lead.get("email"));
  const company = readCompany(reveal);
  const parts = known(["city", "state", "country"].map((part) => textOf(location.get(part))));
  return {
    name,
    email,
    company,
    // A city state is its own state: it is said once.
    place: parts.filter((part, at) => part !== parts[at - 1]).join(", "),
    leadFacts: namedFacts(lead, LEAD_WORDS),
  };
}

function readCompany(reveal: Members): Company {
  return {
    name: textOf(reveal.get("company_name")),
    domain: textOf(reveal.get("company_domain")),
    facts: namedFacts(reveal, COMPANY_WORDS),
  };
}

const LEAD_WORDS: readonly NamedFact[] = [
  ["lead_source", "Became a lead by"],
  ["client_source", "Known from"],
  ["client_tracking_id", "Your tracking id"],
  ["id", "Lead id"],
];

const COMPANY_WORDS: readonly NamedFact[] = [
  ["company_domain", "Domain"],
  ["company_employee_range", "Employees"],
  ["company_annual_revenue_range", "Annual revenue"],
  ["confidence_score", "Confidence"],
];

/** Those that are known, in words. */
function namedFacts(members: Members, words: readonly NamedFact[]): readonly NamedFact[] {
  return words
    .map(([key, word]): NamedFact => [word, textOf(members.get(key))])
    .filter(([, value]) => value.trim() !== "");
}

const known = (parts: readonly string[]): readonly string[] =>
  parts.map((part) => part.trim()).filter((part) => part !== "");

/** "AL" of "Ada Lovelace", "A" of "ada@example.com"; "" of nothing. */
export function initialsOf(who: string): string {
  const words = who.includes("@") ? [who] : who.split(/\s+/);
  return known([words[0] ?? "", words.length > 1 ? (words.at(-1) ?? "") : ""])
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0))
    .join("")
    .toUpperCase();
}
