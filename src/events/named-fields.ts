/**
 * Makes a schema that passes the same values and is checked faster: an object that takes no other fields says so by
 * listing the names that it takes. Where one of its fields is optional, typebox would try a regular expression on each
 * name instead, which was half of what a session's check cost (1.1 µs; 0.5 this way).
 */
import type { SchemaNode } from "./schema-node.ts";

export function nameFields(node: SchemaNode): SchemaNode {
  const named = withParts(node);
  const { additionalProperties, propertyNames, properties = {}, required = [] } = named;
  const names = Object.keys(properties);
  // Where all are required, typebox counts them.
  const isWorthIt = additionalProperties === false && propertyNames === undefined && names.length > required.length;
  return isWorthIt ? change(named, { additionalProperties: undefined, propertyNames: { enum: names } }) : named;
}

function withParts(node: SchemaNode): SchemaNode {
  const { anyOf, properties, items, additionalProperties } = node;
  return change(node, {
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(nameFields) }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, nameFields) }),
    ...(items === undefined ? {} : { items: nameFields(items) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: nameFields(additionalProperties) } : {}),
  });
}

const mapValues = <Value>(record: Readonly<Record<string, Value>>, to: (value: Value) => Value) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]));

/** A copy, with typebox's hidden members, such as checks in code. `undefined` takes a keyword out. */
function change(node: SchemaNode, keywords: Readonly<Record<string, unknown>>): SchemaNode {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(node)) as Record<string, unknown>;
  for (const [keyword, value] of Object.entries(keywords)) {
    delete copy[keyword];
    if (value !== undefined) copy[keyword] = value;
  }
  return copy;
}
