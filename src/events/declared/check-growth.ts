/**
 * Finds what would make a check grow out of proportion to the record. A schema leads to others that hold for the same
 * value (`allOf`, `$ref` …), and these to schemas of the value's members. A schema that leads to itself again in two
 * ways through one member doubles the work with each level of a record, unless a required constant tells them apart;
 * without recursion, such ways multiply. Pure.
 */
import { linearPattern, RECORD_STEPS_MAX } from "../patterns/linear-pattern.ts";
import {
  isSchemaObject,
  listConstants,
  listParts,
  SAME_VALUE,
  type SchemaObject,
  toPointer,
} from "../schema/keywords.ts";
import type { References } from "../schema/references.ts";

/** Of one value, whichever schemas do them. Guess, above every catalogue: 300 alternatives of three parts each. */
const CHECKS_MAX = 1_000;

/** From a schema to one for a member of its value. */
interface Link {
  /** The schema, for the same value, that says it; by which keyword, and for which name. */
  readonly from: SchemaObject;
  readonly keyword: string;
  readonly name: string;
  readonly to: SchemaObject;
  /** By member, as JSON, the values that it has then; by a schema with `if`, its branch. */
  readonly only: Demands;
}

type Demands = ReadonlyMap<string | SchemaObject, readonly string[]>;

interface Node {
  readonly ways: readonly Link[];
  /** Of the value itself. */
  readonly checks: number;
  /** It needs its own check of the same value. */
  readonly isEndless: boolean;
}

type Nodes = ReadonlyMap<SchemaObject, Node>;
type Weigh = (schema: SchemaObject) => number;

/** The schema there and the end of a sentence about it; `null`: the check is in proportion. */
export function findGrowth(
  root: SchemaObject,
  references: References,
): { readonly path: readonly string[]; readonly message: string } | null {
  const paths = listPaths(root);
  const nodes = readNodes(root, readTargets(paths.keys(), references));
  if (nodes.values().some(({ isEndless }) => isEndless)) return { path: [], message: FOREVER };
  const endless = findEndless(nodes);
  const recursive = [...nodes].filter(([schema]) => endless.has(schema) && leadsBack(nodes, schema));
  for (const [schema, { ways }] of recursive) {
    const { together } = findMost(ways, (to) => Number(endless.has(to)), 1);
    const shown = together.map(({ from, keyword, name }) =>
      toPointer([...(paths.get(from) ?? []), keyword, name]).replace(/\/$/, ""),
    );
    if (shown.length > 0)
      return { path: paths.get(schema) ?? [], message: `${TWICE} (${shown.slice(0, 2).join(", ")})` };
  }
  // A recursion goes on in one way: what else leads through the same member ends.
  const ends = recursive.map(([, { ways, checks }]) => [ways.filter(({ to }) => !endless.has(to)), checks] as const);
  const counts = new Map<SchemaObject, number>();
  const count: Weigh = (schema) => counts.getOrInsertComputed(schema, () => countIn(nodes.get(schema) ?? NONE));
  const countIn = ({ ways, checks }: Pick<Node, "ways" | "checks">): number =>
    Math.max(checks, findMost(ways, count, checks).weight);
  const most = Math.max(0, ...ends.map(([ways, checks]) => countIn({ ways, checks }))) + 1;
  for (const [schema] of recursive) counts.set(schema, most);
  const many = [...nodes.keys()].findLast((schema) => count(schema) > CHECKS_MAX);
  return many === undefined ? null : { path: paths.get(many) ?? [], message: MANY };
}

const NONE: Node = { ways: [], checks: 0, isEndless: false };

const FOREVER = "leads into itself for ever: between a $ref and what it refers to must be a member or an item";

const TWICE =
  "contains itself in two ways through one member, so that each level of a record doubles the work: tell them apart " +
  'by a required constant, such as "kind": {"const": "…"} in each alternative, or lead there once';

const MANY =
  `needs more than ${CHECKS_MAX} checks of one value, because what allOf, anyOf, oneOf and $ref lead to multiplies: ` +
  "say each demand once, or tell alternatives apart by a required constant";

function listPaths(root: SchemaObject): ReadonlyMap<SchemaObject, readonly string[]> {
  const paths = new Map([[root, [] as readonly string[]]]);
  for (const [schema, path] of paths) {
    for (const [at, part] of listParts(schema)) if (isSchemaObject(part)) paths.set(part, [...path, ...at]);
  }
  return paths;
}

type Targets = (schema: SchemaObject) => readonly SchemaObject[];

