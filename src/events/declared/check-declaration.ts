/**
 * Checks the file of a declared type, and names everything in it that cannot be: each fault with its JSON pointer and
 * what would be right. Pure.
 */
import { PLANS, type Plan } from "../../domain/account.ts";
import { TYPE_NAME } from "../../domain/event.ts";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { parseExactJson } from "../exact-json.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { type Fault, findSchemaFaults } from "./check-schema.ts";
import { toBody, toBodySchema } from "./body.ts";
import { FIELD_ERRORS_MAX } from "../explain.ts";
import { CALLER_KEY, CALLER_KEY_MEMBER, type Declaration, DECLARATION_LIMITS as LIMITS } from "./declaration.ts";
import { type SchemaObject, isSchemaObject, parsePointer, toPointer } from "../schema/keywords.ts";
import { isTooDeep } from "../json-levels.ts";
import { createRecordCheck } from "./record-check.ts";
import { type Place, readShape, type Shape } from "../schema/shape.ts";

const REQUIRED = ["type", "title", "schema", "key", "example"] as const;
const MEMBERS = [...REQUIRED, "description", "occurred_at", "headline", "search", "plan", "enforce_formats"];

/** Guess, above every schema that a check of its own takes. What walks a file is thus never stopped by the stack. */
const LEVELS_MAX = 256;

/** `text` is JSON, read by `parseJson` as `value`. */
export function checkDeclaration(value: unknown, text: string): Result<Declaration, readonly Fault[]> {
  if (!isSchemaObject(value)) return refuse([{ pointer: "", message: "must be an object with type, schema, key …" }]);
  if (isTooDeep(text, LEVELS_MAX)) {
    return refuse([{ pointer: "", message: `has more than ${LEVELS_MAX} levels of objects and lists` }]);
  }
  const { schema } = value;
  const inSchema = schema === undefined ? [] : findSchemaFaults(schema, ["schema"]);
  // Pointers into a schema that is none say nothing.
  const inPointers =
    schema === undefined || inSchema.length > 0 ? [] : findPointerFaults(value, schema as SchemaObject);
  const faults = [...findMemberFaults(value), ...inSchema, ...inPointers];
  if (faults.length > 0) return refuse(faults);
  const declaration = toDeclaration(value, text);
  const inExample = findExampleFaults(declaration);
  return inExample.length > 0 ? refuse(inExample) : ok(declaration);
}

function toDeclaration(value: SchemaObject, text: string): Declaration {
  const exact = parseExactJson(text) as SchemaObject;
  return {
    type: value["type"] as string,
    title: value["title"] as string,
    description: (value["description"] ?? "") as string,
    schema: value["schema"] as SchemaObject,
    key: value["key"] as Declaration["key"],
    occurredAt: (value["occurred_at"] ?? null) as string | null,
    headline: (value["headline"] ?? []) as string[],
    search: (value["search"] ?? []) as string[],
    plan: (value["plan"] ?? null) as Plan | null,
    ...(value["enforce_formats"] === true ? { enforceFormats: true } : {}),
    exampleText: JSON.stringify(exact["example"]),
  };
}

function findMemberFaults(value: SchemaObject): Fault[] {
  const missing = REQUIRED.filter((name) => !Object.hasOwn(value, name));
  const wrong = Object.entries(value).flatMap(([name, given]) => {
    const rule = RULES.get(name);
    const message = rule === undefined ? unknownMember(name, value) : rule(given);
    return message === null ? [] : [{ pointer: toPointer([name]), message }];
  });
  return [...missing.map((name) => ({ pointer: toPointer([name]), message: `is missing: ${NEEDS[name]}` })), ...wrong];
}

const NEEDS: Readonly<Record<(typeof REQUIRED)[number], string>> = {
  type: 'the name of the type, such as "lead_identified"',
  title: 'its name on pages, such as "Lead identified"',
  schema: "JSON Schema 2020-12 of the record, an object",
  key: 'a pointer to the id of the record, such as "/id"',
  example: "a record that the schema accepts",
};

function unknownMember(name: string, given: object): string {
  const absent = MEMBERS.filter((member) => !Object.hasOwn(given, member));
  const near = nearestName(name, absent);
  return `is not a known member; ${near === undefined ? `known are ${MEMBERS.join(", ")}` : `did you mean ${near}?`}`;
}

const RULES: ReadonlyMap<string, (value: unknown) => string | null> = new Map(
  Object.entries({
    type: (value: unknown) =>
      typeof value === "string" && TYPE_NAME.test(value)
        ? null
        : `must be a name of at most ${LIMITS.typeCharsMax} characters: words of a-z and 0-9 with _ . or - between ` +
          'them, a letter first, such as "lead_identified"',
    title: (value) => textFault(value, LIMITS.titleCharsMax) ?? (value === "" ? "must not be empty" : null),
    description: (value) => textFault(value, LIMITS.descriptionCharsMax),
    schema: () => null,
    key: (value) => {
      if (!Array.isArray(value)) return value === CALLER_KEY ? null : pointerFault(value);
      const isList = value.length > 0 && new Set(value).size === value.length;
      return isList ? pointersFault(value, LIMITS.keyPointersMax) : "must be a list of JSON pointers, each once";
    },
    occurred_at: (value) => (value === null ? null : pointerFault(value)),
    headline: (value) => pointersFault(value, LIMITS.headlineMax),
    search: (value) => pointersFault(value, LIMITS.searchMax),
    plan: (value) =>
      value === null || PLANS.includes(value as Plan) ? null : `must be one of ${PLANS.join(", ")}, or be left out`,
    enforce_formats: (value) => (typeof value === "boolean" ? null : "must be true, or be left out"),
    example: (value) => (isSchemaObject(value) ? null : "must be an object: a record that the schema accepts"),
  }),
);

