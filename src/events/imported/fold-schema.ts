/**
 * Makes one schema of a place in a catalog that stands alone and is JSON Schema 2020-12: what its references lead to
 * comes into `$defs`, and what earlier drafts and OpenAPI said is said in today's words. Pure but for the files that
 * `Documents` reads.
 */
import { takeName } from "../schema/typescript.ts";
import { isSchemaObject, KEYWORDS, type SchemaObject } from "../schema/keywords.ts";
import type { Fault } from "../declared/check-schema.ts";
import { type Documents, keyOf, listSpots, placeOf, type Spot, stepInto } from "./documents.ts";

/** Guess: a type's file has at most 256 KiB, so so many schemas do not fit into it. */
const PARTS_MAX = 20_000;
const CHAIN_MAX = 100;

export interface Folded {
  readonly schema: SchemaObject;
  /** What is wrong with its references; a place in the catalog stands for the pointer. */
  readonly faults: readonly Fault[];
  /** The keys of the places that it refers to. */
  readonly uses: ReadonlySet<string>;
  /** Keywords of others, which are kept with `x-` in front. */
  readonly foreign: ReadonlySet<string>;
}

export function foldSchema(documents: Documents, start: Spot): Folded {
  const faults: Fault[] = [];
  const uses = new Set<string>();
  const foreign = new Set<string>();
  const root = follow(documents, start, uses);
  const names = new Map([[keyOf(root), "#"]]);
  const [used, waiting, defs] = [new Set<string>(), [] as (readonly [string, Spot])[], new Map<string, unknown>()];
  let parts = 0;
  const refer = (from: Spot, reference: string): string => {
    const found = documents.resolve(from, reference);
    if (!found.ok) {
      faults.push({ pointer: placeOf(from), message: `has the reference ${reference}, which ${found.error}` });
      return reference;
    }
    const target = follow(documents, found.value, uses);
    uses.add(keyOf(target));
    const known = names.get(keyOf(target));
    if (known !== undefined) return known;
    // Of thousands with one name each is found at once.
    const name = takeName(used, used.has(nameOf(target)) ? `${nameOf(target)}_${names.size}` : nameOf(target));
    names.set(keyOf(target), `#/$defs/${name}`);
    waiting.push([name, target]);
    return `#/$defs/${name}`;
  };
  const copy = (spot: Spot): unknown => {
    if (!isSchemaObject(spot.value) || ++parts > PARTS_MAX) return spot.value;
    const reference = ["$ref", "$dynamicRef", "$recursiveRef"].find(
      (name) => typeof stepInto(spot, name).value === "string",
    );
    const isAlone = reference !== undefined && spot.document.isOld;
    const members = listSpots(spot).flatMap(([keyword, below]): (readonly [string, unknown])[] => {
      if (OF_PLACES.has(keyword) || (isAlone && !ANNOTATIONS.has(keyword))) return [];
      if (isForeign(keyword)) foreign.add(keyword);
      return [[isForeign(keyword) ? `x-${keyword}` : keyword, copyParts(keyword, below)]];
    });
    const lead = reference === undefined ? {} : { $ref: refer(spot, String(stepInto(spot, reference).value)) };
    return inNewWords({ ...Object.fromEntries(members), ...lead });
  };
  const copyParts = (keyword: string, spot: Spot): unknown => {
    const kind =
      keyword === "items" && Array.isArray(spot.value)
        ? "list of schemas"
        : (OLD_KINDS[keyword] ?? KEYWORDS.get(keyword));
    if (kind === "schema") return copy(spot);
    if (kind === "list of schemas")
      return Array.isArray(spot.value) ? listSpots(spot).map(([, each]) => copy(each)) : spot.value;
    if (kind !== "schemas by name" && kind !== "schemas by pattern") return spot.value;
    return isSchemaObject(spot.value)
      ? Object.fromEntries(listSpots(spot).map(([name, each]) => [name, copy(each)]))
      : spot.value;
  };
  const whole = copy(root);
  for (const [name, target] of waiting) {
    if (parts <= PARTS_MAX) defs.set(name, copy(target));
  }
  if (parts > PARTS_MAX) faults.push({ pointer: placeOf(start), message: `needs more than ${PARTS_MAX} schemas` });
  const schema = isSchemaObject(whole)
    ? { ...whole, ...(waiting.length > 0 ? { $defs: Object.fromEntries(defs) as never } : {}) }
    : {};
  return { schema, faults, uses, foreign };
}

