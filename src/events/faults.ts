/**
 * Finds the fault of a single value in itself (its type, form or size), without its parts, and puts it into words. Each
 * fault is the end of a sentence that starts with the field's name, such as "must be a string, not a number".
 */
import { Test as fitsFormat } from "typebox/format";
import { findPasted } from "../lib/pasted.ts";
import { nearestName } from "./nearest-name.ts";
import type { SchemaNode, TypeName } from "./schema-node.ts";

const TYPE_WORDS: Readonly<Record<TypeName, string>> = {
  object: "an object",
  array: "an array",
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
};

/** The names for a value of a type that the schema does not allow: a boolean is named as one. */
const GIVEN_WORDS: Readonly<Record<TypeName, string>> = { ...TYPE_WORDS, boolean: "a boolean" };

/** The value's first fault; `undefined` when it has none of its own. */
export function findFault(node: SchemaNode, value: unknown): string | undefined {
  if (!isOfType(node, value)) return typeFault(node, value);
  return choiceFault(node, value) ?? numberFault(node, value) ?? stringFault(node, value) ?? countFault(node, value);
}

/** Whether the schema allows the value's type; a schema without types allows all. */
export function isOfType(node: SchemaNode, value: unknown): boolean {
  if (node.type === undefined) return true;
  const given = readType(value);
  return given === node.type || (given === "number" && node.type === "integer");
}

/** The schema's demand, as "must be …". */
export function mustBe(node: SchemaNode): string {
  if (node["x-message"] !== undefined) return node["x-message"];
  if (node.enum !== undefined) return `must be one of ${node.enum.join(", ")}`;
  if (node.const !== undefined) return `must be ${JSON.stringify(node.const)}`;
  if (node.minimum !== undefined || node.maximum !== undefined) return `must be ${typeWords(node)} ${rangeWords(node)}`;
  return `must be ${typeWords(node)}`;
}

/** Names only types: a caller that sent a number for a time needs no lesson on ISO 8601 yet. */
export function typeFault(node: SchemaNode, value: unknown): string {
  return `must be ${typeWords(node)}, not ${GIVEN_WORDS[readType(value)]}`;
}

function readType(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as "object" | "string" | "number" | "boolean";
}

function typeWords(node: SchemaNode): string {
  if (node.anyOf !== undefined) return [...new Set(node.anyOf.map(typeWords))].join(" or ");
  if (node.type !== undefined) return TYPE_WORDS[node.type];
  return node.enum === undefined ? "a value" : `one of ${node.enum.join(", ")}`;
}

function rangeWords({ minimum, maximum }: SchemaNode): string {
  if (maximum === undefined) return `of at least ${minimum}`;
  return minimum === undefined ? `of at most ${maximum}` : `from ${minimum} to ${maximum}`;
}

function choiceFault(node: SchemaNode, value: unknown): string | undefined {
  if (node.const !== undefined && node.const !== value) return mustBe(node);
  if (node.enum === undefined || node.enum.includes(value)) return undefined;
  const near = typeof value === "string" ? nearestName(value, node.enum.map(String)) : undefined;
  return near === undefined ? mustBe(node) : `${mustBe(node)}; did you mean ${near}?`;
}

function numberFault(node: SchemaNode, value: unknown): string | undefined {
  if (typeof value !== "number") return undefined;
  // JSON has no infinity, but 1e400 is read as one.
  if (!Number.isFinite(value)) return "must be a number between -1.8e308 and 1.8e308";
  const { minimum = -Infinity, maximum = Infinity } = node;
  if (node.type === "integer" && !Number.isInteger(value)) return mustBe(node);
  return value < minimum || value > maximum ? mustBe(node) : undefined;
}

function stringFault(node: SchemaNode, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const { minLength = 0, maxLength = Infinity, pattern, format } = node;
  const fitsPattern = pattern === undefined || new RegExp(pattern, "u").test(value);
  if (value === "" && minLength > 0 && pattern === undefined) return "must not be empty";
  const chars = countChars(value);
  if (chars < minLength) return `must have at least ${count(minLength, "character")}, not ${chars}`;
  if (chars > maxLength) return `must have at most ${count(maxLength, "character")}, not ${chars}`;
  if (fitsPattern && (format === undefined || fitsFormat(format, value))) return undefined;
  // Such a character is invisible, and the value looks right; the message quotes no part of it.
  const pasted = findPasted(value, { kind: "words", isSecret: true });
  return pasted === null ? mustBe(node) : `${mustBe(node)}; it ${pasted.fault}`;
}

function countFault(node: SchemaNode, value: unknown): string | undefined {
  const { minItems = 0, maxItems = Infinity, maxProperties = Infinity } = node;
  if (Array.isArray(value)) {
    if (value.length < minItems) return `must have at least ${count(minItems, "item")}, not ${value.length}`;
    return value.length > maxItems ? `must have at most ${count(maxItems, "item")}, not ${value.length}` : undefined;
  }
  const keys = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  return keys > maxProperties ? `must have at most ${count(maxProperties, "key")}, not ${keys}` : undefined;
}

/** JSON Schema counts characters, not UTF-16 units: an emoji is one. */
function countChars(value: string): number {
  let chars = 0;
  for (const _ of value) chars += 1;
  return chars;
}

const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? "" : "s"}`;
