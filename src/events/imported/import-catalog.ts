/**
 * Makes declarations of the events of catalogs: found, each with a schema that stands alone, with a proposal for what a
 * catalog does not say, and checked as the start checks files. Pure but for the files that are read.
 */
import { basename, dirname } from "node:path";
import { BUILT_IN_TYPES } from "../event-types.ts";
import { checkDeclaration } from "../declared/check-declaration.ts";
import { type Fault, findSchemaFaults } from "../declared/check-schema.ts";
import { type Declaration, DECLARATION_LIMITS as LIMITS } from "../declared/declaration.ts";
import { createRecordCheck } from "../declared/record-check.ts";
import { asMembers } from "../summary.ts";
import { isSchemaObject, parsePointer, type SchemaObject, valueAt } from "../schema/keywords.ts";
import { readShape } from "../schema/shape.ts";
import { type Documents, keyOf, openDocuments, placeOf } from "./documents.ts";
import { findEvents, type Found, toText } from "./find-events.ts";
import { follow, foldSchema, type Folded } from "./fold-schema.ts";
import { makeExamples } from "./make-example.ts";
import { type Decision, propose, toSnake } from "./propose.ts";

/** Guess, above every catalog; an installation has at most 200. */
const EVENTS_MAX = 1_000;

export interface ImportedType {
  readonly type: string;
  /** Where the catalog has it. */
  readonly place: string;
  /** The text of its file; `null`: none could be made. */
  readonly text: string | null;
  readonly decisions: readonly Decision[];
  /** What is to be mended before it runs. */
  readonly faults: readonly Fault[];
}

export interface Imported {
  readonly types: readonly ImportedType[];
  /** Of files that could not be read. Each message is the end of a sentence about the file. */
  readonly unread: readonly { readonly file: string; readonly message: string }[];
  /** Schemas that others refer to, which are no events of their own. */
  readonly parts: number;
}

export function importCatalogs(files: readonly string[]): Imported {
  const documents = openDocuments();
  const unread: { file: string; message: string }[] = [];
  // Each is open before the first reference is followed, so that it is found by its `$id`.
  const roots = files.map((file) => ({ file, root: documents.open(file) }));
  const found = roots.flatMap(({ file, root }) => {
    const events = root.ok ? findEvents(documents, root.value) : root;
    if (!events.ok) unread.push({ file, message: events.error });
    return events.ok ? events.value : [];
  });
  if (found.length > EVENTS_MAX) {
    return {
      types: [],
      unread: [{ file: files.join(" "), message: `have ${found.length} events, and at most ${EVENTS_MAX} are read` }],
      parts: 0,
    };
  }
  const uses = new Set(found.flatMap((each) => listUses(documents, each)));
  const whole = nameApart(found.filter((each) => !each.isOneOfMany || !uses.has(keyOf(each.spot))));
  const used = new Set(BUILT_IN_TYPES.all.map(({ type }) => type));
  const types = (whole.length > 0 ? whole : found).map((each) =>
    importEvent(each, foldSchema(documents, each.spot), used),
  );
  return { types, unread, parts: found.length - types.length };
}

/** Files of one name in several folders are called by both. */
function nameApart(found: readonly Found[]): readonly Found[] {
  const byName = Map.groupBy(found, ({ name }) => toTypeName(name));
  const folderOf = ({ spot }: Found) => basename(dirname(spot.document.path));
  return found.map((each) => {
    const same = byName.get(toTypeName(each.name)) ?? [];
    const isApart = each.spot.path.length === 0 && new Set(same.map(folderOf)).size > 1;
    return isApart ? { ...each, name: `${folderOf(each)}.${each.name}` } : each;
  });
}

/** What others than itself it refers to. */
function listUses(documents: Documents, { spot, isOneOfMany }: Found): readonly string[] {
  const own = new Set([keyOf(spot), keyOf(follow(documents, spot))]);
  return isOneOfMany ? [...foldSchema(documents, spot).uses].filter((key) => !own.has(key)) : [];
}

interface Draft {
  readonly type: string;
  readonly schema: SchemaObject;
  readonly examples: readonly unknown[];
  readonly decisions: readonly Decision[];
}

