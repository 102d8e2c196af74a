/**
 * JSON text as a tree for reading, without turning a value into another: numbers and strings stay as they were written,
 * so 12345678901234567890 is not rounded and a key that occurs twice is shown twice.
 */
import { jsonTokens } from "../../json-tokens.ts";

export type JsonNode =
  /** As written, quotes included. */
  | { readonly kind: "string" | "number" | "word"; readonly text: string }
  | { readonly kind: "object" | "array"; readonly members: readonly JsonMember[] };

export interface JsonMember {
  /** As written, quotes included; `null` in an array. */
  readonly key: string | null;
  readonly value: JsonNode;
}

/** `null` when it is not JSON. */
export function parseNodes(text: string): JsonNode | null {
  const tokens = jsonTokens(text).filter((token) => token.text.trim() !== "");
  // Text that is not JSON comes back as one plain piece; JSON's own are signs, of which there are two at least.
  if (tokens.length === 0 || (tokens.length === 1 && tokens[0]?.kind === "plain")) return null;
  let at = 0;

  function value(): JsonNode {
    const token = tokens[at];
    at += 1;
    if (token === undefined) return { kind: "word", text: "" };
    if (token.kind !== "plain") return { kind: token.kind === "key" ? "string" : token.kind, text: token.text };
    return token.text.trim() === "{" ? group("object", "}") : group("array", "]");
  }

  function group(kind: "object" | "array", end: string): JsonNode {
    const members: JsonMember[] = [];
    while (at < tokens.length && sign() !== end) {
      if (sign() === ",") at += 1;
      else members.push(member(kind));
    }
    at += 1;
    return { kind, members };
  }

  function member(kind: "object" | "array"): JsonMember {
    if (kind === "array") return { key: null, value: value() };
    const key = tokens[at]?.text ?? "";
    // The key and its colon are two tokens.
    at += 2;
    return { key, value: value() };
  }

  const sign = (): string => (tokens[at]?.kind === "plain" ? (tokens[at]?.text.trim() ?? "") : "");

  return value();
}

/** The content of a folded node: "{ 7 fields }", "[ 2 items ]". */
export function foldedLabel({ kind, members }: Extract<JsonNode, { members: unknown }>): string {
  const what = kind === "object" ? "field" : "item";
  const words = `${members.length} ${what}${members.length === 1 ? "" : "s"}`;
  return kind === "object" ? `{ ${words} }` : `[ ${words} ]`;
}

/** It has something folded when that many levels are open. An empty object or list has nothing to fold. */
export function isDeeperThan(node: JsonNode, levels: number): boolean {
  if (!("members" in node) || node.members.length === 0) return false;
  return levels === 0 || node.members.some(({ value }) => isDeeperThan(value, levels - 1));
}
