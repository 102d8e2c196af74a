/**
 * Values out of a body whose shape is not taken for sure: it was checked when it was accepted, perhaps by an older
 * version. What is missing or of another kind is empty. Numbers stay as they were written. Pure.
 */
import { type JsonNode, parseNodes } from "./json-nodes.ts";

export type Members = ReadonlyMap<string, JsonNode>;

/** The members of the whole text; none when it is no JSON object. */
export function readBody(text: string): Members {
  return membersOf(parseNodes(text) ?? undefined);
}

export function membersOf(node: JsonNode | undefined): Members {
  if (node === undefined || node.kind !== "object") return new Map();
  return new Map(node.members.map(({ key, value }) => [parseString(key ?? '""'), value]));
}

/** A member's name, as `JsonMember` has it, without its quotes. */
export const nameOf = (key: string): string => parseString(key);

/** A string without its quotes, else "". */
export function textOf(node: JsonNode | undefined): string {
  return node?.kind === "string" ? parseString(node.text) : "";
}

/** The strings of a list; what is none, or empty, is left out. */
export function textsOf(node: JsonNode | undefined): readonly string[] {
  if (node === undefined || node.kind !== "array") return [];
  return node.members.map(({ value }) => textOf(value)).filter((text) => text !== "");
}

/** A number as it was written: "12345678901234567890" is not rounded. "" when it is none. */
export function digitsOf(node: JsonNode | undefined): string {
  return node?.kind === "number" ? node.text : "";
}

/** `null` when it is neither. */
export function flagOf(node: JsonNode | undefined): boolean | null {
  return node?.kind === "word" && node.text !== "null" ? node.text === "true" : null;
}

/** An instant written in ISO 8601; `null` when it is none. */
export function instantOf(node: JsonNode | undefined): number | null {
  const atMs = Date.parse(textOf(node));
  return Number.isNaN(atMs) ? null : atMs;
}

/** Any value in one line: a string without quotes, everything else as JSON. */
export function writtenOf(node: JsonNode): string {
  if (!("members" in node)) return node.kind === "string" ? parseString(node.text) : node.text;
  const parts = node.members.map(({ key, value }) => `${key === null ? "" : `${key}: `}${jsonOf(value)}`);
  return node.kind === "object" ? `{ ${parts.join(", ")} }` : `[${parts.join(", ")}]`;
}

const jsonOf = (node: JsonNode): string => ("members" in node ? writtenOf(node) : node.text);

/** The text came out of `parseNodes`, so it is JSON. */
const parseString = (quoted: string): string => JSON.parse(quoted) as string;