/** A dynamic reference may lead to each schema with its anchor. */
function readTargets(schemas: Iterable<SchemaObject>, references: References): Targets {
  const anchored = Map.groupBy(schemas, ({ $dynamicAnchor }) => $dynamicAnchor);
  return (schema) => {
    const { $ref, $dynamicRef } = schema;
    const plain = [$ref, $dynamicRef].map((each) =>
      each === undefined ? undefined : references.resolve(schema, each),
    );
    const dynamic = $dynamicRef === undefined ? [] : (anchored.get($dynamicRef.replace(/^[^#]*#/, "")) ?? []);
    return [...new Set([...plain, ...dynamic])].filter((target) => isSchemaObject(target));
  };
}

/** Past a reference that stands alone, so that a definition is one node. */
function follow(schema: SchemaObject, targetsOf: Targets): SchemaObject {
  const [target, ...more] = targetsOf(schema);
  return target === undefined || more.length > 0 || listParts(schema).length > 0 ? schema : follow(target, targetsOf);
}

/** Of the root, and of each schema for a member of a value. */
function readNodes(root: SchemaObject, targetsOf: Targets): Nodes {
  const nodes = new Map<SchemaObject, Node>();
  const open = new Set([root]);
  for (const schema of open) {
    const node = readNode(schema, targetsOf);
    nodes.set(schema, node);
    for (const { to } of node.ways) open.add(to);
  }
  return nodes;
}

function readNode(start: SchemaObject, targetsOf: Targets): Node {
  const ways: Link[] = [];
  const open = new Set<SchemaObject>();
  let [checks, isEndless] = [0, false];
  const visit = (from: SchemaObject, above: Demands, requiredAbove: ReadonlySet<unknown>): void => {
    checks += 1;
    isEndless ||= open.has(from);
    if (isEndless || checks > CHECKS_MAX) return;
    open.add(from);
    const required = requiredAbove.union(new Set(from.required));
    const within = new Map([...above, ...readTags(from)]);
    for (const target of targetsOf(from)) visit(target, within, required);
    for (const [[keyword = "", name = ""], part] of listParts(from)) {
      if (!isSchemaObject(part) || NO_CHECKS.has(keyword)) continue;
      const isBranch = keyword === "then" || keyword === "else";
      if (SAME_VALUE.has(keyword)) visit(part, isBranch ? new Map([...within, [from, [keyword]]]) : within, required);
      else {
        // `tagsFirst` has constants checked before other properties, save before names that are numbers.
        const demands = keyword === "properties" && !/^\d/.test(name) ? within : above;
        const only = new Map([...demands].filter(([key]) => typeof key !== "string" || required.has(key)));
        ways.push({ from, keyword, name, to: follow(part, targetsOf), only });
      }
    }
    open.delete(from);
  };
  visit(start, new Map(), new Set());
  return { ways, checks, isEndless };
}

const NO_CHECKS = new Set(["$defs", "definitions", "contentSchema"]);

/** The members that must have one of some values. */
const readTags = ({ properties = {} }: SchemaObject): Demands =>
  new Map(
    Object.entries(properties).flatMap(([name, part]) => {
      const values = listConstants(part)?.map((each) => JSON.stringify(each));
      return values === undefined ? [] : [[name, values] as const];
    }),
  );

/** The ways that may all be gone through one member, where their weight is above `floor`. */
function findMost(ways: readonly Link[], weigh: Weigh, floor: number) {
  let most: { readonly weight: number; readonly together: readonly Link[] } = { weight: floor, together: [] };
  const sum = (some: readonly Link[]): number => some.reduce((all, { to }) => all + weigh(to), 0);
  const byName = Map.groupBy(ways, ({ keyword, name }) => (NAMED.has(keyword) ? name : null));
  const wide = byName.get(null) ?? [];
  for (const [name, named] of byName) {
    const all = name === null ? wide : [...named, ...wide];
    if (sum(all) <= most.weight) continue;
    for (const way of named) {
      const together = all.filter((other) => other === way || (meet(way, other) && !areApart(way, other)));
      if (sum(together) > most.weight) most = { weight: sum(together), together };
    }
  }
  return most;
}

const areApart = (one: Link, other: Link): boolean =>
  [...one.only].some(([key, values]) => other.only.get(key)?.every((value) => !values.includes(value)) === true);

const NAMED = new Set(["properties", "prefixItems"]);
const OF_LISTS = new Set(["prefixItems", "items", "contains", "unevaluatedItems"]);
/** For what the same schema does not name. */
const OTHERS = new Set(["items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"]);

/** Whether both may lead through one member; of two names, that is known. */
function meet(one: Link, other: Link): boolean {
  const [kind, otherKind] = [one, other].map(({ keyword }) =>
    keyword === "propertyNames" ? null : OF_LISTS.has(keyword),
  );
  if (kind !== otherKind) return false;
  const isOther = [one, other].some(({ keyword }) => OTHERS.has(keyword));
  if (one.from === other.from && isOther) return one.keyword === "contains" || other.keyword === "contains";
  if (one.keyword !== "properties" || other.keyword !== "patternProperties") return true;
  return linearPattern(other.name).test(one.name, { left: RECORD_STEPS_MAX });
}

/** All that lead into a recursion: what is left when those that end are taken away, again and again. */
function findEndless(nodes: Nodes): ReadonlySet<SchemaObject> {
  const left = new Set(nodes.keys());
  for (let before = Infinity; left.size < before;) {
    before = left.size;
    for (const [schema, { ways }] of nodes) if (!ways.some(({ to }) => left.has(to))) left.delete(schema);
  }
  return left;
}

function leadsBack(nodes: Nodes, start: SchemaObject): boolean {
  const below = (schema: SchemaObject) => nodes.get(schema)?.ways.map(({ to }) => to) ?? [];
  const met = new Set(below(start));
  for (const schema of met) for (const to of below(schema)) met.add(to);
  return met.has(start);
}
