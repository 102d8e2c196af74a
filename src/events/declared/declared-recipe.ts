/**
 * What a chat message says of an event of a declared type: its headline, the first single values that its schema names,
 * and a link where the schema has one under a name that says so. Pure.
 */
import type { TSchema } from "typebox";
import { type Recipe, RECIPE_FACTS_MAX } from "../recipe.ts";
import { type Field, listFields } from "../schema/fields.ts";
import { parsePointer } from "../schema/keywords.ts";
import { type Declaration, keyPointers } from "./declaration.ts";

export function makeDeclaredRecipe(declaration: Declaration, bodySchema: TSchema): Recipe {
  const { type, title, headline, occurredAt } = declaration;
  const fields = listFields(bodySchema);
  const lines = toPaths(headline).map((path) => [path]);
  const [time = null] = toPaths(occurredAt === null ? [] : [occurredAt]);
  const link = findLink(type, fields);
  const told = new Set(["event", ...lines.flat(), ...toPaths(keyPointers(declaration)), time, link]);
  const facts = fields
    .filter((field) => isSingle(field) && !told.has(field.path))
    .slice(0, RECIPE_FACTS_MAX)
    .map(({ path }) => [toName(path), path] as const);
  return { title, noun: "event", who: lines, what: lines, facts, link, occurredAt: time };
}

/** A path is walked as conditions walk it: one with an empty name in it cannot be written. */
const toPaths = (pointers: readonly string[]): readonly string[] =>
  pointers.map((pointer) => parsePointer(pointer)?.join(".") ?? "").filter((path) => path !== "");

const LISTED = ["array", "object"];

const isSingle = ({ path, types }: Field): boolean =>
  !path.includes("[]") && types.length > 0 && !types.some((type) => LISTED.includes(type));

/**
 * A visitor may have written other addresses, such as that of a web site, so only these names make a link: `link`,
 * `url`, and the type's first word before them, such as `order_url` of `order_placed`.
 */
function findLink(type: string, fields: readonly Field[]): string | null {
  const [word = ""] = type.split(/[_.-]/);
  const names = ["link", "url", `${word}_link`, `${word}_url`];
  return names.find((name) => fields.some(({ path, types }) => path === name && types.includes("string"))) ?? null;
}

/** `lead.first_name` is "Lead first name". */
function toName(path: string): string {
  const words = path.replaceAll(/[._-]+/g, " ").trim();
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
