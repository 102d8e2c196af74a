/** A schema for readers: its fields in order with examples, and as a TypeScript declaration. Pure. */
import type { TSchema } from "typebox";
import type { FieldView } from "../contract/catalog.ts";

/** The keywords that body schemas say their fields with. */
interface BodySchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly BodySchema[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | BodySchema;
  readonly items?: BodySchema;
  readonly "x-format"?: string;
  readonly description?: string;
}

/** In the body's order; the fields of an object stand below it with dotted paths. `sample` gives the examples. */
export function listFields(schema: TSchema, sample: unknown): FieldView[] {
  return listMembers(schema, sample, "");
}

function listMembers(schema: BodySchema, sample: unknown, above: string): FieldView[] {
  const object = findObject(schema);
  return Object.entries(object?.properties ?? {}).flatMap(([name, member]) => {
    const path = `${above}${name}`;
    const value = getMember(sample, name);
    const { description = "" } = member;
    const field = { path, type: typeWords(member), description, example: JSON.stringify(value ?? null) };
    return [field, ...listMembers(member, value, `${path}.`)];
  });
}

/** The object among what a field may be. */
const findObject = (schema: BodySchema): BodySchema | undefined =>
  schema.type === "object" ? schema : schema.anyOf?.find(({ type }) => type === "object");

const getMember = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** `string (UUID)`, `object or null`, `array of strings`, `"high", "medium" or "low"` */
function typeWords(schema: BodySchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeWords).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return choiceWords(schema.enum.map((choice) => JSON.stringify(choice)));
  if (schema.type === "array") return `array of ${schema.items === undefined ? "value" : typeWords(schema.items)}s`;
  const format = FORMATS[schema["x-format"] ?? ""];
  return format === undefined ? (schema.type ?? "any value") : `${schema.type} (${format})`;
}

const FORMATS: Readonly<Record<string, string>> = { uuid: "UUID", "date-time": "ISO 8601 time" };

const choiceWords = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;

/*
 * A schema as a TypeScript declaration: a webhook's body, to be pasted into a receiver, and the types that the package
 * `bellwire` is published with.
 */

/** How the members stand in the text. */
interface Layout {
  readonly indent: string;
  /** Written before each member and each array: a value that we only read may be read-only. */
  readonly modifier: "" | "readonly ";
}

/** `isInput` is for values that callers make for us: then read-only ones will do as well. */
export function toTypescript(schema: TSchema, name: string, { isInput = false } = {}): string {
  const body = schema as BodySchema;
  const layout: Layout = { indent: "", modifier: isInput ? "readonly " : "" };
  return `${comment(body, "")}export interface ${name} ${objectText(body, layout)}\n`;
}

function typeText(schema: BodySchema, layout: Layout): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((part) => typeText(part, layout)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((choice) => JSON.stringify(choice)).join(" | ");
  if (schema.type === "object") return objectText(schema, layout);
  if (schema.type === "array") return arrayText(schema.items ?? {}, layout);
  return schema.type === "integer" ? "number" : (schema.type ?? "unknown");
}

function arrayText(items: BodySchema, layout: Layout): string {
  const text = typeText(items, layout);
  const isUnion = items.anyOf !== undefined || (items.enum ?? []).length > 1;
  return `${layout.modifier}${isUnion ? `(${text})` : text}[]`;
}

/** An object of any names has an index signature; beside named members it must allow their types, hence `unknown`. */
function objectText(schema: BodySchema, { indent, modifier }: Layout): string {
  const { properties = {}, additionalProperties = false } = schema;
  const inner: Layout = { indent: `${indent}  `, modifier };
  const start = `${inner.indent}${modifier}`;
  const members = Object.entries(properties).map(
    ([name, member]) =>
      `${comment(member, inner.indent)}${start}${keyText(name)}${typeOfMember(schema, name, typeText(member, inner))};`,
  );
  if (typeof additionalProperties === "object") {
    members.push(`${start}[name: string]: ${typeText(additionalProperties, inner)};`);
  } else if (additionalProperties) members.push(`${start}[name: string]: unknown;`);
  return members.length === 0 ? "Record<string, never>" : `{\n${members.join("\n")}\n${indent}}`;
}

/** An optional member may also be `undefined`: neither is written to JSON. */
function typeOfMember({ required = [] }: BodySchema, name: string, type: string): string {
  return required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
}

const keyText = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function comment({ description }: BodySchema, indent: string): string {
  return description === undefined ? "" : `${indent}/** ${description.replaceAll("*/", "*\\/")} */\n`;
}
