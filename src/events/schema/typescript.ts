/**
 * A schema as a TypeScript declaration: bodies for receivers, records for back ends, and the types that the package
 * `bellwire` is published with. What types cannot say (patterns, bounds, conditions) is left out, so that every right
 * value fits. Pure.
 */
import type { TSchema } from "typebox";
import { type JsonSchema, type SchemaObject, isSchemaObject, type TypeName } from "./keywords.ts";
import { type References, readReferences } from "./references.ts";

export interface PrintOptions {
  /** Values that callers make for us: then read-only ones will do as well. */
  readonly isInput?: boolean;
  /** Names that the file has already; those of this declaration are added. */
  readonly used?: Set<string>;
  /** Names of declarations that stand beside this one, by the texts of their schemas. */
  readonly known?: ReadonlyMap<string, string>;
}

/** The declaration `name`, and behind it those of what the schema refers to, under names that begin with it. */
export function printSchema(schema: JsonSchema | TSchema, name: string, options: PrintOptions = {}): string {
  const root = schema as JsonSchema;
  const { isInput = false, used = new Set([name]), known = new Map() } = options;
  const names = new Map([[root, name]]);
  const queue = [root];
  const print: Printing = {
    references: readReferences(root),
    name,
    names,
    queue,
    used,
    known,
    modifier: isInput ? READS : "",
  };
  const texts: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    texts.push(declare(next, names.get(next) ?? name, typeText(print, next, WHOLE)));
  }
  return texts.join("\n");
}

/** `lead.identified` → `LeadIdentified` */
export const toTypeName = (text: string): string => {
  const name = text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
  return /^[A-Za-z]/.test(name) ? name : `Type${name}`;
};

/** The name, with a number behind it where another one has it. */
export function takeName(used: Set<string>, name: string): string {
  let free = name;
  for (let count = 2; used.has(free); count += 1) free = `${name}${count}`;
  used.add(free);
  return free;
}

const READS = "readonly ";

interface Printing {
  readonly references: References;
  readonly name: string;
  /** Schemas that are printed under a name, because something refers to them. */
  readonly names: Map<JsonSchema, string>;
  /** Those of them that are to be printed. */
  readonly queue: JsonSchema[];
  readonly used: Set<string>;
  readonly known: ReadonlyMap<string, string>;
  /** Written before each member and each list. */
  readonly modifier: "" | typeof READS;
}

/** Where a type stands in the text. */
interface Spot {
  readonly indent: string;
  /** Beside others, so that one of several parts needs brackets. */
  readonly isPart: boolean;
}

const WHOLE: Spot = { indent: "", isPart: false };

/** Only an object alone can be an interface. */
function declare(schema: JsonSchema, name: string, text: string): string {
  const isObject = text.startsWith("{") && text.indexOf("\n}") === text.length - 2;
  return `${comment(schema, "")}export ${isObject ? `interface ${name} ${text}` : `type ${name} = ${text};`}\n`;
}

function nameOf(print: Printing, from: SchemaObject, reference: string): string {
  const target = print.references.resolve(from, reference);
  if (!isSchemaObject(target)) return target === false ? "never" : "unknown";
  const known = print.names.get(target);
  if (known !== undefined) return known;
  const name = takeName(
    print.used,
    toTypeName(`${print.name.replace(/Record$/, "")} ${reference.replace(/.*[/#]/, "")}`),
  );
  print.names.set(target, name);
  print.queue.push(target);
  return name;
}

function typeText(print: Printing, schema: JsonSchema, spot: Spot): string {
  if (!isSchemaObject(schema)) return schema ? "unknown" : "never";
  const known = spot === WHOLE ? undefined : print.known.get(JSON.stringify(schema));
  if (known !== undefined) return known;
  const { $ref, $dynamicRef, allOf = [], anyOf = [], oneOf = [] } = schema;
  const lists = [anyOf, oneOf].filter((list) => list.length > 0);
  const count = Number($ref !== undefined) + Number($dynamicRef !== undefined) + allOf.length + lists.length;
  const hasOwn = schema.const !== undefined || schema.enum !== undefined || guessTypes(schema).length > 0;
  const part = { ...spot, isPart: spot.isPart || count + Number(hasOwn) > 1 };
  const all = [
    ownText(print, schema, part),
    ...[$ref, $dynamicRef].flatMap((each) => (each === undefined ? [] : [nameOf(print, schema, each)])),
    ...allOf.map((each) => typeText(print, each, part)),
    ...lists.map((list) =>
      toUnion(
        list.map((each) => typeText(print, each, { ...spot, isPart: false })),
        part,
      ),
    ),
  ];
  const said = all.filter((text) => text !== "unknown" && text !== "");
  if (said.length === 0) return "unknown";
  return inBrackets(said, " & ", spot);
}

