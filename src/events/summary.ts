/**
 * Who an event is about and what happened, read back from its body: what lists show of it. Pure.
 *
 * A body was checked when it was accepted, but perhaps by an older version, so nothing of its shape is taken for sure.
 */
import { type About, NO_ABOUT } from "../domain/event.ts";
import type { Members, Readers } from "./event-type.ts";
import { parseBody } from "./exact-json.ts";

export interface Summary {
  readonly about: About;
  /** As the product sent it; empty when there is none. */
  readonly intentLevel: string;
}

const NO_SUMMARY: Summary = { about: NO_ABOUT, intentLevel: "" };

/** `null`: the body is purged. */
export function readSummary(readers: Readers, body: string | null): Summary {
  if (body === null || body === "") return NO_SUMMARY;
  const parsed = parseBody(body);
  return parsed.ok ? toSummary(readers, asMembers(parsed.value)) : NO_SUMMARY;
}

export const toSummary = (readers: Readers, members: Members): Summary => ({
  about: readers.readAbout(members),
  intentLevel: textAt(members, "intent_level"),
});

/** A visitor's session or conversation. */
export const readVisitor = (members: Members): About => ({ who: findWho(members), what: findWhat(members) });

/** What another system knows a visitor by: a name alone joins nothing. */
export interface Contact {
  readonly email: string | null;
  readonly company: string | null;
  readonly companyDomain: string | null;
}

const NO_CONTACT: Contact = { email: null, company: null, companyDomain: null };

/** `null`: the body is purged. */
export function readContact(body: string | null): Contact {
  const parsed = parseBody(body ?? "");
  if (!parsed.ok) return NO_CONTACT;
  const members = asMembers(parsed.value);
  const [lead, signals] = [membersAt(members, "lead"), membersAt(members, "extracted_variables")];
  const company = membersAt(members, "buyer_reveal");
  return {
    email: firstOf([textAt(lead, "email"), textAt(signals, "email")]),
    company: firstOf([textAt(company, "company_name")]),
    companyDomain: firstOf([textAt(company, "company_domain")]),
  };
}

const firstOf = (texts: readonly string[]): string | null =>
  texts.map((text) => text.trim()).find((text) => text !== "") ?? null;

/**
 * Who a visitor is, the most telling first; texts of one line are joined by a blank. The signals of a conversation may
 * name its visitor where the product knows no lead.
 */
export const VISITOR_PATHS: readonly (readonly string[])[] = [
  ["lead.first_name", "lead.last_name"],
  ["lead.email"],
  ["extracted_variables.visitor_name"],
  ["extracted_variables.email"],
  ["buyer_reveal.company_name"],
  ["buyer_reveal.company_domain"],
];

function findWho(members: Members): string | null {
  const read = (path: string): string => {
    const [container = "", name = ""] = path.split(".");
    return textAt(membersAt(members, container), name);
  };
  return firstOf(VISITOR_PATHS.map((paths) => paths.map(read).join(" ")));
}

function findWhat(members: Members): string | null {
  return textAt(members, "name").trim() || beginningOf(textAt(members, "conversation_summary")) || null;
}

/** A summary may have 64 KiB; a row has room for a sentence. */
const BEGINNING_CHARS_MAX = 140;

/** A shorter "sentence" is more likely an abbreviation, such as "Mr." or "approx.". */
const SENTENCE = /^.{12,}?[.!?。！？](?=\s|$)/su;

/** The first sentence, or as many words as there is room for. */
function beginningOf(summary: string): string {
  const text = summary
    .slice(0, 4 * BEGINNING_CHARS_MAX)
    .replaceAll(/\s+/g, " ")
    .trim();
  const sentence = SENTENCE.exec(text)?.[0] ?? text;
  if (sentence.length <= BEGINNING_CHARS_MAX) return sentence;
  const cut = sentence
    .slice(0, BEGINNING_CHARS_MAX)
    .toWellFormed()
    .replace(/\s\S*$/u, "");
  return `${cut}…`;
}

export const asMembers = (value: unknown): Members =>
  typeof value === "object" && value !== null ? (value as Members) : {};

export const membersAt = (members: Members, name: string): Members => asMembers(members[name]);

export function textAt(members: Members, name: string): string {
  const value = members[name];
  return typeof value === "string" ? value : "";
}
