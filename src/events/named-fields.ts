/**
 * Makes a schema that passes the same values and is checked faster: an object that takes no other fields says so by
 * listing the names that it takes. Where one of its fields is optional, typebox would try a regular expression on each
 * name instead, which was half of what a session's check cost (1.1 µs; 0.5 this way).
 */
import { type JsonSchema, mapSchemas } from "./schema/keywords.ts";

export const nameFields = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, (copy, { "~refine": checks }) => {
    const { additionalProperties, ...open } = copy;
    const { propertyNames, properties = {}, required = [] } = copy;
    const names = Object.keys(properties);
    // Where all are required, typebox counts them.
    const isWorthIt = additionalProperties === false && propertyNames === undefined && names.length > required.length;
    const named = isWorthIt ? { ...open, propertyNames: { enum: names } } : copy;
    // Checks in code are hidden from a copy.
    return checks === undefined ? named : { ...named, "~refine": checks };
  });
