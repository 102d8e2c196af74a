/**
 * Finds the events in a catalog: webhooks and callbacks of OpenAPI, messages of AsyncAPI, and schemas, one a file or
 * below `$defs`. What leads to many kinds of events by `oneOf` is as many. Pure but for the files that references open.
 */
import { ok, refuse, type Result } from "../../lib/result.ts";
import { asMembers } from "../summary.ts";
import { isSchemaObject, KEYWORDS, listConstants } from "../schema/keywords.ts";
import { type Documents, keyOf, listSpots, type Spot, stepInto } from "./documents.ts";
import { follow } from "./fold-schema.ts";

export interface Found {
  /** As the catalog writes it. */
  readonly name: string;
  readonly spot: Spot;
  readonly title: string;
  readonly description: string;
  /** Records, if they fit. */
  readonly examples: readonly unknown[];
  /** A file or definition that is a part and no event when others refer to it. */
  readonly isOneOfMany: boolean;
  /** Set: it cannot be read, and why. The end of a sentence. */
  readonly fault?: string;
}

/** Refused with the end of a sentence about the file. */
export function findEvents(documents: Documents, root: Spot): Result<readonly Found[], string> {
  const { openapi, asyncapi, swagger } = asMembers(root.value);
  if (swagger !== undefined) return refuse("is Swagger 2, which has no webhooks: name a file of OpenAPI 3.1");
  const walk: Walk = { documents, to: (spot) => follow(documents, spot) };
  const isApi = openapi !== undefined || asyncapi !== undefined;
  const found = isApi
    ? openapi === undefined
      ? findMessages(walk, root)
      : findWebhooks(walk, root)
    : findSchemas(root);
  const none = openapi === undefined ? "messages" : "webhooks and no callbacks";
  if (found.length === 0) return refuse(isApi ? `has no ${none}` : "has no schema of an event");
  return ok(
    dropRepeats(
      walk,
      found.flatMap((each) => splitChoice(walk, each)),
    ),
  );
}

interface Walk {
  readonly documents: Documents;
  /** Past references. */
  readonly to: (spot: Spot) => Spot;
}

/** A reference that cannot be followed. Where nothing else stands beside it, folding it in tells why. */
const isLost = ({ value }: Spot): boolean => typeof asMembers(value)["$ref"] === "string";

/* OpenAPI */

const METHODS = ["post", "put", "patch", "get", "delete"];

function findWebhooks({ to }: Walk, root: Spot): Found[] {
  const operations = (item: Spot) =>
    METHODS.map((name) => stepInto(item, name)).filter(({ value }) => isSchemaObject(value));
  const components = stepInto(root, "components");
  const webhooks = [stepInto(root, "webhooks"), stepInto(root, "x-webhooks")].flatMap(listSpots);
  const within = listSpots(stepInto(root, "paths")).flatMap(([, item]) => operations(to(item)));
  const callbacks = [stepInto(components, "callbacks"), ...within.map((each) => stepInto(each, "callbacks"))]
    .flatMap(listSpots)
    .flatMap(([name, given]) => {
      const callback = to(given);
      return isLost(callback)
        ? [[name, callback] as const]
        : listSpots(callback).map(([, item]) => [name, item] as const);
    });
  return [...webhooks, ...callbacks].flatMap(([name, given]) => {
    const item = to(given);
    const own = operations(item);
    if (own.length > 0 || !isLost(item)) return own.flatMap((operation) => toWebhook(to, name, operation) ?? []);
    return { name, title: "", description: "", spot: item, examples: [], isOneOfMany: false };
  });
}

function toWebhook(to: Walk["to"], name: string, operation: Spot): Found | null {
  const body = to(stepInto(operation, "requestBody"));
  const types = listSpots(stepInto(body, "content"));
  const [, media] = types.find(([type]) => /[/+]json\b/i.test(type)) ?? [];
  const { summary, description } = asMembers(operation.value);
  const words = { name, title: toText(summary), description: toText(description), isOneOfMany: false };
  if (types.length === 0) return isLost(body) ? { ...words, spot: body, examples: [] } : null;
  if (media === undefined) {
    return {
      ...words,
      spot: operation,
      examples: [],
      fault: `has a body of ${types.map(([type]) => type).join(", ")}, and JSON is sent`,
    };
  }
  const named = listSpots(stepInto(media, "examples")).map(([, each]) => stepInto(to(each), "value").value);
  return { ...words, spot: stepInto(media, "schema"), examples: [stepInto(media, "example").value, ...named] };
}

/* AsyncAPI, 2 and 3 */

const MESSAGES_OF_CHANNEL = ["publish", "subscribe", "messages"];

