/**
 * The fields of a record or a body, as its schema has them: for the catalog, conditions, the table of declared types
 * and the comparison of two declarations. Pure.
 */
import type { TSchema } from "typebox";
import type { TypeName } from "../schema-node.ts";
import type { JsonSchema } from "./keywords.ts";
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
  /** Other names than the schema's may stand below it, and it says so. */
  readonly isOpen: boolean;
  /** The values that it may have, where the schema lists them all; otherwise empty. */
  readonly choices: readonly unknown[];
}

/** Guess, above every event that people read. */
const FIELDS_MAX = 2_000;

/** Each field with a name, in the schema's order, what is in an object or a list right below it. */
export function listFields(root: JsonSchema | TSchema): readonly Field[] {
  const shape = readShape(root);
  const fields: Field[] = [];
  /** `above`: the parts of the schema that lead here. One that comes again contains itself, and is told once. */
  const visit = (place: Place, path: string, above: ReadonlySet<unknown>): void => {
    const facets = shape
      .facetsOf(place)
      .filter(({ properties, items }) => properties !== undefined || items !== undefined);
    if (facets.some((facet) => above.has(facet))) return;
    const within = new Set([...above, ...facets]);
    for (const name of shape.namesOf(place)) {
      const member = shape.findMember(place, name);
      if (member === null || fields.length >= FIELDS_MAX) return;
      const memberPath = path === "" ? name : `${path}.${name}`;
      fields.push(toField(shape, member, memberPath));
      visit(member, memberPath, within);
    }
    const items = shape.findItems(place);
    if (items !== null) visit(items, `${path}[]`, within);
  };
  visit(shape.root, "", new Set());
  return fields;
}

function toField(shape: Shape, place: Place, path: string): Field {
  const description = shape.annotation(place, "description");
  return {
    path,
    types: shape.typesOf(place),
    words: typeWords(shape, place),
    isRequired: place.isRequired,
    description: typeof description === "string" ? description : "",
    isOpen: isOpen(shape, place),
    choices: shape.choicesOf(place) ?? [],
  };
}

/** Where a schema names members and says nothing of others, another name is rather a mistake. */
function isOpen(shape: Shape, place: Place): boolean {
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

function typeWords(shape: Shape, place: Place): string {
  const choices = shape.choicesOf(place);
  if (choices !== null) return choiceWords(choices.map((choice) => JSON.stringify(choice)));
  const types = shape.typesOf(place);
  if (types.length >= ANY_TYPES) return ANY_VALUE;
  return types.length === 0 ? "nothing" : choiceWords(types.map((type) => wordsOfType(shape, place, type)));
}

/** "number" covers "integer". */
const ANY_TYPES = 6;
const ANY_VALUE = "any value";

function wordsOfType(shape: Shape, place: Place, type: TypeName): string {
  if (type === "array") return `array of ${itemWords(shape, shape.findItems(place))}`;
  const format = shape.annotation(place, "x-format") ?? shape.annotation(place, "format");
  const known = type === "string" ? FORMATS.get(format) : undefined;
  return known === undefined ? type : `${type} (${known})`;
}

function itemWords(shape: Shape, items: Place | null): string {
  const words = items === null ? ANY_VALUE : typeWords(shape, items);
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
