/**
 * The type `demo_viewed`: a demo session, sent to the webhooks of the demo alerts that fire for it. Record at intake
 * → checks → the exact body. The whole body comes from the record, except that its addresses start with the account's
 * `app_url`. Source: specification §2.1 and §6; decisions §2 and §6.
 */
import Type from "typebox";
import type { Static } from "typebox";
import { ALERT_WEBHOOKS_PLAN } from "../domain/account.ts";
import type { Problem, Result } from "../domain/problem.ts";
import { ok } from "../lib/result.ts";
import { beyondSchema } from "./beyond-schema.ts";
import { SAMPLE_COMPANY, companyBody, companyBodySchema, companyRecordSchema, isKnownCompany } from "./company.ts";
import type { Exactly } from "./exact-json.ts";
import type { EventType, ParsedRecord } from "./event-type.ts";
import {
  EXAMPLE_UUID,
  LABEL_CHARS_MAX,
  URL_CHARS_MAX,
  address,
  bodyTimestamp,
  bodyUuid,
  nonNegative,
  nullable,
  text,
  timestamp,
  uuid,
} from "./fields.ts";
import { SAMPLE_LEAD, leadBody, leadBodySchema, leadRecordSchema } from "./lead.ts";
import { SAMPLE_LOCATION, locationBody, locationBodySchema, locationRecordSchema } from "./location.ts";
import type { Payload } from "./payload.ts";
import type { Recipe } from "./recipe.ts";
import { listVisitorTexts } from "./search-fields.ts";
import { VISITOR_PATHS, readVisitor, textAt } from "./summary.ts";
import { readRecord, createValidator } from "./validate.ts";
import { bodyTimestampText } from "./timestamp.ts";

/** Guesses, generous: a session visited from more pages than this is a robot. */
const REFERERS_MAX = 1_000;
const UTM_PARAMS_MAX = 100;
const UTM_NAME_CHARS_MAX = 256;
/** Decisions §2. */
const INTENT_LEVEL_CHARS_MAX = 64;

/** Unreserved characters of RFC 3986: a path segment that needs no escaping, and never `.` or `..`. */
const SHARE_CODE_PATTERN = "^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$";

/** Fields that go from record to body as they are: one schema for both. */
const same = {
  checklist_completed: Type.Boolean({ description: "Whether the visitor completed the demo's checklist." }),
  completion: Type.Number({
    minimum: 0,
    maximum: 100,
    description: "How much of the demo was seen, in per cent (0 to 100).",
    examples: [72.5],
  }),
  intent_level: text(INTENT_LEVEL_CHARS_MAX, {
    minLength: 1,
    description: "Buying intent, such as high, medium or low; passed through.",
    examples: ["high"],
  }),
  link_name: text(LABEL_CHARS_MAX, { description: "Name of the share link.", examples: ["Spring campaign"] }),
  name: text(LABEL_CHARS_MAX, { minLength: 1, description: "Name of the demo.", examples: ["Product tour"] }),
  time_spent: nonNegative({ description: "Time spent in the demo, in seconds.", examples: [184] }),
};

const ctaOpened = nullable(address({}), {
  description: "The call to action that was opened, as it came; null when none was.",
  examples: ["https://example.com/book-a-call"],
});
const referers = Type.Array(address({}), {
  maxItems: REFERERS_MAX,
  description: "Referring addresses, in order of visit, as they came.",
  examples: [["https://www.example.com/search?q=product+tour"]],
});
/** Not `Type.Record`: its pattern would pass over names with a line break in them. */
const utmParams = Type.Object(
  {},
  {
    additionalProperties: text(URL_CHARS_MAX, {}),
    propertyNames: { maxLength: UTM_NAME_CHARS_MAX },
    maxProperties: UTM_PARAMS_MAX,
    description: "Campaign parameters by name; empty when there are none.",
    examples: [{ utm_source: "newsletter", utm_campaign: "spring" }],
  },
);

