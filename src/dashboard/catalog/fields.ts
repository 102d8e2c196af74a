/** A body's schema as a list for people: every field by its path, with its type, what it means, and an example. */
import type { TSchema } from "typebox";
import type { FieldView } from "../contract/catalog.ts";

/** The keywords that body schemas say their fields with. */
export interface BodySchema {
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
