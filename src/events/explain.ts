/**
 * Explains why a schema refused a value: for each field its path, and one sentence with the mistake and what would be
 * right. Runs on refused input only; its work is bounded by `FIELD_ERRORS_MAX`, after which it stops. It never quotes a
 * value, which may be personal data; names of keys are cut.
 */
import type { FieldError } from "../domain/problem.ts";
import { findFault, isOfType, mustBe, typeFault } from "./faults.ts";
import { nearestName } from "./nearest-name.ts";
import type { SchemaNode } from "./schema-node.ts";

/** A caller that made more mistakes learns the others after the first ones are corrected. */
export const FIELD_ERRORS_MAX = 50;

/** Keys are the caller's text: long ones are cut in paths. */
const KEY_CHARS_SHOWN = 64;

/** A place in the value, the schema that holds there, and the list that errors are added to. */
interface Spot {
  readonly schema: SchemaNode;
  readonly value: unknown;
  readonly path: string;
  readonly errors: FieldError[];
  readonly errorsMax: number;
}

/** One error for each field that `schema` refuses, and no more than `errorsMax`; empty when there is none. */
export function explainErrors(schema: SchemaNode, value: unknown, errorsMax = FIELD_ERRORS_MAX): FieldError[] {
  const errors: FieldError[] = [];
  explain({ schema, value, path: "", errors, errorsMax });
  return errors;
}

function explain(spot: Spot): void {
  if (spot.errors.length >= spot.errorsMax) return;
  if (spot.schema.anyOf !== undefined) return explainUnion(spot, spot.schema.anyOf);
  const message = findFault(spot.schema, spot.value);
  if (message !== undefined) return add(spot, spot.path, message);
  const errorsBefore = spot.errors.length;
  explainParts(spot);
  // As in the compiled check: code checks a value only when everything else about it is right.
  if (spot.errors.length === errorsBefore) explainRefusal(spot);
}

/**
 * Explains only the branch of a union that fits the value's type: for `object or null`, a caller that sent an object
 * needs to hear about its fields, and not that it is not null.
 */
function explainUnion(spot: Spot, branches: readonly SchemaNode[]): void {
  const fitting = branches.filter((branch) => isOfType(branch, spot.value));
  if (fitting.length === 0) return add(spot, spot.path, typeFault(spot.schema, spot.value));
  const explained = fitting.map((schema) => {
    const errors: FieldError[] = [];
    explain({ ...spot, schema, errors });
    return errors;
  });
  const [fewest = []] = explained.toSorted((one, other) => one.length - other.length);
  const hint = spot.value === "" && branches.some(({ type }) => type === "null") ? ", or null when there is none" : "";
  for (const { path, message } of fewest) add(spot, path, message + hint);
}

function explainParts(spot: Spot): void {
  if (Array.isArray(spot.value)) return explainItems(spot, spot.value);
  if (isOfType({ type: "object" }, spot.value)) explainMembers(spot, spot.value as Record<string, unknown>);
}

function explainItems(spot: Spot, items: readonly unknown[]): void {
  const schema = spot.schema.items;
  if (schema === undefined) return;
  for (const [index, value] of items.entries()) {
    if (spot.errors.length >= spot.errorsMax) return;
    explain({ ...spot, schema, value, path: `${spot.path}[${index}]` });
  }
}

function explainMembers(spot: Spot, members: Readonly<Record<string, unknown>>): void {
  const { properties = {}, required = [] } = spot.schema;
  for (const [key, schema] of Object.entries(properties)) {
    const path = memberPath(spot.path, key);
    if (Object.hasOwn(members, key)) explain({ ...spot, schema, value: members[key], path });
    else if (required.includes(key)) add(spot, path, `is missing: ${mustBe(schema)}`);
  }
  for (const key of Object.keys(members)) {
    if (spot.errors.length >= spot.errorsMax) return;
    if (!Object.hasOwn(properties, key)) explainOther(spot, members, key);
  }
}

/** A member that `properties` does not name: unknown, or one of an open object such as `utm_params`. */
function explainOther(spot: Spot, members: Readonly<Record<string, unknown>>, key: string): void {
  const { additionalProperties = true, propertyNames, properties = {} } = spot.schema;
  const path = memberPath(spot.path, key);
  const nameFault = propertyNames === undefined ? undefined : findFault(propertyNames, key);
  if (nameFault !== undefined) return add(spot, path, `has a name that is not accepted: the name ${nameFault}`);
  if (additionalProperties === false) return add(spot, path, unknownField(key, properties, members));
  if (additionalProperties !== true) explain({ ...spot, schema: additionalProperties, value: members[key], path });
}

/** Suggests only absent fields: the caller did not mean a second `email`. */
export function unknownField(key: string, properties: object, members: object): string {
  const names = Object.keys(properties);
  const nearest = nearestName(
    key,
    names.filter((name) => !Object.hasOwn(members, name)),
  );
  if (nearest !== undefined) return `is not a known field; did you mean ${nearest}?`;
  return `is not a known field; known here are ${names.join(", ")}`;
}

function explainRefusal(spot: Spot): void {
  const refused = spot.schema["~refine"]?.find(({ check }) => !check(spot.value));
  if (refused !== undefined) add(spot, spot.path, refused.error(spot.value));
}

function add(spot: Spot, path: string, message: string): void {
  if (spot.errors.length < spot.errorsMax) spot.errors.push({ path, message });
}

/** `lead.email`; a key that does not read as a name stands in brackets and quotes: `utm_params["a b"]`. */
export function memberPath(path: string, key: string): string {
  const shown = key.length > KEY_CHARS_SHOWN ? `${key.slice(0, KEY_CHARS_SHOWN)}…` : key;
  if (!/^[\w-]+…?$/.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === "" ? shown : `${path}.${shown}`;
}