function importEvent(found: Found, folded: Folded, used: Set<string>): ImportedType {
  const place = placeOf(found.spot);
  const { title, description, examples, ...schema } = folded.schema;
  const fault = found.fault ?? (isSchemaObject(found.spot.value) ? undefined : "has no schema");
  const [wanted, faults] = [
    toTypeName(found.name),
    fault === undefined ? folded.faults : [{ pointer: "", message: fault }],
  ];
  if (faults.length > 0) return { type: wanted, place, text: null, decisions: [], faults };
  const isObject = [schema.type ?? "object"].flat().includes("object");
  const given: Draft = {
    type: wanted,
    schema: isObject ? { ...schema, type: "object" } : schema,
    examples: [...found.examples, ...(Array.isArray(examples) ? examples : [])].filter(isSchemaObject),
    decisions: listForeign(folded),
  };
  const draft = takeName(takeRecord(given), used);
  const { type } = draft;
  const clean = withoutFaults(draft.schema);
  const { demandKey, key, occurredAt, headline, decisions } = propose(type, clean);
  const checked = { type, key, schema: demandKey(clean) } as Declaration;
  const example = findExample(checked, draft.examples);
  const words = found.description || toText(description);
  const value = {
    type,
    title: shorten(found.title || toText(title) || toTitle(type), LIMITS.titleCharsMax),
    ...(words === "" ? {} : { description: shorten(words, LIMITS.descriptionCharsMax) }),
    key,
    ...(occurredAt === null ? {} : { occurred_at: occurredAt }),
    ...(headline.length === 0 ? {} : { headline, search: headline }),
    schema: demandKey(draft.schema),
    example: example.value,
  };
  return { type, place, decisions: [...draft.decisions, ...decisions, ...example.decisions], ...toFile(value) };
}

function listForeign({ foreign }: Folded): readonly Decision[] {
  const names = [...foreign].slice(0, 20).join(", ");
  const proposed = "kept with x- in front, and checks nothing";
  return foreign.size === 0 ? [] : [{ at: "schema", what: `${names}: no keyword of JSON Schema`, proposed }];
}

/** Text of a file as the folder has it, and the words of its check. */
function toFile(value: object): Pick<ImportedType, "text" | "faults"> {
  const [pretty, compact] = [2, 0].map((indent) => `${JSON.stringify(value, null, indent)}\n`);
  const text = [pretty, compact].find((each = "") => Buffer.byteLength(each) <= LIMITS.fileBytesMax);
  if (text === undefined) {
    const size = `${Buffer.byteLength(compact ?? "")} bytes with all that it refers to`;
    const message = `has ${size}, and at most ${LIMITS.fileBytesMax} may be: leave out what receivers do not need`;
    return { text: null, faults: [{ pointer: "/schema", message }] };
  }
  const checked = checkDeclaration(JSON.parse(text), text);
  return { text, faults: checked.ok ? [] : checked.error };
}

/* What of it is the record */

/** Names of what Bellwire's own member `event` says, and of versions. */
const NAMES_EVENT = /^(?:event|event_(?:type|name)|type|topic|name|(?:api_|spec_?|schema_|event_)?version)$/;
const PAYLOAD = new Set(["data", "payload", "detail", "body", "object", "resource"]);

/** Takes the payload out of an envelope that says nothing but the event's name: that is `event`, and Bellwire's. */
function takeRecord(draft: Draft): Draft {
  const { schema } = draft;
  if (findSchemaFaults(schema, []).length > 0) return draft;
  const shape = readShape(schema);
  const names = shape.namesOf(shape.root);
  const [name = "", ...more] = names.filter((each) => !NAMES_EVENT.test(toSnake(each)));
  const payload = shape.findMember(shape.root, name);
  const [part, ...others] = payload?.definite ?? [];
  const isWhole =
    more.length > 0 || others.length > 0 || names.length < 2 || !PAYLOAD.has(name) || !isSchemaObject(part);
  if (
    isWhole ||
    payload === null ||
    shape.typesOf(payload).join(",") !== "object" ||
    JSON.stringify(schema).includes('"$ref":"#"')
  ) {
    return takeEvent(draft);
  }
  const beside = names.filter((each) => each !== name).join(", ");
  return takeEvent(takeOut(draft, name, `is all that is in it but ${beside}, which name the event as Bellwire does`));
}

/** What stands in a member is the record. */
function takeOut(draft: Draft, name: string, why: string): Draft {
  const { schema, examples, decisions } = draft;
  const [part] = readShape(schema).findMember(readShape(schema).root, name)?.definite ?? [];
  if (!isSchemaObject(part) || JSON.stringify(schema).includes('"$ref":"#"')) return draft;
  return {
    ...draft,
    schema: { ...part, type: "object", ...(schema.$defs === undefined ? {} : { $defs: schema.$defs }) },
    examples: examples.map((each) => asMembers(each)[name]).filter(isSchemaObject),
    decisions: [...decisions, { at: "schema", what: `${name} ${why}`, proposed: `a record is what stands in ${name}` }],
  };
}

