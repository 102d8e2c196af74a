/**
 * The fields of a record or a body, as its schema has them: for the catalog, conditions, the table of declared types
 * and the comparison of two declarations. Pure.
 */
import type { TSchema } from "typebox";
import type { SchemaObject, TypeName } from "./keywords.ts";
import { type Place, type Shape, readShape } from "./shape.ts";

export interface Field {
  /** `lead.email`; what is in a list's items is below `items[]`. */
  readonly path: string;
  /** "number" covers whole ones. */
  readonly types: readonly TypeName[];
  /** The same for people, with formats and choices: `string (UUID)`, `object or null`, `"high" or "low"`. */
  readonly words: string;
  /** Always there, as far as everything above it is there. */
  readonly isRequired: boolean;
  readonly description: string;
  /** Names that are not listed may stand below it: the schema says so, or contains itself there. */
  readonly isOpen: boolean;
  /** The values that it may have, where the schema lists them all; otherwise empty. */
  readonly choices: readonly unknown[];
}

/** Each field with a name, in the schema's order, what is in an object or a list right below it. */
export const listFields = (root: SchemaObject | TSchema): readonly Field[] =>
  listed.getOrInsertComputed(root, readFields);

/** Where parts of a schema lead to one another, the walk takes up to a second. */
const listed = new WeakMap<SchemaObject | TSchema, readonly Field[]>();

function readFields(root: SchemaObject | TSchema): readonly Field[] {
  const shape = readShape(root);
  const fields: Field[] = [];
  /** `above`: the parts of the schema that lead here. One that comes again contains itself: it is told once. */
  const visit = (place: Place, path: string, above: ReadonlySet<unknown>): void => {
    const within = new Set([...above, ...shape.facetsOf(place)]);
    for (const name of shape.namesOf(place)) {
      const member = shape.findMember(place, name);
      if (member === null || fields.length >= FIELDS_MAX) return;
      fields.push(toField(shape, member, { path: path === "" ? name : `${path}.${name}`, within }));
      visitBelow(member, fields.at(-1)?.path ?? "", within);
    }
  };
  const visitBelow = (place: Place, path: string, within: ReadonlySet<unknown>): void => {
    if (isAgain(shape, place, within)) return;
    visit(place, path, within);
    const items = shape.findItems(place);
    if (items !== null) visitBelow(items, `${path}[]`, new Set([...within, ...shape.facetsOf(place)]));
  };
  visit(shape.root, "", new Set());
  return fields;
}

const isAgain = (shape: Shape, place: Place, above: ReadonlySet<unknown>): boolean =>
  shape.facetsOf(place).some((facet) => above.has(facet) && INSIDE.some((keyword) => facet[keyword] !== undefined));

/** What a part of a schema says of values inside a value. */
const INSIDE = ["properties", "items", "prefixItems"] as const;

/** Guess, above every event that people read. */
const FIELDS_MAX = 2_000;

interface Spot {
  readonly path: string;
  /** The parts of the schema that lead there. */
  readonly within: ReadonlySet<unknown>;
}

function toField(shape: Shape, place: Place, { path, within }: Spot): Field {
  const description = shape.annotation(place, "description");
  return {
    path,
    types: shape.typesOf(place),
    words: typeWords(shape, place),
    isRequired: place.isRequired,
    description: typeof description === "string" ? description : "",
    isOpen: isOpen(shape, place, within),
    choices: shape.choicesOf(place) ?? [],
  };
}

/** Where a schema names members and says nothing of others, another name is rather a mistake. */
function isOpen(shape: Shape, place: Place, within: ReadonlySet<unknown>): boolean {
  if (isAgain(shape, place, within)) return true;
  const items = shape.findItems(place);
  if (items !== null && isOpen(shape, items, new Set([...within, ...shape.facetsOf(place)]))) return true;
  if (!shape.typesOf(place).includes("object")) return false;
  const facets = shape.facetsOf(place);
  const others = facets.flatMap(({ additionalProperties, unevaluatedProperties, patternProperties }) => [
    additionalProperties,
    unevaluatedProperties,
    patternProperties,
  ]);
  if (others.some((schema) => schema === true || typeof schema === "object")) return true;
  return !others.includes(false) && shape.namesOf(place).length === 0;
}

/** Guess: a line of a table. */
const CHOICES_SHOWN = 12;

function typeWords(shape: Shape, place: Place, isItem = false): string {
  const choices = shape.choicesOf(place);
  if (choices !== null) return choiceWords(choices.map((choice) => JSON.stringify(choice)));
  const types = shape.typesOf(place);
  if (types.length >= ANY_TYPES) return ANY_VALUE;
  return types.length === 0 ? "nothing" : choiceWords(types.map((type) => wordsOfType(shape, place, { type, isItem })));
}

/** "number" covers "integer". */
const ANY_TYPES = 6;
const ANY_VALUE = "any value";

/** Lists of lists are told no further: one may contain itself. */
function wordsOfType(shape: Shape, place: Place, { type, isItem }: { type: TypeName; isItem: boolean }): string {
  if (type === "array" && !isItem) return `array of ${itemWords(shape, shape.findItems(place))}`;
  const format = shape.annotation(place, "x-format") ?? shape.annotation(place, "format");
  const known = type === "string" ? FORMATS.get(format) : undefined;
  return known === undefined ? type : `${type} (${known})`;
}

function itemWords(shape: Shape, items: Place | null): string {
  const words = items === null ? ANY_VALUE : typeWords(shape, items, true);
  const plural = words === ANY_VALUE ? "any values" : words.replace(/^[a-z]+/, "$&s");
  return words.includes(" or ") ? words : plural;
}

const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ["uuid", "UUID"],
  ["date-time", "ISO 8601 time"],
  ["email", "e-mail address"],
  ["uri", "URI"],
]);

function choiceWords(all: readonly string[]): string {
  const [shown, others] = [all.slice(0, CHOICES_SHOWN), all.length - CHOICES_SHOWN];
  const choices = others > 0 ? [...shown, `${others} others`] : shown;
  return choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}
