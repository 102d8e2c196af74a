/**
 * Finds a schema whose check would grow out of proportion to the record: no value of a record may need more than
 * `CHECKS_MAX` checks, whichever links lead to it. A link goes from a schema to one of a member of its value, past what
 * holds for the same value (`allOf`, `$ref` …); two of them through one member add up, and so double with each level
 * where they lead back, unless a required constant tells them apart. Pure.
 */
import { linearPattern } from "../patterns/linear-pattern.ts";
import {
  isSchemaObject,
  listConstants,
  listParts,
  SAME_VALUE,
  type SchemaObject,
  toPointer,
} from "../schema/keywords.ts";
import type { References } from "../schema/references.ts";
import { DECLARATION_LIMITS } from "./declaration.ts";

/** Guess, above every catalogue: 300 alternatives of three parts each. */
const CHECKS_MAX = 1_000;

/** From a schema to one for a member of its value. */
interface Link {
  /** The schema, for the same value, that says it, and where in that. */
  readonly from: SchemaObject;
  readonly at: readonly string[];
  readonly to: SchemaObject;
  /** It is gone only with one of these values, as JSON, at each member; by a schema with `if`, in its branch. */
  readonly only: Demands;
}

type Demands = ReadonlyMap<string | SchemaObject, readonly string[]>;

interface Node {
  /** Of the value itself; `Infinity`: it needs its own check of the same value. */
  readonly checks: number;
  /** Ways that may all be gone through one member. */
  readonly groups: readonly (readonly Link[])[];
}

/** The schema there and the end of a sentence about it; `null`: the check is in proportion. */
export function findGrowth(
  root: SchemaObject,
  references: References,
): { readonly path: readonly string[]; readonly message: string } | null {
  const paths = listPaths(root);
  const pathOf = (schema: SchemaObject) => paths.get(schema) ?? [];
  const nodes = readNodes(root, readTargets(paths.keys(), references));
  let most = new Map(nodes.entries().map(([schema, { checks }]) => [schema, { checks, links: NONE.links }]));
  for (let level = 0; level <= DECLARATION_LIMITS.levelsMax; level += 1) {
    for (const [schema, { checks, links }] of most) {
      const shown = links.slice(0, 2).map(({ from, at }) => toPointer([...pathOf(from), ...at]));
      const message = checks === Infinity ? FOREVER : tooMany(shown.join(" and "));
      if (checks > CHECKS_MAX) return { path: pathOf(schema), message };
    }
    const below = most;
    most = new Map(nodes.entries().map(([schema, { groups }]) => [schema, findMost(groups, below)]));
  }
  return null;
}

/** What one value may need, so many levels below a schema, and the ways through one member that lead to most of it. */
interface Most {
  readonly checks: number;
  readonly links: readonly Link[];
}

const NONE: Most = { checks: 0, links: [] };

function findMost(groups: readonly (readonly Link[])[], below: ReadonlyMap<SchemaObject, Most>): Most {
  let most = NONE;
  for (const links of groups) {
    const checks = links.reduce((sum, { to }) => sum + (below.get(to)?.checks ?? 0), 0);
    if (checks > most.checks) most = { checks, links };
  }
  return most;
}

const FOREVER = "leads into itself for ever: between a $ref and what it refers to must be a member or an item";

