/**
 * The rules of intake that a JSON Schema cannot express, by name and all of them. The published schemas carry their
 * sentences in the description. A property test holds schemas, this list and intake to each other: a value that a
 * schema accepts is refused by a rule of this list or not at all (`src/schemas/contract.test.ts`).
 */
import { LIMITS } from "../domain/limits.ts";
import { NUMBER_CHARS_MAX } from "./faults.ts";
import { SIGNAL_DEPTH_MAX } from "./extracted-variables.ts";

export const RULES_BEYOND_SCHEMA = {
  lone_surrogates:
    "Lone surrogates in values and names are read as U+FFFD before everything else; of two names that become one, " +
    "the last stands.",
  record_bytes: `A record has at most ${LIMITS.recordBytesMax} bytes of UTF-8.`,
  number_length: `A number has at most ${NUMBER_CHARS_MAX} characters, as written, anywhere in the record.`,
  number_digits: "A number is held to its bounds by its digits as written, and not by the 64-bit float next to it.",
  times_in_order: "`completed_at` is the same instant as `started_at` or a later one, whatever their offsets.",
  turns_counted: "`message_count` is the number of turns in `transcript`.",
  signal_depth: `\`extracted_variables\` are nested at most ${SIGNAL_DEPTH_MAX} levels deep.`,
  app_url_host: "The host and port in `app_url` are such that a URL parser (WHATWG) takes them.",
} as const;

export type RuleName = keyof typeof RULES_BEYOND_SCHEMA;

const OF_RECORDS = ["lone_surrogates", "record_bytes", "number_length", "number_digits"] as const;

/** The rules that apply to each kind of input, beside its schema. */
export const RULES_OF = {
  demo_session: OF_RECORDS,
  chat_conversation: [...OF_RECORDS, "times_in_order", "turns_counted", "signal_depth"],
  account: ["lone_surrogates", "record_bytes", "app_url_host"],
  chat_assistant: ["lone_surrogates", "record_bytes"],
  dashboard_link: ["lone_surrogates", "record_bytes"],
} as const satisfies Readonly<Record<string, readonly RuleName[]>>;

/** For the end of a schema's description. */
export const beyondSchema = (what: keyof typeof RULES_OF): string =>
  `Beyond this schema: ${RULES_OF[what].map((name) => RULES_BEYOND_SCHEMA[name]).join(" ")}`;