/** The member `event` is the type's name: where the catalog's is another name, the type has that or the member goes. */
function takeEvent(draft: Draft): Draft {
  const { type, schema, examples } = draft;
  const shape = readShape(schema);
  const member = shape.findMember(shape.root, "event");
  const choices = member === null ? null : shape.choicesOf(member);
  if (member !== null && shape.typesOf(member).join(",") === "object")
    return takeOut(draft, "event", "is the member in which Bellwire writes the name of the type");
  if (choices === null || choices.includes(type) || !choices.every((each) => typeof each === "string")) return draft;
  const [only, ...more] = choices;
  if (only !== undefined && more.length === 0 && toTypeName(only) === only) return { ...draft, type: only };
  const { event: _event, ...properties } = schema.properties ?? {};
  const required = (schema.required ?? []).filter((each) => each !== "event");
  const decision = {
    at: "/event",
    what: `is ${choices.slice(0, 5).join(", ")}, and names of types are of a-z`,
    proposed: `left out: Bellwire writes "event": "${type}"`,
  };
  return {
    type,
    schema: { ...schema, properties, required },
    examples: examples.map((each) =>
      Object.fromEntries(Object.entries(asMembers(each)).filter(([name]) => name !== "event")),
    ),
    decisions: [...draft.decisions, decision],
  };
}

function takeName(draft: Draft, used: Set<string>): Draft {
  const { type } = draft;
  let free = type;
  const short = cutName(type, LIMITS.typeCharsMax - 5);
  for (let count = 2; used.has(free); count += 1) free = `${short}_${count}`;
  used.add(free);
  if (free === type) return draft;
  return {
    ...draft,
    type: free,
    decisions: [...draft.decisions, { at: "type", what: `there is another ${type}`, proposed: free }],
  };
}

/** As the catalog writes it, in the letters that types have. */
function toTypeName(name: string): string {
  const words = toSnake(name)
    .replaceAll(/[/:$#]+/g, ".")
    .replaceAll(/[^a-z\d_.-]+/g, "_");
  const plain = words.replaceAll(/([_.-])[_.-]+/g, "$1").replace(/^[^a-z]+/, "");
  return cutName(plain, LIMITS.typeCharsMax) || "event";
}

/** It ends with a word. */
const cutName = (name: string, charsMax: number): string => name.slice(0, charsMax).replace(/[_.-]+$/, "");

const toTitle = (type: string): string => {
  const words = type.replaceAll(/[_.-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const shorten = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).toWellFormed()}…`;

/* Schemas with faults, and examples */

/** Guess. Each round finds 50 faults. */
const ROUNDS_MAX = 20;

/** A copy in which proposals can be looked for: what the check refuses is not in it. */
function withoutFaults(schema: SchemaObject): SchemaObject {
  const clean = structuredClone(schema);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const faults = findSchemaFaults(clean, []);
    if (faults.length === 0) return clean;
    for (const { pointer } of faults) {
      const path = parsePointer(pointer) ?? [];
      const above = valueAt(clean, path.slice(0, -1));
      if (Array.isArray(above)) above[Number(path.at(-1))] = true;
      else if (path.length > 0 && isSchemaObject(above)) Reflect.deleteProperty(above, path.at(-1) ?? "");
    }
  }
  return { type: "object" };
}

/** The catalog's own if it fits, or one that is made. */
function findExample(
  declaration: Declaration,
  own: readonly unknown[],
): { readonly value: unknown; readonly decisions: readonly Decision[] } {
  const records = createRecordCheck(declaration, { isOnce: true });
  const isTaken = (value: unknown) => records.read(JSON.stringify(value), 1, "example").ok;
  const fit = own.find(isTaken);
  if (fit !== undefined) return { value: fit, decisions: [] };
  const made = [...makeExamples(declaration.schema)];
  const value = made.find(isTaken) ?? made[0];
  if (own.length === 0) return { value, decisions: [] };
  const refused = records.read(JSON.stringify(own[0]), 1, "example");
  const [error] = refused.ok ? [] : (refused.error.errors ?? []);
  return {
    value,
    decisions: [
      {
        at: "example",
        what: `the catalog's is refused: ${error?.path ?? ""} ${error?.message ?? ""}`,
        proposed: "one made of the schema",
      },
    ],
  };
}
