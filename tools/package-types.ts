/**
 * The types that `bellwire/events` and `bellwire/client` are published with, made from the schemas that the service
 * itself runs.
 */
import type { TSchema } from "typebox";
import * as answers from "../src/programs/answers.ts";
import { BUILT_IN_TYPES } from "../src/events/event-types.ts";
import { printSchema, toTypeName } from "../src/events/schema/typescript.ts";

/** By the file that `npm run docs` writes, from the project's root. */
export const TYPE_FILES: Readonly<Record<string, string>> = {
  "src/receiver/events.ts": eventTypes(),
  "src/client/records.ts": recordTypes(),
  "src/client/shown.ts": shownTypes(),
};

function eventTypes(): string {
  const header =
    "The bodies of webhooks as types. Written by `npm run docs` from the schemas in src/events: change those.";
  const declared = BUILT_IN_TYPES.all.map(({ type, bodySchema }) => printSchema(bodySchema, toTypeName(type)));
  const union = BUILT_IN_TYPES.all.map(({ type }) => toTypeName(type));
  const about = "/** Every body of a built-in type; `event` says which it is. */";
  const all = `${about}\nexport type WebhookEvent = ${union.join(" | ")};\n`;
  return [`/** ${header} */`, ...declared, all].join("\n");
}

function recordTypes(): string {
  const header = "Records at intake as types. Written by `npm run docs` from the schemas in src/events: change those.";
  const declared = BUILT_IN_TYPES.all.map(({ type, builtIn, recordSchema }) => {
    // Where the schema says which fields belong together, `client.ts` makes the type of these.
    const suffix = "oneOf" in recordSchema ? "Fields" : "";
    return printSchema(brief(recordSchema), `${toTypeName(builtIn?.schema ?? type)}${suffix}`, { isInput: true });
  });
  return [`/** ${header} */`, ...declared].join("\n");
}

function shownTypes(): string {
  const header = "What reading answers, as types. Written by `npm run docs` from src/programs: change that.";
  const declared = Object.entries(answers).map(([name, schema]) =>
    printSchema(closed(schema), `Shown${toTypeName(name.replace(/Answer$/, ""))}`),
  );
  return [`/** ${header} */`, ...declared].join("\n");
}

/** Without a line for fields that may come later: who reads knows those that are here. */
function closed(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === "object" && value !== null && "properties" in value && "type" in value
      ? { ...value, additionalProperties: false }
      : value,
  ) as TSchema;
}

/** All fields, and the first sentence of the description: the rules behind it are about JSON texts. */
function brief(schema: TSchema): TSchema {
  const { description = "", ...fields } = schema as { readonly description?: string };
  return { ...fields, oneOf: undefined, description: description.replace(/(?<=\.) .*$/s, "") };
}
