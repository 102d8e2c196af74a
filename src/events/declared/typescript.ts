/**
 * Declared types as TypeScript, for back ends and receivers: of each its record and its body. What types cannot say
 * (patterns, bounds, conditions) is left out, so that every right record fits. Pure.
 */
import type { TypeName } from "../schema-node.ts";
import type { Declaration } from "./declaration.ts";
import { type JsonSchema, type SchemaObject, isSchemaObject } from "./keywords.ts";
import { type References, readReferences } from "./references.ts";

const HEADER =
  "/** Event types as they are declared. Written by `bellwire events types`: change their files instead. */";

const UNION =
  "/** Every body of a webhook; `event` says which it is. */\n" +
  "export type WebhookEvent = EventBodies[keyof EventBodies];\n";

export function printTypes(declarations: readonly Declaration[]): string {
  const used = new Set(["EventRecords", "EventBodies", "WebhookEvent"]);
  const named = declarations.map((declaration) => ({ declaration, name: takeName(used, toName(declaration.type)) }));
  const texts = named.map(({ declaration, name }) => printType(declaration, name, used));
  const map = (title: string, suffix: string, about: string): string => {
    const members = named.map(({ declaration, name }) => `  ${JSON.stringify(declaration.type)}: ${name}${suffix};`);
    return `/** ${about} */\nexport interface ${title} {\n${members.join("\n")}\n}\n`;
  };
  return [
    HEADER,
    ...texts,
    map("EventRecords", "Record", "Records by the type that they are sent as."),
    map("EventBodies", "Body", "Bodies of webhooks by their `event`."),
    UNION,
  ].join("\n");
}

function printType({ type, title, description, schema }: Declaration, name: string, used: Set<string>): string {
  const record = `${name}Record`;
  const print: Printing = { references: readReferences(schema), names: new Map([[schema, record]]), queue: [], used };
  const about = `${comment(`${title}. ${description}`, "")}export type ${record} = ${typeText(print, schema)};\n`;
  const parts: string[] = [];
  for (let next = print.queue.shift(); next !== undefined; next = print.queue.shift()) {
    parts.push(`export type ${print.names.get(next)} = ${typeText(print, next)};\n`);
  }
  const event = `{ readonly event: ${JSON.stringify(type)} }`;
  return [about, `export type ${name}Body = ${record} & ${event};\n`, ...parts].join("\n");
}

interface Printing {
  readonly references: References;
  /** Schemas that are printed under a name, because something refers to them. */
  readonly names: Map<JsonSchema, string>;
  /** Those of them that are to be printed. */
  readonly queue: JsonSchema[];
  readonly used: Set<string>;
}

/** `lead.identified` → `LeadIdentified` */
const toName = (text: string): string => {
  const name = text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
  return /^[A-Za-z]/.test(name) ? name : `Type${name}`;
};

/** The name, with a number behind it where another one has it. */
function takeName(used: Set<string>, name: string): string {
  let free = name;
  for (let count = 2; used.has(free); count += 1) free = `${name}${count}`;
  used.add(free);
  return free;
}

function nameOf(print: Printing, from: SchemaObject, reference: string): string {
  const target = print.references.resolve(from, reference);
  if (!isSchemaObject(target)) return target === false ? "never" : "unknown";
  const known = print.names.get(target);
  if (known !== undefined) return known;
  const name = takeName(
    print.used,
    toName(`${[...print.names.values()][0]?.replace(/Record$/, "")} ${reference.replace(/.*[/#]/, "")}`),
  );
  print.names.set(target, name);
  print.queue.push(target);
  return name;
}

function typeText(print: Printing, schema: JsonSchema, indent = ""): string {
  if (!isSchemaObject(schema)) return schema ? "unknown" : "never";
  const { $ref, $dynamicRef, allOf = [], anyOf = [], oneOf = [] } = schema;
  const references = [$ref, $dynamicRef].flatMap((each) => (each === undefined ? [] : [nameOf(print, schema, each)]));
  const unions = [anyOf, oneOf].map((list) => toUnion(list.map((part) => typeText(print, part, indent))));
  const all = [
    ownText(print, schema, indent),
    ...references,
    ...allOf.map((part) => typeText(print, part, indent)),
    ...unions,
  ];
  const said = all.filter((text) => text !== "unknown" && text !== "");
  if (said.length === 0) return "unknown";
  return said.length === 1 ? said.join("") : said.map(inBrackets).join(" & ");
}

const toUnion = (texts: readonly string[]): string =>
  texts.includes("unknown") ? "unknown" : [...new Set(texts)].join(" | ");

const inBrackets = (text: string): string => (/ [|&] /.test(text) ? `(${text})` : text);

function ownText(print: Printing, schema: SchemaObject, indent: string): string {
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (choices !== undefined) return toUnion(choices.map((choice) => JSON.stringify(choice)));
  const types = schema.type === undefined ? guessTypes(schema) : [schema.type].flat();
  return toUnion(types.map((type) => textOfType(print, schema, { type, indent })));
}

/** A schema of members alone takes other values too; in a record it is one of an object. */
const guessTypes = ({ properties, required }: SchemaObject): readonly TypeName[] =>
  properties === undefined && required === undefined ? [] : ["object"];

function textOfType(print: Printing, schema: SchemaObject, at: { type: TypeName; indent: string }): string {
  if (at.type === "object") return objectText(print, schema, at.indent);
  if (at.type === "array") return arrayText(print, schema, at.indent);
  return at.type === "integer" ? "number" : at.type;
}

function arrayText(
  print: Printing,
  { prefixItems = [], items = true, minItems = 0 }: SchemaObject,
  indent: string,
): string {
  const rest = inBrackets(typeText(print, items, indent));
  if (prefixItems.length === 0) return `readonly ${rest.startsWith("readonly ") ? `(${rest})` : rest}[]`;
  const first = prefixItems.map(
    (item, index) => `${inBrackets(typeText(print, item, indent))}${index < minItems ? "" : "?"}`,
  );
  return `readonly [${[...first, ...(items === false ? [] : [`...${rest}[]`])].join(", ")}]`;
}

/** Names that the schema does not know have a type that allows those it does. */
function objectText(print: Printing, schema: SchemaObject, indent: string): string {
  const { properties = {}, required = [], patternProperties, additionalProperties = true } = schema;
  const inner = `${indent}  `;
  const names = [...new Set([...Object.keys(properties), ...required])];
  const members = names.map((name) => {
    const member = Object.hasOwn(properties, name) ? (properties[name] ?? true) : true;
    const about = isSchemaObject(member) && typeof member["description"] === "string" ? member["description"] : "";
    const type = typeText(print, member, inner);
    const typed = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
    return `${comment(about, inner)}${inner}readonly ${keyText(name)}${typed};`;
  });
  const isOpen = additionalProperties !== false || patternProperties !== undefined;
  const isAlone = names.length === 0 && patternProperties === undefined;
  const others = isAlone ? typeText(print, additionalProperties, inner) : "unknown";
  if (isOpen) members.push(`${inner}readonly [name: string]: ${others};`);
  return members.length === 0 ? "Readonly<Record<string, never>>" : `{\n${members.join("\n")}\n${indent}}`;
}

const keyText = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const comment = (text: string, indent: string): string =>
  text.trim() === "" ? "" : `${indent}/** ${text.trim().replaceAll(/\s+/g, " ").replaceAll("*/", "*\\/")} */\n`;
