/**
 * Bodies of an account with many visitors, for reads that show and search what events are about: 20,000 people of 2,000
 * companies, and conversations of some 150 words, of which few are frequent and most are rare.
 */
import { createSeededRandom } from "../test/kit/world/seeded-random.ts";
import { bodyText } from "./record.ts";

const PEOPLE = 20_000;
const COMPANIES = 2_000;
const WORDS = 8_000;
const WORDS_OF_TRANSCRIPT = 150;

const SYLLABLES = ["ka", "lo", "mi", "ren", "tas", "vo", "schi", "pel", "dor", "nu", "gra", "fis"];

/** The same number gives the same word. */
export function wordOf(n: number): string {
  let word = "";
  for (let rest = n + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length] ?? "";
  }
  return word;
}

export const emailOf = (n: number): string => `${wordOf(n % PEOPLE)}@${companyOf(n)}.example`;

export const companyOf = (n: number): string => `${wordOf((n % PEOPLE) % COMPANIES)}co`;

const random = createSeededRandom(7);

/** Frequent ones have small numbers, as in any language. */
const anyWord = (): string => wordOf(Math.floor(WORDS * random.unit() ** 4));

export function sessionBody(n: number): string {
  return withVisitor(JSON.parse(bodyText(n % 40)) as object, n);
}

export function conversationBody(n: number): string {
  const words = Array.from({ length: WORDS_OF_TRANSCRIPT }, anyWord).join(" ");
  const summary = `Asked about ${anyWord()} and ${anyWord()}.`;
  const talk = { transcript: `[Text mode]\n\nUser: ${words}`, conversation_summary: summary, topics: [anyWord()] };
  return withVisitor({ event: "chat_conversation_completed", intent_level: "high", ...talk }, n);
}

function withVisitor(body: object, n: number): string {
  const lead = { first_name: wordOf(n % PEOPLE), last_name: wordOf((n * 7) % PEOPLE), email: emailOf(n) };
  const company = { company_name: companyOf(n), company_domain: `${companyOf(n)}.example` };
  return JSON.stringify({ ...body, lead, buyer_reveal: company });
}
