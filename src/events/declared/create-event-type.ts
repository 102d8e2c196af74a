/**
 * Makes an event type of an operator's declaration: the same value as a built-in type is, so that nothing else asks
 * which of the two it has. Pure; schemas are compiled when the first record comes.
 */
import type { About } from "../../domain/event.ts";
import { ok } from "../../lib/result.ts";
import { parseExactJson, writtenNumber } from "../exact-json.ts";
import { EVENT_PAGE, type EventType, type Members, type SearchedText } from "../event-type.ts";
import type { Payload } from "../payload.ts";
import type { Recipe } from "../recipe.ts";
import { toBody, toBodySchema } from "./body.ts";
import { EXAMPLE_UUID } from "../fields.ts";
import { CALLER_KEY, CALLER_KEY_MEMBER, type Declaration, joinKey, keyPointers } from "./declaration.ts";
import { parsePointer, valueAt } from "../schema/keywords.ts";
import { makeDeclaredRecipe } from "./declared-recipe.ts";
import { createExample } from "./new-example.ts";
import { createRecordCheck } from "./record-check.ts";

/** `declaration` has passed `checkDeclaration`. */
export function createEventType(declaration: Declaration): EventType {
  const { type, title, description, schema, plan, exampleText } = declaration;
  const records = createRecordCheck(declaration);
  const callers = declaration.key === CALLER_KEY ? CALLER_KEY_PART : null;
  const example = { ...(parseExactJson(exampleText) as Members), ...(callers === null ? {} : callers.example) };
  const keys = keyPointers(declaration).map(toPath);
  const [headline, search] = [declaration.headline.map(toPath), declaration.search.map(toPath)];
  const bodySchema = toBodySchema(declaration);
  let recipe: Recipe | null = null;
  const occurredAt = declaration.occurredAt === null ? null : toPath(declaration.occurredAt);
  return {
    type,
    title,
    description,
    noun: "event",
    unnamed: title,
    page: EVENT_PAGE,
    owners: ["webhook"],
    builtIn: null,
    recordSchema: {
      examples: [example],
      ...schema,
      ...(callers === null ? {} : { properties: { ...schema.properties, ...callers.properties } }),
    },
    bodySchema,
    example,
    newExample: (nowMs, uuid) => createExample(declaration, nowMs, uuid).text,
    plan,
    parse(recordText, errorsMax, callerKey) {
      const read = records.read(recordText, errorsMax, callerKey);
      if (!read.ok) return read;
      // At once, so that a record that waits for its commit keeps neither its text nor what was parsed of it.
      const body = toBody(type, read.value);
      const toPayload = (): Payload => parseExactJson(body) as Payload;
      const facts = { type, plan, toPayload, session: null, assistantId: null };
      return ok({ sourceId: read.value.sourceId, facts, buildBody: () => body });
    },
    readSourceId(body) {
      const parts = keys.flatMap((path) => keyAt(body, path) ?? []);
      return keys.length > 0 && parts.length === keys.length ? joinKey(parts) : null;
    },
    readAbout: (body) => toAbout(headline.map((path) => shorten(textAt(body, path)))),
    // Who looks for an event may have nothing but its key.
    listTexts: (body) => [...keys, ...search].flatMap((path) => listTexts(valueAt(body, path), path.at(-1) ?? "")),
    readOccurredAt: (body) => (occurredAt === null ? null : textAt(body, occurredAt) || null),
    readSession: null,
    makeRecipe: () => (recipe ??= makeDeclaredRecipe(declaration, bodySchema)),
  };
}

const CALLER_KEY_PART = {
  example: { [CALLER_KEY_MEMBER]: EXAMPLE_UUID },
  properties: {
    [CALLER_KEY_MEMBER]: {
      type: "string",
      description: "The caller's name for the event; or the header `Idempotency-Key` of a call with one record has it.",
    },
  },
} as const;

const toPath = (pointer: string): readonly string[] => parsePointer(pointer) ?? [];

function textAt(body: Members, path: readonly string[]): string {
  const value = valueAt(body, path);
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : (writtenNumber(value) ?? "");
}

/** A number that a float has changed is no key: a body that keeps digits (`parseExactJson`) has the right one. */
function keyAt(body: Members, path: readonly string[]): string | null {
  const value = valueAt(body, path);
  const isChanged = typeof value === "number" && !Number.isSafeInteger(value);
  return isChanged ? null : textAt(body, path) || null;
}

/** The last of several is what it is about and never who: lists have the event's key in that place then. */
function toAbout(texts: readonly string[]): About {
  const [first = "", ...others] = texts.filter((text, place) => text !== "" || place === texts.length - 1);
  const isLastAlone = others.length === 0 && texts.length > 1;
  const [who, what] = isLastAlone ? ["", first] : [first, others[0] ?? ""];
  return { who: who || null, what: what || null };
}

/** A row of a list has room for a sentence. */
const HEADLINE_CHARS_MAX = 140;

function shorten(text: string): string {
  const line = text
    .slice(0, 4 * HEADLINE_CHARS_MAX)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= HEADLINE_CHARS_MAX ? line : `${line.slice(0, HEADLINE_CHARS_MAX).toWellFormed()}…`;
}

/** Guess, above every list that people search in. */
const TEXTS_MAX = 1_000;

/** The strings and numbers in a value, first come first. */
function listTexts(value: unknown, field: string): SearchedText[] {
  const texts: SearchedText[] = [];
  const collect = (part: unknown): void => {
    if (texts.length >= TEXTS_MAX) return;
    const written = typeof part === "string" || typeof part === "number" ? `${part}` : writtenNumber(part);
    if (written !== undefined) texts.push({ field, text: written });
    else if (typeof part === "object" && part !== null) for (const each of Object.values(part)) collect(each);
  };
  collect(value);
  return texts;
}
