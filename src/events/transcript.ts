/**
 * The conversation's words. Intake takes them in one of two forms: `mode` with structured `messages`, from which the
 * text is made here, or a ready `transcript` with its `message_count`. Bodies carry one text: a mode marker in
 * brackets, a blank line, then the turns with a blank line between. Source: specification §2.5; decisions §2 and §6.
 */
import Type from "typebox";
import type { Static, TObject } from "typebox";
import type { FieldError } from "../domain/problem.ts";
import { text } from "./fields.ts";

/** Guess: an hour of quick voice turns is about 1,000. */
const MESSAGES_MAX = 10_000;
/** One message or a whole transcript; a record of `LIMITS.recordBytesMax` cannot hold more anyway. */
const TRANSCRIPT_CHARS_MAX = 1024 * 1024;

const MARKERS = { text: "[Text mode]", voice: "[Voice mode]" } as const;
const SPEAKERS = { assistant: "Assistant", user: "User" } as const;

const MARKER_MESSAGE = `must start with its mode in brackets, such as ${MARKERS.text} or ${MARKERS.voice}`;

const messageSchema = Type.Object(
  {
    role: Type.Enum(["assistant", "user"], { description: "Who said it." }),
    text: text(TRANSCRIPT_CHARS_MAX, { description: "What was said." }),
  },
  { additionalProperties: false, examples: [{ role: "user", text: "Does it work with our CRM?" }] },
);

/** The four fields of both forms; which of them belong together is for `checkTranscriptForm`. */
export const transcriptFields = {
  mode: Type.Optional(
    Type.Enum(["text", "voice"], { description: "How the conversation was held. Goes with messages." }),
  ),
  messages: Type.Optional(
    Type.Array(messageSchema, {
      maxItems: MESSAGES_MAX,
      description: "The messages, first one first. Goes with mode; the transcript is rendered from them.",
    }),
  ),
  transcript: Type.Optional(
    Type.String({
      maxLength: TRANSCRIPT_CHARS_MAX,
      pattern: "^\\[[^\\[\\]\\r\\n]{1,64}\\]",
      "x-message": MARKER_MESSAGE,
      description:
        "A ready transcript instead of messages: the mode in brackets, then the turns. Goes with message_count.",
      examples: ["[Text mode]\n\nAssistant: Hello!\n\nUser: Does it work with our CRM?"],
    }),
  ),
  message_count: Type.Optional(
    Type.Integer({ minimum: 0, description: "Number of messages in the ready transcript. Goes with transcript." }),
  ),
};

type TranscriptRecord = Static<TObject<typeof transcriptFields>>;

interface Transcript {
  readonly text: string;
  readonly messageCount: number;
}

/** Renders messages, or passes a ready transcript on. The record has passed `checkTranscriptForm`. */
export function transcriptOf(record: TranscriptRecord): Transcript {
  if (record.messages === undefined) return { text: record.transcript ?? "", messageCount: record.message_count ?? 0 };
  const turns = record.messages.map((message) => `${SPEAKERS[message.role]}: ${message.text}`);
  return { text: [MARKERS[record.mode ?? "text"], ...turns].join("\n\n"), messageCount: turns.length };
}

const FORMS = "send either mode with messages, or transcript with message_count";

/** Exactly one of the two forms: each wrong mix has its own answer, at the field that should change. */
export function checkTranscriptForm(record: Readonly<Record<string, unknown>>): readonly FieldError[] {
  const { mode, messages, transcript, message_count: count } = record;
  if (messages !== undefined && transcript !== undefined) {
    return [{ path: "transcript", message: `cannot be sent together with messages: ${FORMS}` }];
  }
  if (messages === undefined && transcript === undefined) {
    return [{ path: "messages", message: `is missing, and so is transcript: ${FORMS}` }];
  }
  return messages === undefined ? checkReadyForm(mode, count) : checkMessagesForm(mode, count);
}

function checkMessagesForm(mode: unknown, count: unknown): FieldError[] {
  const errors: FieldError[] = [];
  if (mode === undefined) errors.push({ path: "mode", message: "is missing: messages need it, as text or voice" });
  if (count !== undefined) {
    errors.push({ path: "message_count", message: "cannot be sent with messages, which are counted: leave it out" });
  }
  return errors;
}

function checkReadyForm(mode: unknown, count: unknown): FieldError[] {
  const errors: FieldError[] = [];
  if (count === undefined) {
    errors.push({ path: "message_count", message: "is missing: a ready transcript needs it, as a whole number" });
  }
  if (mode !== undefined) {
    const message = `cannot be sent with a ready transcript, which starts with it (${MARKERS.text}): leave it out`;
    errors.push({ path: "mode", message });
  }
  return errors;
}

const form = (own: readonly string[], other: readonly string[]) => ({
  required: own,
  not: { anyOf: other.map((field) => ({ required: [field] })) },
});

/** The same rule in JSON Schema, for readers of the OpenAPI document; the server's own words come from above. */
export const transcriptForms = [
  form(["mode", "messages"], ["transcript", "message_count"]),
  form(["transcript", "message_count"], ["mode", "messages"]),
];
