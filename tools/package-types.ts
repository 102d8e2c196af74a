/**
 * The types that `bellwire/events` and `bellwire/client` are published with, made from the schemas that the service
 * itself runs.
 */
import type { TSchema } from "typebox";
import { toTypescript } from "../src/dashboard/catalog/fields.ts";
import { BUILT_IN_TYPES } from "../src/events/event-types.ts";

/** By the file that `npm run docs` writes, from the project's root. */
export const TYPE_FILES: Readonly<Record<string, string>> = {
  "src/receiver/events.ts": eventTypes(),
  "src/client/records.ts": recordTypes(),
};

function eventTypes(): string {
  const header =
    "The bodies of webhooks as types. Written by `npm run docs` from the schemas in src/events: change those.";
  const declared = BUILT_IN_TYPES.all.map(({ type, bodySchema }) => toTypescript(bodySchema, toName(type)));
  const union = BUILT_IN_TYPES.all.map(({ type }) => toName(type));
  const about = "/** Every body of a built-in type; `event` says which it is. */";
  const all = `${about}\nexport type WebhookEvent = ${union.join(" | ")};\n`;
  return [`/** ${header} */`, ...declared, all].join("\n");
}

function recordTypes(): string {
  const header = "Records at intake as types. Written by `npm run docs` from the schemas in src/events: change those.";
  const declared = BUILT_IN_TYPES.all.map(({ type, builtIn, recordSchema }) => {
    // Where the schema says which fields belong together, `client.ts` makes the type of these.
    const suffix = "oneOf" in recordSchema ? "Fields" : "";
    return toTypescript(brief(recordSchema), `${toName(builtIn?.schema ?? type)}${suffix}`, { isInput: true });
  });
  return [`/** ${header} */`, ...declared].join("\n");
}

/** With the first sentence of its description: the rules behind it are about JSON texts, and not about types. */
function brief(schema: TSchema): TSchema {
  const { description = "" } = schema as { readonly description?: string };
  return { ...schema, description: description.replace(/(?<=\.) .*$/s, "") };
}

/** `demo_viewed` → `DemoViewed` */
function toName(snake: string): string {
  return snake.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
