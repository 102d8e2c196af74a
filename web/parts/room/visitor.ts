/** The visitor in a payload of either kind: lead, company and place, each as far as it is known. Pure. */
import { type Members, membersOf, textOf } from "../json/json-reader.ts";

export interface Visitor {
  readonly name: string;
  readonly email: string;
  readonly company: Company;
  /** "Lisbon, Lisboa, Portugal" */
  readonly place: string;
  /** The names by which the product knows the lead; none for an unknown visitor. */
  readonly leadFacts: readonly NamedFact[];
}

export interface Company {
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
