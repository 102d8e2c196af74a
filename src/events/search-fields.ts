/**
 * The texts of an event that search looks through, read back from its body: who, the company, the demo, topics,
 * summary, transcript, signals. Pure.
 */
import { toWords } from "../domain/search-words.ts";
import type { Problem, Result } from "../domain/problem.ts";
import { hasInexact, parseBody, parseJson, writtenNumber } from "./exact-json.ts";
import type { Members, Readers, SearchedText } from "./event-type.ts";
import { asMembers, type Summary, membersAt, textAt, toSummary } from "./summary.ts";

/**
 * For all texts of an event together: some 5,000 words, an hour of talking. More would make the index of one
 * conversation larger than that of hundreds.
 */
export const SEARCHED_CHARS_MAX = 32_768;

/** How much of a body counts as work of the index: its words cost 20 to 80 times what the rest does (measured). */
export const searchedBytes = (bodyBytes: number): number => Math.min(bodyBytes, SEARCHED_CHARS_MAX);

interface Searched {
  readonly summary: Summary;
  readonly texts: readonly SearchedText[];
}

/**
 * What comes last is what is left out. A parse that keeps the digits of numbers takes nine times as long (6.6 ms for
 * 256 KiB with prices such as 10.50), and few texts are numbers: so it is asked only where one of them lost digits.
 */
export function readSearched(readers: Readers, body: string): Searched {
  const read = (parsed: Result<unknown, Problem>): Searched => {
    const members = parsed.ok ? asMembers(parsed.value) : {};
    return { summary: toSummary(readers, members), texts: bounded(readers.listTexts(members)) };
  };
  const quick = read(parseJson(body));
  return hasInexact(body, listNumbers(quick)) ? read(parseBody(body)) : quick;
}

/** By themselves or beside other words. */
function listNumbers({ summary: { about }, texts }: Searched): ReadonlySet<number> {
  const read = [about.who ?? "", about.what ?? "", ...texts.map(({ text }) => text)];
  const words = read.flatMap((text) => text.split(/\s/)).filter((word) => /\d/.test(word));
  return new Set(words.map(Number).filter((number) => !isNaN(number)));
}

const ADDRESS = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]{1,255}$/;

/** The e-mail address by which its person is known, as it stands in the body; `null` where search has none. */
export function findEmail(readers: Readers, body: string | null): string | null {
  const parsed = body === null ? null : parseBody(body);
  const texts = parsed?.ok === true ? readers.listTexts(asMembers(parsed.value)) : [];
  return texts.find(({ text }) => ADDRESS.test(text.trim()))?.text.trim() ?? null;
}

/** Those of a visitor's session or conversation. */
export function listVisitorTexts(members: Members): SearchedText[] {
  const lead = membersAt(members, "lead");
  const company = membersAt(members, "buyer_reveal");
  const signals = Object.values(membersAt(members, "extracted_variables"));
  const topics = members["topics"];
  return [
    { field: "visitor", text: `${textAt(lead, "first_name")} ${textAt(lead, "last_name")}` },
    { field: "visitor", text: textAt(lead, "email") },
    { field: "visitor", text: textAt(lead, "client_tracking_id") },
    { field: "company", text: textAt(company, "company_name") },
    { field: "company", text: textAt(company, "company_domain") },
    { field: "demo", text: textAt(members, "name") },
    { field: "demo", text: textAt(members, "link_name") },
    ...(Array.isArray(topics) ? topics : []).map((topic) => ({ field: "topic", text: asText(topic) })),
    { field: "summary", text: textAt(members, "conversation_summary") },
    ...signals.map((signal) => ({ field: "signal", text: asText(signal) })),
    { field: "transcript", text: textAt(members, "transcript") },
  ];
}

const asText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? `${value}` : (writtenNumber(value) ?? "");

function bounded(texts: readonly SearchedText[]): SearchedText[] {
  let left = SEARCHED_CHARS_MAX;
  return texts.flatMap(({ field, text }) => {
    const taken = text.slice(0, left);
    left -= taken.length;
    return taken.trim() === "" ? [] : [{ field, text: taken }];
  });
}

/** No word, so that no phrase goes across. */
const BETWEEN = " | ";

/** As the index keeps them: a space before each word, texts apart from each other. */
export const toSearchText = (texts: readonly SearchedText[]): string =>
  ` ${texts.map(({ text }) => toWords(text).join(" ")).join(BETWEEN)}`;

/** Each once. */
export const splitSearchText = (searchText: string): string[] => [
  ...new Set(searchText.split(" ").filter((word) => word !== "" && word !== "|")),
];
