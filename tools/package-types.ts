/**
 * The types that `bellwire/events` and `bellwire/client` are published with, made from the schemas that the service
 * itself runs.
 */
import type { TSchema } from "typebox";
import { destinationStateForm } from "../src/dashboard/forms/bodies.ts";
import * as answers from "../src/programs/answers.ts";
import * as manageAnswers from "../src/programs/manage/answers.ts";
import { settingsForm } from "../src/programs/manage/forms.ts";
import { READ_ROUTES } from "../src/programs/routes.ts";
import { pullAnswer, pulledMessage } from "../src/pull/openapi.ts";
import { dashboardLinkSchema } from "../src/intake/dashboard-links.ts";
import { BUILT_IN_TYPES } from "../src/events/event-types.ts";
import { printSchema, toTypeName } from "../src/events/schema/typescript.ts";

/** What a client is answered, by the name of its type. Where one stands in another, it stands there by its name. */
const SHOWN: Readonly<Record<string, TSchema>> = {
  ShownAbout: answers.about,
  ShownOwner: answers.owner,
  ShownWaiting: answers.waiting,
  ShownAccount: answers.accountAnswer,
  ShownAccountList: answers.accountListAnswer,
  ShownDeliveryRow: answers.deliveryRow,
  ShownDeliveryList: answers.deliveryListAnswer,
  ShownAnswer: answers.receiverAnswer,
  ShownTimings: answers.timings,
  ShownAttempt: answers.attempt,
  ShownDelivery: answers.deliveryAnswer,
  ShownEventRow: answers.eventRow,
  ShownEventList: answers.eventListAnswer,
  ShownEvent: answers.eventAnswer,
  ShownWebhook: answers.webhook,
  ShownWebhookList: answers.webhookListAnswer,
  PulledMessage: pulledMessage,
  PullAnswer: pullAnswer,
};

/** The same of those that manage; parts of `SHOWN` stand in it by their names. */
const MANAGED: Readonly<Record<string, TSchema>> = {
  ShownManaged: manageAnswers.managedAnswer,
  ShownPut: manageAnswers.putAnswer,
  ShownWebhookIds: manageAnswers.idsAnswer,
  ShownTest: manageAnswers.testAnswer,
  ShownPullToken: manageAnswers.tokenAnswer,
};

/** Parts of all kinds of settings, which the alert's has too. */
const [, ALERT] = (settingsForm as unknown as { anyOf: { properties: Readonly<Record<string, AnyOf>> }[] }).anyOf;
type AnyOf = TSchema & { readonly anyOf: readonly TSchema[] };

const SETTINGS: Readonly<Record<string, TSchema>> = {
  WebhookSettings: settingsForm,
  WebhookForm: ALERT?.properties["webhook"] ?? settingsForm,
  WebhookConditions: ALERT?.properties["conditions"]?.anyOf[0] ?? settingsForm,
  WebhookState: destinationStateForm,
};

const FILTERS: Readonly<Record<string, TSchema>> = {
  DeliveryFilter: withoutCursor(READ_ROUTES["GET /v1/accounts/:account_id/deliveries"].query),
  EventFilter: withoutCursor(READ_ROUTES["GET /v1/accounts/:account_id/events"].query),
};

/** By the file that `npm run docs` writes, from the project's root. */
export const TYPE_FILES: Readonly<Record<string, string>> = {
  "src/receiver/events.ts": eventTypes(),
  "src/client/records.ts": recordTypes(),
  "src/client/shown.ts": clientTypes("What programs ask and are answered", { answered: SHOWN, asked: FILTERS }),
  "src/client/managed.ts": clientTypes("What programs that manage ask and are answered", {
    answered: MANAGED,
    asked: SETTINGS,
    shown: SHOWN,
  }),
  "src/client/link-for.ts": linkTypes(),
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

interface ClientTypes {
  readonly answered: typeof SHOWN;
  readonly asked: typeof SHOWN;
  /** Those of the other file that may stand in these. */
  readonly shown?: typeof SHOWN;
}

function clientTypes(what: string, { answered, asked, shown = {} }: ClientTypes): string {
  const close = (schemas: typeof SHOWN) =>
    Object.entries(schemas).map(([name, schema]) => [name, closed(schema)] as const);
  const all = close({ ...answered, ...asked });
  const known = new Map([...close(shown), ...all].map(([name, schema]) => [JSON.stringify(schema), name]));
  const declared = all.map(([name, schema]) => printSchema(schema, name, { known, isInput: name in asked }));
  const used = Object.keys(shown).filter((name) => new RegExp(`\\b${name}\\b`).test(declared.join("")));
  const imports = used.length === 0 ? [] : [`import type { ${used.join(", ")} } from "./shown.ts";\n`];
  return [`/** ${what}. Written by \`npm run docs\` from src/programs and src/pull. */`, ...imports, ...declared].join(
    "\n",
  );
}

/** Who lists gets page after page. */
function withoutCursor({ properties, ...schema }: TSchema & { readonly properties: object }): TSchema {
  const { cursor: _, ...rest } = properties as { readonly cursor?: TSchema };
  return { ...schema, properties: rest };
}

function linkTypes(): string {
  const header = "A sign-in link's person and frame. Written by `npm run docs` from src/intake/dashboard-links.ts.";
  const text = printSchema(closed(brief(dashboardLinkSchema)), "LinkFor", { isInput: true });
  return [`/** ${header} */`, ...text.split("\n").map(wrap)].join("\n");
}

/** A long comment becomes a block, and a long type goes on below. */
function wrap(line: string): string {
  const charsMax = 120;
  if (line.length <= charsMax) return line;
  const [, indent = "", comment] = /^( *)(?:\/\*\* (.*) \*\/$)?/.exec(line) ?? [];
  const fold = (text: string, margin: string): readonly string[] =>
    (text.match(new RegExp(`.{1,${charsMax - margin.length}}(?: |$)`, "g")) ?? []).map(
      (part) => `${margin}${part.trimEnd()}`,
    );
  if (comment !== undefined) return [`${indent}/**`, ...fold(comment, `${indent} * `), `${indent} */`].join("\n");
  return fold(line.trim(), `${indent}    `).join("\n").replace(/^ */, indent);
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