const tooMany = (ways: string): string =>
  `may need more than ${CHECKS_MAX} checks of one value, because ${ways || "allOf, anyOf, oneOf and $ref"} multiply: ` +
  'say each demand once, or tell alternatives apart by a required constant, such as "kind": {"const": "…"} in each';

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
    const plain = [$ref, $dynamicRef].map((each) => (each === undefined ? true : references.resolve(schema, each)));
    const dynamic = $dynamicRef === undefined ? [] : anchored.get($dynamicRef.replace(/^[^#]*#/, ""));
    return [...new Set([...plain, ...(dynamic ?? [])])].filter((target) => isSchemaObject(target));
  };
}

/** Past a reference that stands alone, so that a definition is one node. */
function follow(schema: SchemaObject, targetsOf: Targets): SchemaObject {
  const [target, ...more] = targetsOf(schema);
  return target === undefined || more.length > 0 || listParts(schema).length > 0 ? schema : follow(target, targetsOf);
}

/** Of the root, and of each schema for a member of a value. */
function readNodes(root: SchemaObject, targetsOf: Targets): ReadonlyMap<SchemaObject, Node> {
  const nodes = new Map<SchemaObject, Node>();
  const open = new Set([root]);
  for (const schema of open) {
    const { checks, links } = readLinks(schema, targetsOf);
    nodes.set(schema, { checks, groups: groupLinks(links) });
    for (const { to } of links) open.add(to);
  }
  return nodes;
}

function readLinks(start: SchemaObject, targetsOf: Targets): Most {
  const links: Link[] = [];
  const open = new Set<SchemaObject>();
  let checks = 0;
  const visit = (from: SchemaObject, above: Demands, requiredAbove: ReadonlySet<string>): void => {
    checks = open.has(from) ? Infinity : checks + 1;
    if (checks > CHECKS_MAX) return;
    open.add(from);
    const required = requiredAbove.union(new Set(from.required));
    const within = new Map([...above, ...readTags(from, required)]);
    for (const target of targetsOf(from)) visit(target, within, required);
    for (const [at, part] of listParts(from)) {
      const [keyword = "", name = ""] = at;
      if (!isSchemaObject(part) || NO_CHECKS.has(keyword)) continue;
      const isBranch = keyword === "then" || keyword === "else";
      if (SAME_VALUE.has(keyword)) visit(part, isBranch ? new Map([...within, [from, [keyword]]]) : within, required);
      // `tagsFirst` has constants checked before other properties, save before names that are numbers.
      else
        links.push({
          from,
          at,
          to: follow(part, targetsOf),
          only: keyword === "properties" && !/^\d/.test(name) ? within : above,
        });
    }
    open.delete(from);
  };
  visit(start, new Map(), new Set());
  return { checks, links };
}

const NO_CHECKS = new Set(["$defs", "definitions", "contentSchema"]);

/** The members that must have one of some values. */
const readTags = ({ properties = {} }: SchemaObject, required: ReadonlySet<string>) =>
  Object.entries(properties).flatMap(([name, part]) => {
    const values = required.has(name) ? listConstants(part) : null;
    return values === null ? [] : [[name, values.map((each) => JSON.stringify(each))] as const];
  });

/** For each way, those that may be gone through its member beside it. */
function groupLinks(links: readonly Link[]): Node["groups"] {
  const byName = Map.groupBy(links, ({ at: [keyword = "", name] }) => (NAMED.has(keyword) ? name : undefined));
  const wide = byName.get(undefined) ?? [];
  return [...byName].flatMap(([name, some]) => {
    const all = name === undefined ? wide : [...some, ...wide];
    const groups: (readonly Link[])[] = [];
    for (const way of some) {
      groups.push(all.filter((other) => other === way || (meet(way, other) && !areApart(way, other))));
      if (groups.at(-1)?.length === all.length) break;
    }
    return groups;
  });
}

const areApart = (one: Link, other: Link): boolean =>
  [...one.only].some(([key, values]) => other.only.get(key)?.every((value) => !values.includes(value)) === true);

const NAMED = new Set(["properties", "prefixItems"]);
const OF_LISTS = new Set(["prefixItems", "items", "contains", "unevaluatedItems"]);
/** For what the same schema does not name. */
const OTHERS = new Set(["items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"]);

/** Whether both may lead through one member; of two names, that is known. */
function meet(one: Link, other: Link): boolean {
  const [[keyword = "", name = ""], [otherKeyword = "", pattern = ""]] = [one.at, other.at];
  const isOfLists = OF_LISTS.has(keyword);
  if (isOfLists !== OF_LISTS.has(otherKeyword)) return false;
  const isOther = OTHERS.has(keyword) || OTHERS.has(otherKeyword);
  if (one.from === other.from && isOther) return keyword === "contains" || otherKeyword === "contains";
  if (keyword !== "properties" || otherKeyword !== "patternProperties") return true;
  return linearPattern(pattern).test(name);
}
