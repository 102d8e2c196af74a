/**
 * The text of a conversation. Intake takes it in one of two forms: `mode` with structured `messages`, which are
 * rendered, or a ready `transcript` with its `message_count`. `turns.ts` knows the text itself. Source: specification
 * §2.5; decisions §2, §6 and "Changes after the first version".
 */
import Type from "typebox";
import type { Static, TObject } from "typebox";
import type { FieldError } from "../domain/problem.ts";
import { assert } from "../lib/assert.ts";
import type { Exactly } from "./exact-json.ts";
import { text } from "./fields.ts";
import { MARKERS, READY_TRANSCRIPT_PATTERN, type Transcript, readTranscript, renderTranscript } from "./turns.ts";

/** Guess: an hour of quick voice turns is about 1,000. */
const MESSAGES_MAX = 10_000;
/** The limit for one message or a whole transcript; a record of `LIMITS.recordBytesMax` cannot hold more anyway. */
const TRANSCRIPT_CHARS_MAX = 1024 * 1024;

const FORM_MESSAGE =
  `must be ${MARKERS.text} or ${MARKERS.voice}, then the turns: each begins with "Assistant:" or "User:" and has a ` +
  "blank line before it and none inside";

const messageSchema = Type.Object(
  {
    role: Type.Enum(["assistant", "user"], { description: "Who said it." }),
    text: text(TRANSCRIPT_CHARS_MAX, {
      description:
        "The text of the message. A run of line breaks in it goes out as one: blank lines stand between turns only.",
    }),
  },
  { additionalProperties: false, examples: [{ role: "user", text: "Does it work with our CRM?" }] },
);

/** The four fields of both forms; `checkTranscriptForm` says which of them belong together. */
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
      pattern: READY_TRANSCRIPT_PATTERN,
      "x-message": FORM_MESSAGE,
      description: `Instead of messages: ${MARKERS.text} or ${MARKERS.voice}, then turns, a blank line before each.`,
      examples: ["[Text mode]\n\nAssistant: Hello!\n\nUser: Does it work with our CRM?"],
    }),
  ),
  message_count: Type.Optional(
    Type.Integer({ minimum: 0, description: "Number of turns in the ready transcript. Goes with transcript." }),
  ),
};

type GivenRecord = Readonly<Record<string, unknown>>;
type TranscriptRecord = Static<TObject<typeof transcriptFields>>;

/** Renders messages, or passes a ready transcript on. The record has passed every check. */
export function buildTranscript(record: Exactly<TranscriptRecord>): Transcript {
  if (record.messages !== undefined) return renderTranscript(record.mode ?? "text", record.messages);
  const ready = readTranscript(record.transcript ?? "");
  assert(ready !== null, "a ready transcript that was not checked got past intake");
  return ready;
}

const FORMS = "send either mode with messages, or transcript with message_count";

/** Exactly one of the two forms: each wrong mix has its own message, at the field that should change. */
export function checkTranscriptForm(record: GivenRecord): readonly FieldError[] {
  const { messages, transcript } = record;
  if (messages !== undefined && transcript !== undefined) {
    return [{ path: "transcript", message: `cannot be sent together with messages: ${FORMS}` }];
  }
  if (messages === undefined && transcript === undefined) {
    return [{ path: "messages", message: `is missing, and so is transcript: ${FORMS}` }];
  }
  return messages === undefined ? checkReadyForm(record) : checkMessagesForm(record);
}

function checkMessagesForm({ mode, message_count: count }: GivenRecord): FieldError[] {
  const errors: FieldError[] = [];
  if (mode === undefined) errors.push({ path: "mode", message: "is missing: messages need it, as text or voice" });
  if (count !== undefined) {
    errors.push({ path: "message_count", message: "cannot be sent with messages, which are counted: leave it out" });
  }
  return errors;
}

function checkReadyForm({ mode, transcript, message_count: count }: GivenRecord): FieldError[] {
  const errors: FieldError[] = [];
  const turns = typeof transcript === "string" ? readTranscript(transcript)?.turns : undefined;
  if (turns !== undefined && isCount(count) && count !== turns) {
    errors.push({ path: "message_count", message: `must be ${turns}, which is how many turns the transcript has` });
  }
  if (count === undefined) {
    errors.push({ path: "message_count", message: "is missing: a ready transcript needs it, as a whole number" });
  }
  if (mode !== undefined) {
    const message = `cannot be sent with a ready transcript, which starts with it (${MARKERS.text}): leave it out`;
    errors.push({ path: "mode", message });
  }
  return errors;
}

/** A wrong number already has an error of its own. */
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

const form = (own: readonly string[], other: readonly string[]) => ({
  required: own,
  not: { anyOf: other.map((field) => ({ required: [field] })) },
});

/** The same rule in JSON Schema, for readers of the OpenAPI document; the server's messages come from above. */
export const transcriptForms = [
  form(["mode", "messages"], ["transcript", "message_count"]),
  form(["transcript", "message_count"], ["mode", "messages"]),
];
