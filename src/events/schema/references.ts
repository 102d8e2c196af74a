/**
 * Where the references of a schema lead: `$ref` and `$dynamicRef` to places in the same document, by pointer, by
 * anchor, or by the `$id` of a part. Nothing is ever fetched. Pure.
 */
import { type JsonSchema, type SchemaObject, isSchemaObject, listParts, parsePointer, valueAt } from "./keywords.ts";

export interface References {
  /** `undefined`: the document has no such place. A dynamic reference leads where a plain one would. */
  resolve(from: SchemaObject, reference: string): JsonSchema | undefined;
}

/** The base of a document without an `$id`. */
const ROOT = "event:///";

export function readReferences(root: JsonSchema): References {
  const bases = new Map<SchemaObject, string>();
  const targets = new Map<string, JsonSchema>();
  const visit = (schema: JsonSchema, above: string): void => {
    if (!isSchemaObject(schema)) return;
    const { $id, $anchor, $dynamicAnchor } = schema;
    const base = typeof $id === "string" ? (toUrl($id, above) ?? above) : above;
    bases.set(schema, base);
    if (base !== above || schema === root) targets.set(base, schema);
    for (const name of [$anchor, $dynamicAnchor]) {
      if (typeof name === "string") targets.set(`${base}#${name}`, schema);
    }
    for (const [, part] of listParts(schema)) visit(part, base);
  };
  visit(root, ROOT);
  return {
    resolve(from, reference) {
      const url = toUrl(reference, bases.get(from) ?? ROOT, true);
      if (url === null) return undefined;
      const [address = "", fragment = ""] = url.split("#");
      if (fragment === "") return targets.get(address);
      const decoded = decode(fragment);
      const pointer = decoded.startsWith("/") ? parsePointer(decoded) : null;
      if (pointer === null) return targets.get(`${address}#${decoded}`);
      const target = valueAt(targets.get(address), pointer);
      return isSchemaObject(target) || typeof target === "boolean" ? target : undefined;
    },
  };
}

/** `#` at the end says nothing, so it is left out of an `$id`. */
function toUrl(text: string, base: string, withFragment = false): string | null {
  const url = URL.canParse(text, base) ? new URL(text, base).href : null;
  return withFragment ? url : (url?.replace(/#.*$/, "") ?? null);
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
