/**
 * What a declaration says beside the schema, guessed from names, types and formats: which member is the key, when it
 * happened, and what lists show. A catalog says none of it, so each guess that may be wrong is told. Pure.
 */
import { CALLER_KEY } from "../declared/declaration.ts";
import { isChange, namesTheThing } from "../declared/key-hint.ts";
import { isSchemaObject, type JsonSchema, type SchemaObject, toPointer, type TypeName } from "../schema/keywords.ts";
import { type Place, readShape, type Shape } from "../schema/shape.ts";

export interface Decision {
  /** The member of the declaration, or a JSON pointer into the record. */
  readonly at: string;
  readonly what: string;
  readonly proposed: string;
}

export interface Proposal {
  /** The schema with the key in every record. */
  readonly demandKey: (schema: SchemaObject) => SchemaObject;
  readonly key: string | readonly string[];
  readonly occurredAt: string | null;
  readonly headline: readonly string[];
  readonly decisions: readonly Decision[];
}

interface Member {
  readonly path: readonly string[];
  /** As snake_case: of the member, and of what is above it. */
  readonly name: string;
  readonly above: string;
  /** Without null. */
  readonly types: readonly TypeName[];
  readonly format: unknown;
  /** It is in every record, and never null. */
  readonly isSure: boolean;
  readonly isConstant: boolean;
}

export function propose(type: string, schema: SchemaObject): Proposal {
  const members = listMembers(readShape(schema));
  const time = proposeTime(type, members);
  const [who, what] = proposeHeadline(members);
  const { key, demanded, decisions } = proposeKey({ type, members, time });
  const asked = demanded.filter(({ isSure }) => !isSure);
  return {
    demandKey: (given) => asked.reduce(demand, given),
    key,
    occurredAt: time === null ? null : toPointer(time.path),
    headline: [who, what].flatMap((each) => (each === undefined ? [] : [toPointer(each.path)])),
    decisions: [
      ...decisions,
      ...asked.map(({ path }) => ({
        at: toPointer(path),
        what: "may be missing or null, and is part of the key",
        proposed: "it is required",
      })),
      ...(who === undefined
        ? [{ at: "headline", what: "no name, title or number is in it", proposed: "lists show the title of the type" }]
        : []),
    ],
  };
}

/** Guess: what names an event stands near its beginning. */
const LEVELS_MAX = 3;
const MEMBERS_MAX = 500;

function listMembers(shape: Shape): readonly Member[] {
  const members: Member[] = [];
  let level: { readonly path: readonly string[]; readonly place: Place; readonly isSure: boolean }[] = [
    { path: [], place: shape.root, isSure: true },
  ];
  for (let depth = 0; depth < LEVELS_MAX; depth += 1) {
    const below: typeof level = [];
    for (const { path: above, place: within, isSure: isAboveSure } of level) {
      for (const name of shape.namesOf(within)) {
        const place = shape.findMember(within, name);
        if (place === null || members.length >= MEMBERS_MAX) continue;
        const [given, path] = [shape.typesOf(place), [...above, name]];
        const types = given.filter((each) => each !== "null");
        const isSure = isAboveSure && place.isRequired && types.length === given.length && !types.includes("number");
        const isConstant = shape.choicesOf(place)?.length === 1;
        members.push({
          path,
          name: toSnake(name),
          above: toSnake(above.at(-1) ?? ""),
          types,
          format: shape.annotation(place, "format"),
          isSure,
          isConstant,
        });
        if (types.join(",") === "object") below.push({ path, place, isSure });
      }
    }
    level = below;
  }
  return members;
}

export const toSnake = (name: string): string => name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();

/** The least first; `null` is none. Among equals the one that is in every record, then the first. */
function findLeast(members: readonly Member[], rank: (member: Member) => number | null): Member | undefined {
  const ranked = members.flatMap((member) => {
    const least = rank(member);
    return least === null ? [] : [{ member, least: least + (member.isSure ? 0 : 0.5) }];
  });
  return ranked.toSorted((one, other) => one.least - other.least)[0]?.member;
}

/* The key */

interface Candidates {
  readonly type: string;
  readonly members: readonly Member[];
  readonly time: Member | null;
}

const OF_EVENT = /^(?:event|message|delivery|notification|webhook)_?(?:id|uuid|guid|key)$/;
const ID = /^(?:id|uuid|guid)$/;
const HEAD = /^(?:event|context|meta|metadata|headers?|envelope)$/;
const PAYLOAD = /^(?:data|payload|object|resource|detail|subject|body|entity)$/;
const OTHER_ID = /(?:_id|_uuid|_sid|_key|_reference|_number|^reference|^number)$/;
/** Who it is about or who did it, which is the same in many events. */
const OF_PEOPLE = /user|sender|actor|account|merchant|company|org|team|tenant|customer|repository|app/;
/** From here on it is the id of something near the event. */
const WEAK = 30;

