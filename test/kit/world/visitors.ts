/** Visitors that differ, as records at intake have them: for lists and pictures that must tell one from another. */

interface Person {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly company: string;
  readonly city: string;
  readonly country: string;
  readonly demo: string;
  readonly intent: "high" | "medium" | "low";
}

const PEOPLE: readonly Person[] = [
  person("Jane Doe, Acme Robotics, Lisbon, Portugal", "Product tour", "high"),
  person("Tomás Okafor, Northwind Freight, Lagos, Nigeria", "Security overview", "medium"),
  person("Mei-Ling Zhao, Harbour Analytics, Singapore, Singapore", "Product tour", "high"),
  person("Priya Raman, Bluepeak Health, Pune, India", "Pricing walkthrough", "low"),
  person("Jonas Lindqvist, Fjord Energi, Bergen, Norway", "Integrations in five minutes", "medium"),
];

/** `who` is name, company, city and country. */
function person(who: string, demo: string, intent: Person["intent"]): Person {
  const [name = "", company = "", city = "", country = ""] = who.split(", ");
  const [first = "", last = ""] = name.split(" ");
  const local = first
    .toLowerCase()
    .normalize("NFD")
    .replace(/[^a-z]/g, "");
  const domain = `${company.split(" ")[0]?.toLowerCase()}.example`;
  return { first_name: first, last_name: last, email: `${local}@${domain}`, company, city, country, demo, intent };
}

type Changes = Readonly<Record<string, unknown>>;

/**
 * What tells session `number` from the others: people come round again, one in seven is known by the company alone, one
 * in eleven not at all.
 */
export function visitorOfSession(number: number): Changes {
  const { demo, intent, ...who } = at(number);
  return {
    ...whoseRecord(number, who),
    name: demo,
    intent_level: intent,
    completion: (number * 37) % 101,
    time_spent: 45 + ((number * 83) % 400),
    checklist_completed: intent === "high",
    cta_opened: intent === "low" ? null : `https://${domainOf(who)}/book-a-call`,
  };
}

/** The same for a conversation, with a summary of its own. */
export function visitorOfConversation(number: number): Changes {
  const { demo, intent, ...who } = at(number);
  return {
    ...whoseRecord(number, who),
    intent_level: intent,
    conversation_summary: `${SUMMARIES[number % SUMMARIES.length]} Came from “${demo}”.`,
  };
}

const SUMMARIES = [
  "Asked about the price for 40 seats and wants a call next week.",
  "Compares single sign-on with two other vendors.",
  "Needs the CRM connection before the end of the quarter.",
];

const at = (number: number): Person => PEOPLE[number % PEOPLE.length] as Person;
const domainOf = ({ email }: Pick<Person, "email">): string => email.slice(email.indexOf("@") + 1);

function whoseRecord(number: number, who: Omit<Person, "demo" | "intent">): Changes {
  const { company, city, country, first_name, last_name, email } = who;
  const isStranger = number % 11 === 10;
  const lead = { id: LEAD_ID, client_source: "website", lead_source: "demo_form", email, first_name, last_name };
  return {
    lead: isStranger || number % 7 === 6 ? null : lead,
    buyer_reveal: isStranger
      ? null
      : { company_name: company, company_domain: domainOf(who), company_employee_range: "51 - 200" },
    location: isStranger ? null : { city, country },
  };
}

const LEAD_ID = "0d9f2f0e-8f5e-4f0b-8d5f-6a1f4c1b7e21";
