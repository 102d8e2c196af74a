/**
 * The records of the stand-in product: sessions and conversations of a small cast, a little different each time.
 * People, companies and addresses are made up, on names that are reserved for that.
 */
import { CHAT_CONVERSATION_SAMPLES, chatConversationCompleted } from "../events/chat-conversation-completed.ts";
import { DEMO_VIEWED_SAMPLES, demoViewed } from "../events/demo-viewed.ts";
import type { EventType } from "../events/event-type.ts";
import { type Random, newUuid } from "../lib/random.ts";

export type RecordKind = "session_of_lead" | "session_of_unknown" | "text_chat" | "voice_chat";

export interface ProductRecord {
  readonly id: string;
  /** For the demo's own lines about it. */
  readonly title: string;
  /** The JSON text that is sent to intake, without line breaks. */
  readonly text: string;
}

/** The events that its records become. */
export const DEMO_TYPES = [demoViewed.type, chatConversationCompleted.type] as const;

export const ASSISTANT_ID = "website-assistant";

/** A record with a new id that happened at `nowMs`. */
export function newRecord(kind: RecordKind, nowMs: number, random: Random): ProductRecord {
  const id = newUuid(random);
  const { title, ...fields } = FIELDS_OF[kind](nowMs, random);
  return { id, title, text: JSON.stringify({ ...fields, id }) };
}

/** The type's example as a record with a key of its own. */
export function newExampleRecord(type: EventType, nowMs: number, random: Random): ProductRecord {
  const text = type.newExample(nowMs, newUuid(random));
  const parsed = type.parse(text);
  if (!parsed.ok) throw new Error(`the example of ${type.type} is refused: ${parsed.error.detail}`);
  return { id: parsed.value.sourceId, title: type.title, text };
}

/** A record without its id, with a title for the demo's own lines. */
type Fields = Record<string, unknown> & { readonly title: string };

const FIELDS_OF: Readonly<Record<RecordKind, (nowMs: number, random: Random) => Fields>> = {
  session_of_lead: (nowMs, random) => ({
    ...session(nowMs, random),
    ...visitor(random),
    completion: between(random, 40, 100),
    intent_level: pick(random, ["high", "high", "medium"]),
    checklist_completed: random.unit() < 0.5,
    cta_opened: pick(random, ["https://example.com/book-a-call", null]),
  }),
  session_of_unknown: (nowMs, random) => ({
    ...session(nowMs, random),
    completion: between(random, 5, 60),
    intent_level: pick(random, ["low", "low", "medium"]),
    checklist_completed: false,
  }),
  text_chat: (nowMs, random) => ({
    ...CHAT_CONVERSATION_SAMPLES.textChat,
    ...chat(nowMs, random),
    ...visitor(random),
    mode: "text",
  }),
  voice_chat: (nowMs, random) => ({ ...CHAT_CONVERSATION_SAMPLES.voiceChat, ...chat(nowMs, random), mode: "voice" }),
};

function session(nowMs: number, random: Random): Fields {
  const name = pick(random, ["Product tour", "Five-minute overview", "Integrations, hands on", "Für Einkäufer"]);
  return {
    ...DEMO_VIEWED_SAMPLES.unknownVisitor,
    title: name,
    name,
    link_name: pick(random, ["Spring campaign", "Sales follow-up", "Website"]),
    viewed_at: new Date(nowMs).toISOString(),
    time_spent: between(random, 10, 400),
    utm_params: pick(random, [{}, { utm_source: "newsletter", utm_campaign: "spring" }]),
  };
}

interface Topic {
  readonly topic: string;
  readonly question: string;
  readonly answer: string;
  readonly summary: string;
}

/** The subjects that visitors ask about; a conversation is about one of them. */
const TOPICS: readonly [Topic, ...Topic[]] = [
  {
    topic: "pricing",
    question: "What does it cost for 40 seats?",
    answer: "That is our growth plan. Shall I send you the price list?",
    summary: "Asked what 40 seats cost.",
  },
  {
    topic: "security",
    question: "Where is our data kept?",
    answer: "In the region that you choose, encrypted at rest.",
    summary: "Wanted to know where data is kept.",
  },
  {
    topic: "crm integration",
    question: "Can it write into our CRM?",
    answer: "Yes: each session is sent there by webhook, signed.",
    summary: "Needs sessions in the CRM.",
  },
  {
    topic: "getting started",
    question: "How long until the first demo is live?",
    answer: "Most teams have one on the same day.",
    summary: "Asked how quickly a first demo is live.",
  },
];

function chat(nowMs: number, random: Random): Fields {
  const { topic, question, answer, summary } = pick(random, TOPICS);
  const seconds = between(random, 20, 300);
  return {
    title: summary,
    assistant_id: ASSISTANT_ID,
    messages: [
      { role: "assistant", text: "Hello! What brings you here today?" },
      { role: "user", text: question },
      { role: "assistant", text: answer },
    ],
    conversation_summary: summary,
    topics: [topic],
    intent_level: pick(random, ["high", "medium", "low"]),
    extracted_variables: { qualified: random.unit() < 0.5, team_size: between(random, 5, 500) },
    duration: seconds,
    started_at: new Date(nowMs - seconds * 1000).toISOString(),
    completed_at: new Date(nowMs).toISOString(),
  };
}

interface Person {
  readonly leadId: string;
  readonly first: string;
  readonly last: string;
  readonly company: string;
  readonly domain: string;
  readonly city: string;
  readonly country: string;
}

/** The same people come back, as known leads do, each time with another session or conversation. */
const PEOPLE: readonly [Person, ...Person[]] = [
  person("5b0f6d52-0a7e-4c39-9d57-1c1f1a2b7d10", "Grace Hopper", {
    company: "Cobalt Freight",
    place: "Rotterdam, Netherlands",
  }),
  person("a4c1be0d-52f4-4b53-8a7e-6f4a3d5c9e21", "Katherine Johnson", {
    company: "Orbit Tools",
    place: "Hampton, United States",
  }),
  person("e0d9a3b7-7c11-4f0a-b1de-90c7a8e3f532", "Tomás Ribeiro", {
    company: "Vinha Software",
    place: "Porto, Portugal",
  }),
  person("19c7f2e4-3d68-4e9b-a5f0-2b8d7c6e1a43", "Yuki Tanaka", { company: "Hoshi Retail", place: "Osaka, Japan" }),
];

function visitor(random: Random): Record<string, unknown> {
  const { leadId, first, last, company, domain, city, country } = pick(random, PEOPLE);
  const email = `${first
    .normalize("NFD")
    .replace(/[^a-z]/gi, "")
    .toLowerCase()}@${domain}`;
  return {
    lead: { id: leadId, client_source: "website", email, first_name: first, last_name: last, lead_source: "demo_form" },
    buyer_reveal: { company_name: company, company_domain: domain, confidence_score: "high" },
    location: { city, country, state: "" },
  };
}

function person(leadId: string, name: string, at: { readonly company: string; readonly place: string }): Person {
  const { company, place } = at;
  const [first = "", last = ""] = name.split(" ");
  const [city = "", country = ""] = place.split(", ");
  return { leadId, first, last, company, domain: `${company.toLowerCase().replace(" ", "-")}.example`, city, country };
}

function pick<Choice>(random: Random, choices: readonly [Choice, ...Choice[]]): Choice {
  return choices[Math.floor(random.unit() * choices.length)] ?? choices[0];
}

const between = (random: Random, from: number, to: number): number =>
  from + Math.floor(random.unit() * (to - from + 1));
