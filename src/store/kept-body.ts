/**
 * Bodies as both stores keep them: without the words that each body of its family has. A session's 1,131 characters
 * become 515. On SQLite five or six events share a page that held two or three; PostgreSQL's log is a fifth shorter.
 *
 *     {"id":"8f1d…","analytics_url":"https://…   ──►   <mark> A 8f1d… <mark> https://… <mark> …
 *
 * Invariant: a body is given back to the byte, because receivers check its signatures. A text that fits no form, is
 * long, or has one of the marks in it is kept as it is: no body of ours has them, because JSON escapes them.
 */

import { assert } from "../lib/assert.ts";

/** Begins a body that was shortened, and stands between its values. */
const MARK = "\u0001";
/** The value is the same as an earlier one, which the form names. */
const SAME = "\u0002";

/** In a form's place: what follows is the text as it is, which begins with a mark itself. */
const AS_IT_IS = "=";

/** More would gain a few percent, and take long to look through. */
const CHARS_MAX = 16 * 1024;

interface Form {
  readonly letter: string;
  /** A value stands between each two of them. The first begins the body, and the last ends it. */
  readonly words: readonly string[];
  /** For each value the place of the earlier one that it usually repeats; -1 for none. */
  readonly earlier: readonly number[];
}

/** Each part begins and ends with a word, and so does what `chain` makes of them. */
const COMPANY = [
  '"buyer_reveal":{"company_name":"',
  '","company_domain":"',
  '","company_annual_revenue_range":"',
  '","company_employee_range":"',
  '","confidence_score":"',
  '"}',
];
const LEAD = [
  '"lead":{"id":"',
  '","client_source":"',
  '","client_tracking_id":',
  ',"email":"',
  '","first_name":"',
  '","last_name":"',
  '","lead_source":"',
  '"}',
];
const NO_LEAD = ['"lead":null'];
const LOCATION = ['"location":{"city":"', '","country":"', '","state":"', '"}'];

/** Parts one after the other. Where two of them meet is no value, so a last and a first word become one. */
function chain(...parts: readonly (readonly string[])[]): string[] {
  return parts.reduce<string[]>(
    (words, part) => [...words.slice(0, -1), (words.at(-1) ?? "") + part[0], ...part.slice(1)],
    [],
  );
}

const toSessionWords = (lead: readonly string[]): string[] =>
  chain(
    ['{"id":"', '","analytics_url":"', "/audience/sessions/", '",'],
    COMPANY,
    [',"checklist_completed":', ',"completion":', ',"cta_opened":', ',"host_url":"'],
    ["", "/share/", '","intent_level":"', '",'],
    lead,
    [',"link":"', "/share/", '","link_name":"', '",'],
    LOCATION,
    [
      ',"name":"',
      '","referers":[',
      '],"time_spent":',
      ',"utm_params":{',
      '},"viewed_at":"',
      '","event":"demo_viewed"}',
    ],
  );

const toConversationWords = (lead: readonly string[]): string[] =>
  chain(
    ['{"id":"', '","event":"chat_conversation_completed","transcript":"', '","conversation_summary":"', '","topics":['],
    ["", '],"intent_level":"', '","extracted_variables":{"email":"', '","visitor_name":"', '","phone_number":"'],
    ["", '","qualified":', '},"duration":', ',"message_count":', ',"messages_count":', ',"started_at":"'],
    ["", '","completed_at":"', '","cta_opened":', ","],
    lead,
    [","],
    COMPANY,
    [","],
    LOCATION,
    ["}"],
  );

/** `repeats`: the value behind the last such word is usually the one behind the first of the others. */
function toForm(letter: string, words: readonly string[], repeats: readonly (readonly [string, string])[]): Form {
  const earlier = words.map(() => -1);
  for (const [laterWord, earlierWord] of repeats) {
    const later = words.findLastIndex((word) => word.includes(laterWord));
    earlier[later] = words.findIndex((word) => word.includes(earlierWord));
  }
  return { letter, words, earlier };
}

const SESSION_REPEATS = [
  ["/audience/sessions/", '{"id":"'],
  [',"host_url":"', '"analytics_url":"'],
  [',"link":"', '"analytics_url":"'],
  ["/share/", "/share/"],
] as const;
const CONVERSATION_REPEATS = [[',"messages_count":', ',"message_count":']] as const;

/** Rows that are written stay for months: forms may be added, and none may change. */
const FORMS: readonly Form[] = [
  toForm("A", toSessionWords(LEAD), SESSION_REPEATS),
  toForm("B", toSessionWords(NO_LEAD), SESSION_REPEATS),
  toForm("C", toConversationWords(LEAD), CONVERSATION_REPEATS),
  toForm("D", toConversationWords(NO_LEAD), CONVERSATION_REPEATS),
];
const FORMS_BY_LETTER = new Map(FORMS.map((form) => [form.letter, form]));

/** An id is as long as a UUID: the word behind it tells the families apart. */
const ID_CHARS = 36;

export function shortenBody(body: string): string {
  if (body.startsWith(MARK)) return MARK + AS_IT_IS + body;
  if (body.length > CHARS_MAX || body.includes(MARK) || body.includes(SAME)) return body;
  for (const form of FORMS) {
    const [first = "", second = ""] = form.words;
    if (!body.startsWith(second, first.length + ID_CHARS)) continue;
    const values = joinValues(body, form);
    if (values !== null) return MARK + form.letter + values;
  }
  return body;
}

/** `null` when a word is missing. */
function joinValues(body: string, { words, earlier }: Form): string | null {
  const last = words.length - 1;
  const end = body.length - (words[last]?.length ?? 0);
  if (!body.startsWith(words[0] ?? "") || !body.endsWith(words[last] ?? "")) return null;
  const values: string[] = [];
  let text = "";
  let from = words[0]?.length ?? 0;
  for (let place = 0; place < last; place += 1) {
    const word = words[place + 1] ?? "";
    const at = place + 1 === last ? end : body.indexOf(word, from);
    if (at < from) return null;
    const value = body.slice(from, at);
    const back = earlier[place] ?? -1;
    text += (place === 0 ? "" : MARK) + (back >= 0 && values[back] === value ? SAME : value);
    values.push(value);
    from = at + word.length;
  }
  return text;
}

/** The body that `shortenBody` was given. What an earlier Bellwire has kept is the body itself. */
export function readBody(text: string): string {
  if (!text.startsWith(MARK)) return text;
  const letter = text.charAt(MARK.length);
  const rest = text.slice(MARK.length + letter.length);
  if (letter === AS_IT_IS) return rest;
  const form = FORMS_BY_LETTER.get(letter);
  assert(form !== undefined, `a body is kept in the form "${letter}", which this Bellwire does not know`);
  const values = rest.split(MARK);
  const parts = values.map((value, place) => {
    const whole = value === SAME ? values[form.earlier[place] ?? -1] : value;
    return (form.words[place] ?? "") + (whole ?? "");
  });
  return parts.join("") + (form.words.at(-1) ?? "");
}