/** Past references that stand alone. */
export function follow(documents: Documents, start: Spot, uses = new Set<string>()): Spot {
  let at = start;
  for (let step = 0; step < CHAIN_MAX; step += 1) {
    const { value, document } = at;
    if (!isSchemaObject(value) || typeof value.$ref !== "string") return at;
    const isAlone = Object.keys(value).every((name) => name === "$ref" || ANNOTATIONS.has(name) || !KEYWORDS.has(name));
    const target: ReturnType<Documents["resolve"]> | null =
      isAlone || document.isOld ? documents.resolve(at, value.$ref) : null;
    if (target?.ok !== true) return at;
    at = target.value;
    uses.add(keyOf(at));
  }
  return at;
}

/** The last word of its place that says something; of a whole file its name. */
const nameOf = ({ document, path }: Spot): string =>
  (path.at(-1) ?? document.path.replace(/^.*[\\/]|(?:\.schema)?\.json$/g, "")).replaceAll(/[^\w.-]+/g, "_");

/** Keywords that say where something is, what is folded, and what is for another tool alone. */
const OF_PLACES = new Set(
  (
    "$schema $id id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $ref $dynamicRef $recursiveRef $defs " +
    "definitions discriminator xml externalDocs"
  ).split(" "),
);
const ANNOTATIONS = new Set(
  "$schema $id $comment title description default examples deprecated $defs definitions".split(" "),
);
const OLD_WORDS = new Set("nullable example additionalItems dependencies".split(" "));
const OLD_KINDS: Readonly<Record<string, string | undefined>> = {
  additionalItems: "schema",
  dependencies: "schemas by name",
};

const isForeign = (keyword: string): boolean =>
  !KEYWORDS.has(keyword) && !keyword.startsWith("x-") && !OLD_WORDS.has(keyword);

/** What drafts up to 7 and OpenAPI 3.0 say with other keywords. */
function inNewWords(schema: SchemaObject): SchemaObject {
  const { items, additionalItems, dependencies, nullable, example, examples, ...rest } = schema;
  const isList = Array.isArray(items);
  const others = isList ? additionalItems : items;
  const listed = Array.isArray(examples) ? examples : example === undefined ? undefined : [example];
  const made: Record<string, unknown> = {
    ...rest,
    ...(isList && items.length > 0 ? { prefixItems: items } : {}),
    ...(others === undefined ? {} : { items: others }),
    ...(listed === undefined ? {} : { examples: listed }),
    ...toDependent(dependencies),
  };
  for (const [bound, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const is = made[bound];
    if (typeof is !== "boolean") continue;
    delete made[bound];
    if (is) [made[bound], made[limit]] = [made[limit], undefined];
  }
  const clean = Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined));
  return nullable === true ? orNull(clean) : clean;
}

function toDependent(dependencies: unknown): SchemaObject {
  if (!isSchemaObject(dependencies)) return {};
  const [names, schemas] = [true, false].map((isNames) =>
    Object.entries(dependencies).filter(([, value]) => Array.isArray(value) === isNames),
  );
  return {
    ...(names?.length ? { dependentRequired: Object.fromEntries(names) as never } : {}),
    ...(schemas?.length ? { dependentSchemas: Object.fromEntries(schemas) as never } : {}),
  };
}

/** Wider than OpenAPI's letter where no `type` stands beside it: who writes it sends nulls. */
function orNull(schema: SchemaObject): SchemaObject {
  const { type, enum: choices } = schema;
  if (type === undefined) return { anyOf: [schema, { type: "null" }] };
  return {
    ...schema,
    type: [...new Set([type].flat()), "null"],
    ...(choices === undefined ? {} : { enum: [...new Set([...choices, null])] }),
  };
}
