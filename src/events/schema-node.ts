/**
 * A JSON Schema as `explain.ts` reads it: the keywords that our schemas use, and no others. `assertExplainable` holds
 * every schema to that list when it is compiled, so that every refusal can be explained.
 */
import { assert } from "../lib/assert.ts";

export type TypeName = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

export interface SchemaNode {
  readonly type?: TypeName;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly propertyNames?: SchemaNode;
  readonly maxProperties?: number;
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Checks in code, as `Type.Refine` adds them; hidden from JSON. */
  readonly "~refine"?: readonly { check(value: unknown): boolean; error(value: unknown): string }[];
  /** The message for a value with the right type but the wrong form. */
  readonly "x-message"?: string;
  /**
   * The published schema's `format`, for generators of code. Not checked: validators differ about formats (some accept
   * `urn:uuid:…`), so `pattern` says exactly what is right, and typebox took 0.7 µs for each time.
   */
  readonly "x-format"?: string;
}

const CHECKED = [
  "type const enum anyOf properties required additionalProperties propertyNames maxProperties",
  "items minItems maxItems minLength maxLength pattern format minimum maximum",
];
const NOTES = ["title description examples default deprecated x-message x-format"];
const KNOWN = new Set([...CHECKED, ...NOTES].flatMap((line) => line.split(" ")));

/** Throws when the schema uses a keyword that is checked but not explained, such as `oneOf` or `patternProperties`. */
export function assertExplainable(node: SchemaNode): void {
  for (const keyword of Object.keys(node)) {
    assert(KNOWN.has(keyword), `schema keyword "${keyword}" has no words in explain.ts: use another one or add them`);
  }
  for (const part of listParts(node)) assertExplainable(part);
}

function listParts(node: SchemaNode): SchemaNode[] {
  const { anyOf = [], properties = {}, additionalProperties, propertyNames, items } = node;
  const single = [additionalProperties, propertyNames, items].filter((part) => typeof part === "object");
  return [...anyOf, ...Object.values(properties), ...single];
}