function findMessages({ to }: Walk, root: Spot): Found[] {
  const channels = listSpots(stepInto(root, "channels")).flatMap(([channel, given]) => {
    const spot = to(given);
    if (isLost(spot) && MESSAGES_OF_CHANNEL.every((name) => stepInto(spot, name).value === undefined))
      return [[channel, spot] as const];
    const inOld = ["publish", "subscribe"].map((verb) => to(stepInto(spot, verb, "message")));
    const listed = inOld.flatMap((message) => {
      const choice = listSpots(stepInto(message, "oneOf"));
      return choice.length > 0 ? choice.map(([, each]) => each) : [message];
    });
    return [...listed.map((each) => [channel, each] as const), ...listSpots(stepInto(spot, "messages"))];
  });
  const messages = [...channels, ...listSpots(stepInto(root, "components", "messages"))];
  const met = new Set<string>();
  return messages.flatMap(([near, given]) => {
    const spot = to(given);
    if (!isSchemaObject(spot.value) || met.has(keyOf(spot))) return [];
    met.add(keyOf(spot));
    return toMessage(spot, near);
  });
}

function toMessage(spot: Spot, near: string): Found[] {
  const { name, messageId, title, summary, description, schemaFormat, examples } = asMembers(spot.value);
  const last = spot.path.at(-1) ?? near;
  const own = /^(?:message|\d+)$/.test(last) ? near : last;
  const given = isLost(spot) ? spot : stepInto(spot, "payload");
  const [format, payload] = [asMembers(given.value)["schemaFormat"] ?? schemaFormat, stepInto(given, "schema")];
  const isOther = typeof format === "string" && !/json|schema\+yaml|asyncapi|openapi/i.test(format);
  return [
    {
      name: toText(name) || toText(messageId) || own,
      spot: payload.value === undefined ? given : payload,
      title: toText(title),
      description: toText(description) || toText(summary),
      examples: Array.isArray(examples) ? examples.map((each) => asMembers(each)["payload"]) : [],
      isOneOfMany: false,
      ...(isOther ? { fault: `has a schema of ${format}: say it in JSON Schema` } : {}),
    },
  ];
}

/* JSON Schema */

function findSchemas(root: Spot): Found[] {
  const { $schema: _schema, $id: _id, $defs, definitions: _old, ...rest } = asMembers(root.value);
  const says = Object.keys(rest).some((name) => (KEYWORDS.has(name) && !WORDS.has(name)) || name === "$ref");
  const parts = [
    ...($defs === undefined ? [] : listSpots(stepInto(root, "$defs"))),
    ...listSpots(stepInto(root, "definitions")),
  ];
  const fileName = root.document.path.replace(/^.*[\\/]|(?:[._-]?schema)?\.json$/g, "");
  const spots = says ? [[fileName, root] as const] : parts;
  return spots
    .filter(([, spot]) => isSchemaObject(spot.value))
    .map(([name, spot]) => ({ name, spot, title: "", description: "", examples: [], isOneOfMany: true }));
}

const WORDS = new Set(["title", "description", "$comment", "examples", "default", "deprecated"]);

/* All of them */

/** A schema that is nothing but a choice between others is one event for each that has a name. */
function splitChoice({ to }: Walk, found: Found): readonly Found[] {
  if (found.fault !== undefined) return [found];
  const spot = to(found.spot);
  const { discriminator, anyOf, oneOf, ...rest } = asMembers(spot.value);
  const isChoice = Object.keys(rest).every((name) => !KEYWORDS.has(name) || OF_CHOICES.has(name));
  const listed = listSpots(stepInto(spot, oneOf === undefined ? "anyOf" : "oneOf"));
  if (!isChoice || (anyOf !== undefined && oneOf !== undefined) || listed.length < 2) return [found];
  const mapping = Object.entries(asMembers(asMembers(discriminator)["mapping"]));
  const parts = listed.map(([, given]) => {
    const part = to(given);
    const reference = toText(asMembers(given.value)["$ref"]);
    const [mapped] = mapping.find(([, target]) => target === reference) ?? [];
    const own = part.path.at(-1) ?? part.document.path.replace(/^.*[\\/]|(?:\.schema)?\.json$/g, "");
    const name = mapped ?? readTag(part.value) ?? (reference === "" ? toText(asMembers(part.value)["title"]) : own);
    return { ...found, name, spot: given, title: "", description: "" };
  });
  return parts.every(({ name, spot: each }) => name !== "" && isSchemaObject(to(each).value)) ? parts : [found];
}

const OF_CHOICES = new Set([...WORDS, "$schema", "$id", "$defs", "definitions", "type"]);

/** The constant that says which event it is. */
function readTag(schema: unknown): string | null {
  const properties = asMembers(asMembers(schema)["properties"]);
  for (const name of ["event", "event_type", "eventType", "type", "topic", "name"]) {
    const part = properties[name];
    const [only, ...more] = (isSchemaObject(part) && listConstants(part)) || [];
    if (typeof only === "string" && more.length === 0) return only;
  }
  return null;
}

/** The same schema under the same name is one event, as a callback of several calls is. */
function dropRepeats({ to }: Walk, found: readonly Found[]): readonly Found[] {
  const keys = new Set<string>();
  return found.filter((each) => {
    const key = `${each.name}\n${keyOf(to(each.spot))}`;
    return !keys.has(key) && keys.add(key);
  });
}

/** Empty where it is none. */
export const toText = (value: unknown): string => (typeof value === "string" ? value.trim() : "");