const recordSchema = Type.Object(
  {
    id: uuid({ description: "Session identifier." }),
    name: same.name,
    share_code: Type.String({
      pattern: SHARE_CODE_PATTERN,
      "x-message": "must be a code of 1 to 128 characters, each one of A-Z a-z 0-9 . _ ~ -, and not just dots",
      description: "Code of the share link, the last part of its address.",
      examples: ["q7Rk2mXa"],
    }),
    link_name: same.link_name,
    viewed_at: timestamp({ description: "When the demo was viewed: ISO 8601 with an offset, which is kept." }),
    completion: same.completion,
    time_spent: same.time_spent,
    intent_level: same.intent_level,
    checklist_completed: same.checklist_completed,
    cta_opened: Type.Optional(ctaOpened),
    referers: Type.Optional(referers),
    utm_params: Type.Optional(utmParams),
    lead: Type.Optional(nullable(leadRecordSchema, { description: "The known visitor; null for an unknown one." })),
    buyer_reveal: Type.Optional(nullable(companyRecordSchema, { description: "The visitor's company, if known." })),
    location: Type.Optional(nullable(locationRecordSchema, { description: "The visitor's location, if known." })),
  },
  { additionalProperties: false, description: `A demo session. ${beyondSchema("demo_session")}` },
);

const bodySchema = Type.Object(
  {
    id: bodyUuid({ description: "Session identifier." }),
    analytics_url: Type.String({
      description: "Address of the session in the analytics area.",
      examples: [`https://app.example.com/audience/sessions/${EXAMPLE_UUID}`],
    }),
    buyer_reveal: companyBodySchema,
    checklist_completed: same.checklist_completed,
    completion: same.completion,
    cta_opened: ctaOpened,
    host_url: Type.String({
      description: "Address of the shared demo.",
      examples: ["https://app.example.com/share/q7Rk2mXa"],
    }),
    intent_level: same.intent_level,
    lead: nullable(leadBodySchema, { description: "The known visitor; null for an unknown one." }),
    link: Type.String({
      description: "Address of the shared demo, the same as host_url.",
      examples: ["https://app.example.com/share/q7Rk2mXa"],
    }),
    link_name: same.link_name,
    location: locationBodySchema,
    name: same.name,
    referers,
    time_spent: same.time_spent,
    utm_params: utmParams,
    viewed_at: bodyTimestamp({ description: "When the demo was viewed: milliseconds and the offset given at intake." }),
    event: Type.Literal("demo_viewed", { description: "Always demo_viewed." }),
  },
  { additionalProperties: false, description: "Body of the webhook for a viewed demo." },
);

type GivenRecord = Static<typeof recordSchema>;
type SessionRecord = Exactly<GivenRecord>;
type SessionBody = Exactly<Static<typeof bodySchema>>;

const validate = createValidator(recordSchema);

function parse(recordText: string, errorsMax?: number): Result<ParsedRecord, Problem> {
  const read = readRecord<GivenRecord>(recordText, { validate, errorsMax });
  if (!read.ok) return read;
  const session = read.value;
  return ok({
    sourceId: session.id.toLowerCase(),
    facts: {
      type: "demo_viewed",
      plan: ALERT_WEBHOOKS_PLAN,
      session: sessionFacts(session),
      assistantId: null,
      toPayload: ({ appUrl }) => sessionBody(session, appUrl) as unknown as Payload,
    },
    buildBody: ({ appUrl }) => JSON.stringify(sessionBody(session, appUrl)),
  });
}

/** The facts by which demo alerts decide whether they fire. Record and body have them under the same names. */
function sessionFacts(session: Pick<SessionRecord, "name" | "intent_level" | "lead" | "buyer_reveal">) {
  return {
    demoName: session.name,
    intentLevel: session.intent_level,
    hasLead: Boolean(session.lead),
    hasCompany: isKnownCompany(session.buyer_reveal),
  };
}

/**
 * V8 writes an object at full speed while each of its texts is one piece, and one that `+` or a template has put
 * together is not: a session's body took 2.2 µs to build with such addresses, and 1.2 µs so (measured).
 */