function rankKey(type: string, { name, above, path, types, isSure, isConstant }: Member): number | null {
  if (isConstant || !["string", "integer", "number"].includes(types.join(","))) return null;
  const depth = path.length;
  if (OF_EVENT.test(name)) return depth;
  if (ID.test(name) && depth === 1) return 5;
  if (ID.test(name) && HEAD.test(above)) return 5 + depth;
  if (ID.test(name) && PAYLOAD.test(above)) return 10 + depth;
  const isNamed = (text: string) => text.length > 2 && type.includes(text);
  if (ID.test(name) && isNamed(above)) return 15 + depth;
  if (OTHER_ID.test(name) && isNamed(name.replace(OTHER_ID, ""))) return 20 + depth;
  if (!isSure || !(ID.test(name) || OTHER_ID.test(name))) return null;
  return WEAK + depth + (OF_PEOPLE.test(`${above} ${name}`) ? 10 : 0);
}

function proposeKey({ type, members, time }: Candidates) {
  const id = findLeast(members, (member) => rankKey(type, member));
  if (id === undefined) {
    const proposed = `"${CALLER_KEY}": the header Idempotency-Key names the event`;
    return { key: CALLER_KEY, demanded: [], decisions: [{ at: "key", what: "no id is in it", proposed }] };
  }
  const pointer = toPointer(id.path);
  const isThing = namesTheThing(type, pointer);
  const isWeak = (rankKey(type, id) ?? 0) >= WEAK;
  if (!isThing && !isWeak) return { key: pointer, demanded: [id], decisions: [] };
  const what = isThing ? `${pointer} looks like the id of what changes` : `${pointer} may be the id of something else`;
  const key = time === null ? CALLER_KEY : [pointer, toPointer(time.path)];
  const demanded = time === null ? [] : [id, time];
  return { key, demanded, decisions: [{ at: "key", what, proposed: JSON.stringify(key) }] };
}

/** The schema with the member in every record, as a key is. */
function demand(schema: SchemaObject, { path, types }: Member): SchemaObject {
  const [name = "", ...more] = path;
  const { required = [], properties = {}, allOf = [] } = schema;
  const own = properties[name];
  const isPlain = more.length === 0 && isSchemaObject(own) && [own.type].flat().join(",") === types.join(",");
  if (isPlain && !types.includes("number")) return { ...schema, required: [...new Set([...required, name])] };
  const leaf: JsonSchema = { type: types.includes("number") ? "integer" : (types[0] ?? "string") };
  const part = path.reduceRight<SchemaObject>(
    (below, each) => ({ type: "object", required: [each], properties: { [each]: below } }),
    leaf,
  );
  return { ...schema, allOf: [...allOf, part] };
}

/* When it happened, and what lists show */

const TIMES = [
  /^(?:event_?)?(?:occurred|happened)|^event_?(?:time|date)/,
  /^(?:event_?|creation_?)?(?:timestamp|time|date|date_?time)$|^(?:published|sent|triggered)/,
];
const CHANGED = /^(?:updated|modified|changed|last_modified|edited)/;
const MADE = /^(?:created|creation)/;

function proposeTime(type: string, members: readonly Member[]): Member | null {
  const order = [...TIMES, ...(isChange(type) ? [CHANGED, MADE] : [MADE, CHANGED]), /./];
  const found = findLeast(members, ({ name, above, path, types, format }) => {
    if (format !== "date-time" || !types.includes("string")) return null;
    const isNear = path.length === 1 || HEAD.test(above) || PAYLOAD.test(above) || type.includes(above);
    const place = order.findIndex((each) => each.test(name));
    return isNear && (place < order.length - 1 || path.length === 1) ? 4 * place + path.length : null;
  });
  return found ?? null;
}

const HEADLINES = [
  /^(?:e_?mail|email_address)$/,
  /^(?:full_name|display_name|name|login|user_?name)$/,
  /^(?:title|subject|headline|label)$/,
  /_(?:email|name|title)$/,
  /^(?:number|reference)$|_(?:number|reference)$/,
  /^(?:status|state|reason|description|summary|message)$/,
];

function proposeHeadline(members: readonly Member[]): readonly Member[] {
  const texts = members.filter(
    ({ types, format, isConstant }) =>
      !isConstant && ["string", "integer"].includes(types.join(",")) && !NO_WORDS.has(String(format)),
  );
  const found = HEADLINES.flatMap((each, place) => {
    const best = findLeast(texts, ({ name, path }) => (each.test(name) ? 4 * place + path.length : null));
    return best === undefined ? [] : [best];
  });
  return found.slice(0, 2);
}

const NO_WORDS = new Set(["date-time", "date", "uuid", "uri"]);