const toUnion = (texts: readonly string[], spot: Spot): string =>
  texts.includes("unknown") ? "unknown" : inBrackets([...new Set(texts)], " | ", spot);

const inBrackets = (parts: readonly string[], between: string, { isPart }: Spot): string =>
  isPart && parts.length > 1 ? `(${parts.join(between)})` : parts.join(between);

function ownText(print: Printing, schema: SchemaObject, spot: Spot): string {
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (choices !== undefined)
    return toUnion(
      choices.map((choice) => JSON.stringify(choice)),
      spot,
    );
  return toUnion(
    guessTypes(schema).map((type) => textOfType(print, schema, { type, indent: spot.indent })),
    spot,
  );
}

/** A schema of members alone takes other values too; in a record it is one of an object. */
function guessTypes({ type, properties, required }: SchemaObject): readonly TypeName[] {
  if (type !== undefined) return [type].flat();
  return properties === undefined && required === undefined ? [] : ["object"];
}

function textOfType(print: Printing, schema: SchemaObject, at: { type: TypeName; indent: string }): string {
  if (at.type === "object") return objectText(print, schema, at.indent);
  if (at.type === "array") return arrayText(print, schema, { indent: at.indent, isPart: true });
  return at.type === "integer" ? "number" : at.type;
}

function arrayText(print: Printing, schema: SchemaObject, spot: Spot): string {
  const { prefixItems = [], items = true, minItems = 0 } = schema;
  const rest = typeText(print, items, spot);
  if (prefixItems.length === 0) return `${print.modifier}${rest.startsWith(READS) ? `(${rest})` : rest}[]`;
  const first = prefixItems.map((item, index) => `${typeText(print, item, spot)}${index < minItems ? "" : "?"}`);
  return `${print.modifier}[${[...first, ...(items === false ? [] : [`...${rest}[]`])].join(", ")}]`;
}

/** Names that the schema does not know have a type that allows those it does. */
function objectText(print: Printing, schema: SchemaObject, indent: string): string {
  const { properties = {}, required = [], patternProperties, additionalProperties = true } = schema;
  const inner = { indent: `${indent}  `, isPart: false };
  const start = `${inner.indent}${print.modifier}`;
  const names = [...new Set([...Object.keys(properties), ...required])];
  const members = names.map((name) => {
    const member = Object.hasOwn(properties, name) ? (properties[name] ?? true) : true;
    const type = typeText(print, member, inner);
    // An optional member may also be `undefined`: neither is written to JSON.
    const typed = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
    return `${comment(member, inner.indent)}${start}${keyText(name)}${typed};`;
  });
  const isOpen = additionalProperties !== false || patternProperties !== undefined;
  const isAlone = names.length === 0 && Object.keys(patternProperties ?? {}).every((name) => name === ANY_NAME);
  const others = isAlone ? typeText(print, patternProperties?.[ANY_NAME] ?? additionalProperties, inner) : "unknown";
  if (isOpen) members.push(`${start}[name: string]: ${others};`);
  return members.length === 0 ? "Record<string, never>" : `{\n${members.join("\n")}\n${indent}}`;
}

/** The pattern of a record whose names are all alike. */
const ANY_NAME = "^.*$";

const keyText = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function comment(schema: JsonSchema, indent: string): string {
  if (!isSchemaObject(schema)) return "";
  const said = [schema["title"], schema["description"]].filter((text) => typeof text === "string" && text !== "");
  const text = said.join(". ").trim().replaceAll(/\s+/g, " ").replaceAll("*/", "*\\/");
  return text === "" ? "" : `${indent}/** ${text} */\n`;
}
