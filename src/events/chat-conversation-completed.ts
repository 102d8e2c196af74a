/**
 * The type `chat_conversation_completed`: a chat conversation that is over and processed, sent to its assistant's
 * webhook, exactly one event per conversation. Record at intake → checks → the exact body. Source: specification §2.5
 * and §6; decisions §2 and §6.
 */
import Type from "typebox";
import type { Static } from "typebox";
import type { FieldError, Problem, Result } from "../domain/problem.ts";
import { ok } from "../lib/result.ts";
import { beyondSchema } from "./beyond-schema.ts";
import { SAMPLE_COMPANY, companyBody, companyBodySchema, companyRecordSchema } from "./company.ts";
import { type Exactly, joinObjects } from "./exact-json.ts";
import {
  extractedVariablesBodySchema,
  extractedVariablesSchema,
  extractedVariablesText,
  extractedVariablesValues,
} from "./extracted-variables.ts";
import type { EventType, ParsedRecord } from "./event-type.ts";
import {
  LABEL_CHARS_MAX,
  address,
  bodyTimestamp,
  bodyUuid,
  nonNegative,
  nullable,
  productId,
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
import { bodyTimestampText, epochMs, isTimestamp } from "./timestamp.ts";
import { checkTranscriptForm, transcriptFields, transcriptForms, buildTranscript } from "./transcript.ts";
import { TRANSCRIPT_PATTERN } from "./turns.ts";

/** Guesses, generous. */
const SUMMARY_CHARS_MAX = 64 * 1024;
const TOPICS_MAX = 500;

/** Fields that go from record to body as they are: one schema for both. */
const same = {
  conversation_summary: text(SUMMARY_CHARS_MAX, {
    description: "Short summary of the conversation.",
    examples: ["Asked about pricing for 40 seats."],
  }),
  topics: Type.Array(text(LABEL_CHARS_MAX, {}), {
    maxItems: TOPICS_MAX,
    description: "Topics discussed.",
    examples: [["pricing", "security"]],
  }),
  intent_level: Type.Enum(["high", "medium", "low"], {
    description: "Buying intent calculated for the conversation.",
    examples: ["high"],
  }),
};

const ctaOpened = nullable(address({}), {
  description: "The call to action that was clicked, as it came; null when none was.",
  examples: ["https://example.com/book-a-call"],
});

const recordFields = {
  id: uuid({ description: "Conversation identifier." }),
  assistant_id: productId({ description: "The chat assistant's id in the product.", examples: ["website-assistant"] }),
  ...transcriptFields,
  conversation_summary: same.conversation_summary,
  topics: same.topics,
  intent_level: same.intent_level,
  extracted_variables: Type.Optional(extractedVariablesSchema),
  duration: Type.Optional(
    nonNegative({ description: "Length in seconds; when left out, the time from started_at to completed_at." }),
  ),
  started_at: timestamp({ description: "Start of the conversation: ISO 8601 with an offset, which is kept." }),
  completed_at: timestamp({ description: "End of the conversation, not before its start." }),
  cta_opened: Type.Optional(ctaOpened),
  lead: Type.Optional(nullable(leadRecordSchema, { description: "The known visitor; null for an unknown one." })),
  buyer_reveal: Type.Optional(nullable(companyRecordSchema, { description: "The visitor's company, if known." })),
  location: Type.Optional(nullable(locationRecordSchema, { description: "The visitor's location, if known." })),
};

const recordOptions = {
  additionalProperties: false,
  description: `A completed and processed chat conversation. ${beyondSchema("chat_conversation")}`,
};
const checkedSchema = Type.Object(recordFields, recordOptions);
/**
 * The schema that OpenAPI shows. It also says which transcript fields belong together; intake checks that in code, with
 * its own messages.
 */
const recordSchema = Type.Object(recordFields, { ...recordOptions, oneOf: transcriptForms });

const messagesExchanged = Type.Integer({ minimum: 0, description: "Number of messages exchanged.", examples: [6] });

const bodySchema = Type.Object(
  {
    id: bodyUuid({ description: "Conversation identifier." }),
    event: Type.Literal("chat_conversation_completed", { description: "Always chat_conversation_completed." }),
    transcript: Type.String({
      pattern: TRANSCRIPT_PATTERN,
      description: "The mode in brackets, then each message as an Assistant: or User: turn, with blank lines between.",
      examples: ["[Text mode]\n\nAssistant: Hello!\n\nUser: Does it work with our CRM?"],
    }),
    conversation_summary: same.conversation_summary,
    topics: same.topics,
    intent_level: same.intent_level,
    extracted_variables: extractedVariablesBodySchema,
    duration: nonNegative({ description: "Length of the conversation, in seconds.", examples: [95] }),
    message_count: messagesExchanged,
    messages_count: Type.Integer({ minimum: 0, description: "The same as message_count, always.", examples: [6] }),
    started_at: bodyTimestamp({ description: "Start of the conversation, with the offset given at intake." }),
    completed_at: bodyTimestamp({ description: "End of the conversation, with the offset given at intake." }),
    cta_opened: ctaOpened,
    lead: nullable(leadBodySchema, { description: "The known visitor; null for an unknown one." }),
    buyer_reveal: companyBodySchema,
    location: locationBodySchema,
  },
  { additionalProperties: false, description: "Body of the webhook for a completed conversation." },
);

type GivenRecord = Static<typeof checkedSchema>;
type ConversationRecord = Exactly<GivenRecord>;

const validate = createValidator(checkedSchema);

function parse(recordText: string, errorsMax?: number): Result<ParsedRecord, Problem> {
  const read = readRecord<GivenRecord>(recordText, { validate, checkAcrossFields, errorsMax });
  if (!read.ok) return read;
  const conversation = read.value;
  return ok({
    sourceId: conversation.id.toLowerCase(),
    facts: {
      type: "chat_conversation_completed",
      plan: null,
      session: null,
      assistantId: conversation.assistant_id,
      toPayload: () => conversationPayload(conversation),
    },
    buildBody: () => conversationBody(conversation),
  });
}

/** The rules that no single field's schema can express. */
function checkAcrossFields(record: Readonly<Record<string, unknown>>): readonly FieldError[] {
  return [...checkTranscriptForm(record), ...checkTimes(record)];
}

/** Instants are compared, not their texts: the two may carry different offsets. */
function checkTimes({ started_at: startedAt, completed_at: completedAt }: Readonly<Record<string, unknown>>) {
  if (!isTime(startedAt) || !isTime(completedAt) || epochMs(completedAt) >= epochMs(startedAt)) return [];
  return [{ path: "completed_at", message: "must not be before started_at: the same time or a later one" }];
}

const isTime = (value: unknown): value is string => typeof value === "string" && isTimestamp(value);

/** The order of the keys is the order of the specification's table; the signals are text already, to stay exact. */
function conversationBody(conversation: ConversationRecord): string {
  const transcript = buildTranscript(conversation);
  const head = JSON.stringify(bodyHead(conversation, transcript.text));
  const signals = `{"extracted_variables":${extractedVariablesText(conversation.extracted_variables)}}`;
  return joinObjects(head, signals, JSON.stringify(bodyTail(conversation, transcript.turns)));
}

/** The same as an object. It builds the transcript once more, which is the most of what it costs. */
function conversationPayload(conversation: ConversationRecord): Payload {
  const transcript = buildTranscript(conversation);
  return {
    ...bodyHead(conversation, transcript.text),
    extracted_variables: extractedVariablesValues(conversation.extracted_variables),
    ...bodyTail(conversation, transcript.turns),
  };
}

const bodyHead = (conversation: ConversationRecord, transcript: string) => ({
  id: conversation.id.toLowerCase(),
  event: "chat_conversation_completed",
  transcript,
  conversation_summary: conversation.conversation_summary,
  topics: conversation.topics,
  intent_level: conversation.intent_level,
});

const bodyTail = (conversation: ConversationRecord, turns: number) => ({
  ...span(conversation, turns),
  cta_opened: conversation.cta_opened ?? null,
  lead: leadBody(conversation.lead),
  buyer_reveal: companyBody(conversation.buyer_reveal),
  location: locationBody(conversation.location),
});

/**
 * Length, size and times. The field list and the sample of the specification name the count differently, so both names
 * go out.
 */
function span(conversation: ConversationRecord, messageCount: number) {
  const { duration, started_at: startedAt, completed_at: completedAt } = conversation;
  return {
    duration: duration ?? (epochMs(completedAt) - epochMs(startedAt)) / 1000,
    message_count: messageCount,
    messages_count: messageCount,
    started_at: bodyTimestampText(startedAt),
    completed_at: bodyTimestampText(completedAt),
  };
}

const textChat = {
  id: "8f1d7c52-3b0e-4a6f-8c1d-0e9b5a2f4c33",
  assistant_id: "website-assistant",
  mode: "text",
  messages: [
    { role: "assistant", text: "Hello! What brings you here today?" },
    { role: "user", text: "We need demos for 40 sales people. Does it work with our CRM?" },
    { role: "assistant", text: "It does. Shall I book a call with a colleague?" },
    { role: "user", text: "Yes, please: ada@example.com." },
  ],
  conversation_summary: "Looks for demos for 40 sales people, asked about the CRM connection and wants a call.",
  topics: ["crm integration", "pricing"],
  intent_level: "high",
  extracted_variables: {
    email: "ada@example.com",
    visitor_name: "Ada Lovelace",
    phone_number: "+351 210 000 000",
    qualified: true,
    team_size: 40,
  },
  duration: 95,
  started_at: "2026-11-20T12:00:00.000+00:00",
  completed_at: "2026-11-20T12:01:35.000+00:00",
  cta_opened: "https://example.com/book-a-call",
  lead: SAMPLE_LEAD,
  buyer_reveal: SAMPLE_COMPANY,
  location: SAMPLE_LOCATION,
};

/** A spoken conversation with an unknown visitor; `duration` is left to be computed. */
const voiceChat = {
  id: "e47b0a19-5d2c-4f8e-b6a3-91c7d0f2e845",
  assistant_id: "website-assistant",
  mode: "voice",
  messages: [
    { role: "assistant", text: "Hi, I can answer questions about the product." },
    { role: "user", text: "Just looking around, thanks." },
  ],
  conversation_summary: "Only looking around.",
  topics: [],
  intent_level: "low",
  started_at: "2026-11-20T12:10:00.000+00:00",
  completed_at: "2026-11-20T12:10:12.500+00:00",
};

export const CHAT_CONVERSATION_SAMPLES = { textChat, voiceChat };

const recipe: Recipe = {
  title: "Chat completed",
  noun: "conversation",
  who: VISITOR_PATHS,
  what: [["conversation_summary"]],
  facts: [
    ["E-mail", "lead.email"],
    ["E-mail", "extracted_variables.email"],
    ["Phone", "extracted_variables.phone_number"],
    ["Company", "buyer_reveal.company_name"],
    ["Intent", "intent_level"],
    ["Topics", "topics"],
    ["Duration, s", "duration"],
  ],
  // The body has no address of the conversation.
  link: null,
  occurredAt: "completed_at",
};

export const chatConversationCompleted: EventType = {
  type: "chat_conversation_completed",
  title: recipe.title,
  noun: recipe.noun,
  unnamed: "No summary",
  page: "/assistants/:assistant/conversations/:id",
  description: "Sent once for each chat conversation, when it is over and its processing has finished.",
  owners: ["assistant", "webhook"],
  plan: null,
  recordSchema,
  bodySchema,
  example: textChat,
  // It ended just now, so it began its own length ago.
  newExample: (nowMs, id) =>
    JSON.stringify({
      ...textChat,
      id,
      started_at: new Date(nowMs - textChat.duration * 1000).toISOString(),
      completed_at: new Date(nowMs).toISOString(),
    }),
  parse,
  readSourceId: (body) => textAt(body, "id").toLowerCase() || null,
  readAbout: readVisitor,
  listTexts: listVisitorTexts,
  readOccurredAt: (body) => textAt(body, "completed_at") || null,
  readSession: null,
  makeRecipe: () => recipe,
  builtIn: {
    record: "Chat conversation",
    schema: "chat_conversation",
    path: "chat-conversations",
    operationId: "sendChatConversations",
  },
};