function textFault(value: unknown, charsMax: number): string | null {
  if (typeof value !== "string") return "must be a string";
  return value.length > charsMax ? `must have at most ${charsMax} characters, not ${value.length}` : null;
}

function pointerFault(value: unknown): string | null {
  const right = 'must be a JSON pointer to a member of the record, such as "/lead/email"';
  if (typeof value !== "string") return right;
  if (value.length > LIMITS.pointerCharsMax) return `must have at most ${LIMITS.pointerCharsMax} characters`;
  const path = parsePointer(value);
  if (path !== null) return path.length === 0 ? right : null;
  return `${right}${/^[\w$]/.test(value) ? `; write "/${value.replaceAll(".", "/")}"` : ""}`;
}

function pointersFault(value: unknown, max: number): string | null {
  if (!Array.isArray(value)) return "must be a list of JSON pointers";
  if (value.length > max) return `must have at most ${max} pointers, not ${value.length}`;
  const wrong = value.findIndex((pointer) => pointerFault(pointer) !== null);
  return wrong === -1 ? null : `has a wrong entry, number ${wrong + 1}: it ${pointerFault(value[wrong])}`;
}

/* Faults of a file whose parts are right each for itself. */

function findPointerFaults({ key, occurred_at: time, headline, search }: SchemaObject, schema: SchemaObject): Fault[] {
  const shape = readShape(schema);
  if (shape.typesOf(shape.root).join(",") !== "object") {
    return [{ pointer: "/schema", message: 'must be the schema of an object: it needs "type": "object"' }];
  }
  const check = (pointer: unknown, at: string, judge: Judge): Fault[] => {
    if (typeof pointer !== "string" || pointerFault(pointer) !== null) return [];
    const message = findTargetFault(shape, pointer, judge);
    return message === null ? [] : [{ pointer: at, message }];
  };
  const isNamedTwice = key === CALLER_KEY && shape.namesOf(shape.root).includes(CALLER_KEY_MEMBER);
  const own = `is "caller", and the schema has ${CALLER_KEY_MEMBER} itself: write "/${CALLER_KEY_MEMBER}"`;
  return [
    ...(isNamedTwice ? [{ pointer: "/key", message: own }] : []),
    ...(Array.isArray(key) ? key : []).flatMap((pointer, index) => check(pointer, `/key/${index}`, judgeKey)),
    ...check(key, "/key", judgeKey),
    ...check(time, "/occurred_at", judgeTime),
    ...(Array.isArray(headline) ? headline : []).flatMap((pointer, index) =>
      check(pointer, `/headline/${index}`, judgeHeadline),
    ),
    ...(Array.isArray(search) ? search : []).flatMap((pointer, index) =>
      check(pointer, `/search/${index}`, () => null),
    ),
  ];
}

/** Of a member that the record has, with the places above it, from the root. `null`: it is right. */
type Judge = (shape: Shape, member: Place, above: readonly Place[]) => string | null;

function findTargetFault(shape: Shape, pointer: string, judge: Judge): string | null {
  const above: Place[] = [];
  let member = shape.root;
  for (const name of parsePointer(pointer) ?? []) {
    const below = shape.findMember(member, name);
    if (below === null) return `leads to ${pointer}: ${unknownName(name, shape.namesOf(member))}`;
    above.push(member);
    member = below;
  }
  return judge(shape, member, above);
}

/** Guess: more names help nobody. */
const NAMES_SHOWN_MAX = 20;

function unknownName(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  const hint =
    near === undefined ? `has ${known.slice(0, NAMES_SHOWN_MAX).join(", ") || "none"}` : `did you mean ${near}?`;
  return `the schema has no ${name} there; ${near === undefined ? `it ${hint}` : hint}`;
}

const judgeKey: Judge = (shape, member, above) => {
  const types = shape.typesOf(member);
  if (types.join(",") !== "string" && types.join(",") !== "integer") {
    return `leads to a value of type ${types.join(" or ")}; a key is a string or an integer, and never null`;
  }
  const isAlways = [member, ...above].every(({ isRequired }) => isRequired);
  const isWithin = above.every((place) => shape.typesOf(place).join(",") === "object");
  return isAlways && isWithin ? null : "leads to a value that may be missing; list its name in required";
};

const judgeTime: Judge = (shape, member) => {
  const isTime = shape.annotation(member, "format") === "date-time" && shape.typesOf(member).includes("string");
  return isTime ? null : 'leads to a value that is no time; its schema is a string of "format": "date-time"';
};

const judgeHeadline: Judge = (shape, member) => {
  const isText = shape.typesOf(member).some((type) => !["object", "array", "null"].includes(type));
  return isText ? null : "leads to an object or a list; a headline is a string or a number";
};

/** The example is a record like any other, and its body is one that receivers are promised. */
function findExampleFaults(declaration: Declaration): Fault[] {
  const records = createRecordCheck(declaration, { isOnce: true });
  const read = records.read(declaration.exampleText, FIELD_ERRORS_MAX, "example");
  if (!read.ok) {
    const errors = read.error.errors ?? [{ path: "", message: read.error.detail }];
    return errors.map(({ path, message }) => ({ pointer: "/example", message: `${path || "the record"} ${message}` }));
  }
  const bodies = createRecordCheck({ ...declaration, schema: toBodySchema(declaration) }, { isOnce: true });
  const body = bodies.read(toBody(declaration.type, read.value), 1, "example");
  if (body.ok) return [];
  const why = `the body of the example has "event" beside the record's members, and is refused: ${body.error.detail}`;
  return [{ pointer: "/schema", message: `takes no "event": ${why}` }];
}