const joinFlat = (...parts: readonly string[]): string => parts.join("");

/** The order of the keys is the order of the specification's table, and is what receivers see. */
function sessionBody(session: SessionRecord, appUrl: string): SessionBody {
  // Neither part needs escaping: the patterns of code and id allow only characters that need none.
  const id = session.id.toLowerCase();
  const shareUrl = joinFlat(appUrl, "/share/", session.share_code);
  return {
    id,
    analytics_url: joinFlat(appUrl, "/audience/sessions/", id),
    buyer_reveal: companyBody(session.buyer_reveal),
    checklist_completed: session.checklist_completed,
    completion: session.completion,
    cta_opened: session.cta_opened ?? null,
    host_url: shareUrl,
    intent_level: session.intent_level,
    lead: leadBody(session.lead),
    link: shareUrl,
    link_name: session.link_name,
    location: locationBody(session.location),
    name: session.name,
    referers: session.referers ?? [],
    time_spent: session.time_spent,
    utm_params: session.utm_params ?? {},
    viewed_at: bodyTimestampText(session.viewed_at),
    event: "demo_viewed",
  };
}

const knownLead = {
  id: EXAMPLE_UUID,
  name: "Product tour",
  share_code: "q7Rk2mXa",
  link_name: "Spring campaign",
  viewed_at: "2026-11-20T12:00:00.000+00:00",
  completion: 72.5,
  time_spent: 184,
  intent_level: "high",
  checklist_completed: true,
  cta_opened: "https://example.com/book-a-call",
  referers: ["https://www.example.com/search?q=product+tour", "https://example.com/pricing"],
  utm_params: { utm_source: "newsletter", utm_medium: "email", utm_campaign: "spring" },
  lead: SAMPLE_LEAD,
  buyer_reveal: SAMPLE_COMPANY,
  location: SAMPLE_LOCATION,
};

/** An unknown visitor: the shortest record that intake accepts. */
const unknownVisitor = {
  id: "c2a7d9b4-6e0f-4b1a-9d3c-8f5e2a1b7c60",
  name: "Product tour",
  share_code: "q7Rk2mXa",
  link_name: "Spring campaign",
  viewed_at: "2026-11-20T12:05:30.250+00:00",
  completion: 12,
  time_spent: 9,
  intent_level: "low",
  checklist_completed: false,
};

export const DEMO_VIEWED_SAMPLES = { knownLead, unknownVisitor };

const recipe: Recipe = {
  title: "Demo viewed",
  noun: "session",
  who: VISITOR_PATHS,
  what: [["name"]],
  facts: [
    ["E-mail", "lead.email"],
    ["Company", "buyer_reveal.company_name"],
    ["Intent", "intent_level"],
    ["Seen, %", "completion"],
    ["Time spent, s", "time_spent"],
    ["Share link", "link_name"],
  ],
  link: "analytics_url",
  occurredAt: "viewed_at",
};

export const demoViewed: EventType = {
  type: "demo_viewed",
  title: recipe.title,
  noun: recipe.noun,
  unnamed: "A demo without a name",
  page: "/audience/sessions/:id",
  description: "Sent when a demo alert with Webhooks switched on fires for a demo session.",
  owners: ["alert", "webhook"],
  plan: ALERT_WEBHOOKS_PLAN,
  recordSchema,
  bodySchema,
  example: knownLead,
  newExample: (nowMs, id) => JSON.stringify({ ...knownLead, id, viewed_at: new Date(nowMs).toISOString() }),
  parse,
  readSourceId: (body) => textAt(body, "id").toLowerCase() || null,
  readAbout: readVisitor,
  listTexts: listVisitorTexts,
  readOccurredAt: (body) => textAt(body, "viewed_at") || null,
  readSession: (body) => sessionFacts(body as unknown as SessionBody),
  makeRecipe: () => recipe,
  builtIn: {
    record: "Demo session",
    schema: "demo_session",
    path: "demo-sessions",
    operationId: "sendDemoSessions",
  },
};
