/**
 * Any template with any event of any type: the result is JSON of the template's structure with each value at its place,
 * whatever stands in the event. A walk of its own says which values an event has at which paths.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DECLARED_TYPES } from "../../test/kit/declared-types.ts";
import { CHAT_CONVERSATION_SAMPLES } from "../events/chat-conversation-completed.ts";
import { DEMO_VIEWED_SAMPLES } from "../events/demo-viewed.ts";
import { parseExactJson, withoutLoneSurrogates, writtenNumber } from "../events/exact-json.ts";
import { bodyTextOf } from "./body-text.ts";
import { renderBody } from "./render-body.ts";

const RUNS = 5_000;
const SEED = 46;
const SOURCE = { webhookId: "dlv_1", acceptedAtMs: Date.UTC(2026, 10, 28, 9, 30) };

/* Events: those of each type as intake makes them, with anything in the place of some of their values. */

const SAMPLES: Readonly<Record<string, readonly object[]>> = {
  demo_viewed: Object.values(DEMO_VIEWED_SAMPLES),
  chat_conversation_completed: Object.values(CHAT_CONVERSATION_SAMPLES),
};
const BODIES = DECLARED_TYPES.all.flatMap((type) =>
  (SAMPLES[type.type] ?? [type.example]).map((record) => {
    const parsed = type.parse(JSON.stringify(record));
    assert.ok(parsed.ok, type.type);
    return parsed.value.buildBody({ appUrl: "https://app.example.com" });
  }),
);

const HOSTILE: readonly string[] = [
  '"',
  "\\",
  '","x":"',
  '"}',
  "{{lead.email}}",
  "{{",
  "}}",
  "|",
  "",
  " ",
  "\u2028",
  "\u0000",
  "\ud800",
  "a\udfff",
  "__proto__",
  "constructor",
  "<!channel>",
  "@everyone",
  "😀",
  "null",
  "true",
  "12",
  '{"a":1}',
  "x".repeat(5_000),
];
const hostileTexts = fc.constantFrom(...HOSTILE);
const anyText = fc.oneof(hostileTexts, fc.string({ unit: "binary", maxLength: 20 }));
const anyName = fc.oneof(
  fc.constantFrom("__proto__", "toString", "7", '"', "{{x}}", "length"),
  fc.string({ maxLength: 8 }).filter((name) => !/[.[\]]/.test(name)),
);
const written = (text: string): unknown => parseExactJson(`[${text}]`);
const anyNumber = fc.constantFrom("123456789012345678", "1.10", "-0", "1e400", "0.1", "12").map(written);
const anyValue = fc.oneof(
  anyText,
  anyNumber,
  fc.boolean(),
  fc.constant(null),
  fc.array(anyText, { maxLength: 3 }),
  fc.dictionary(anyName, anyText, { maxKeys: 3 }),
  fc.array(fc.dictionary(anyName, anyText, { maxKeys: 3 }), { maxLength: 3 }),
);

const anyBody = fc
  .record({
    body: fc.constantFrom(...BODIES),
    values: fc.array(anyValue, { minLength: 1, maxLength: 8 }),
    every: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ body, values, every }) => {
    let n = 0;
    const change = (value: unknown): unknown => {
      if (isNumber(value)) return value;
      if (Array.isArray(value)) return value.map(change);
      if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]));
      n += 1;
      return n % every === 0 ? values[n % values.length] : value;
    };
    // Read and written once more, so that what `{{payload}}` splices in is written as the test writes it.
    return JSON.stringify(parseExactJson(withoutLoneSurrogates(JSON.stringify(change(parseExactJson(body))))));
  });

/* Paths: every one that leads to something in the event. */

type Paths = ReadonlyMap<string, unknown>;

function listPaths(value: unknown): Paths {
  if (isNumber(value) || typeof value !== "object" || value === null) return new Map();
  const paths = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    paths.set(name, member);
    for (const [below, each] of listPaths(member)) paths.set(`${name}.${below}`, each);
    if (Array.isArray(member)) for (const [below, each] of listEach(member)) paths.set(`${name}[].${below}`, each);
  }
  return paths;
}

/** The values of all items at the paths that one of them has. */
function listEach(list: readonly unknown[]): Paths {
  const each = new Map<string, unknown[]>();
  for (const item of list) {
    for (const [path, value] of listPaths(item)) {
      const values = each.getOrInsertComputed(path, () => []);
      if (path.includes("[].") && Array.isArray(value)) values.push(...value);
      else values.push(value);
    }
  }
  return each;
}

/* Templates: a structure with texts and placeholders in it, and the same with the values that are expected. */

type Part = string | { readonly path: number; readonly fallback: string | null };
type Structure = { readonly parts: readonly Part[] } | { readonly as: unknown } | Structure[] | Map<string, Structure>;

const anyFallback = fc.option(anyText.filter((text) => !/\{\{|\}\}|\}$/.test(text) && text.trim() === text));
const anyConstant = anyText.map((text) => text.replaceAll(/[{}]/g, "(")).filter((text) => text !== "");
const placeholder = fc.record({ path: fc.nat(), fallback: anyFallback });
const anyStructure = fc.letrec<{ value: Structure; object: Structure }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "template" },
    { weight: 4, arbitrary: placeholder.map((part) => ({ parts: [part] })) },
    {
      weight: 4,
      arbitrary: fc.array(fc.oneof(anyConstant, placeholder), { maxLength: 5 }).map((parts) => ({ parts })),
    },
    { weight: 1, arbitrary: fc.oneof(anyNumber, fc.boolean(), fc.constant(null)).map((as) => ({ as })) },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 4, depthIdentifier: "template" }) },
    { weight: 3, arbitrary: tie("object") },
  ),
  object: fc
    .dictionary(
      anyName.map((name) => name.replaceAll("{{", "")),
      tie("value"),
      { maxKeys: 5, depthIdentifier: "template" },
    )
    .map((members) => new Map(Object.entries(members))),
})).object;

type Leaf = (parts: readonly Part[]) => unknown;

function build(structure: Structure, leaf: Leaf): unknown {
  if (structure instanceof Map) {
    return Object.fromEntries([...structure].map(([name, value]) => [name, build(value, leaf)]));
  }
  if (Array.isArray(structure)) return structure.map((value) => build(value, leaf));
  return "parts" in structure ? leaf(structure.parts) : structure.as;
}

/** `{{path|fallback}}` for each placeholder. */
const write =
  (pathOf: PathOf): Leaf =>
  (parts) =>
    parts
      .map((part) =>
        typeof part === "string"
          ? part
          : `{{ ${pathOf(part.path)}${part.fallback === null ? "" : `| ${part.fallback}`} }}`,
      )
      .join("");

/** What has to stand there. */
const expect =
  (pathOf: PathOf, values: Paths): Leaf =>
  (parts) => {
    const [first] = parts;
    if (parts.length === 1 && typeof first === "object") {
      const value = values.get(pathOf(first.path));
      return isNothing(value) ? first.fallback : value;
    }
    return parts
      .map((part) => (typeof part === "string" ? part : toText(values.get(pathOf(part.path))) || (part.fallback ?? "")))
      .join("");
  };

type PathOf = (n: number) => string;

function toText(value: unknown): string {
  if (isNothing(value)) return "";
  if (isNumber(value) || isObject(value)) return JSON.stringify(value);
  return Array.isArray(value)
    ? value
        .map(toText)
        .filter((text) => text !== "")
        .join(", ")
    : String(value);
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === "";
const isNumber = (value: unknown): boolean => typeof value === "number" || writtenNumber(value) !== undefined;
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A path that a placeholder can name: without its own signs, and of the length that is taken. */
const canBeNamed = (path: string): boolean =>
  !/[{}|]/.test(path) && path.trim() === path && path !== "" && path.length < 300 && path.isWellFormed();

test(`${RUNS.toLocaleString("en")} templates with events of all types become JSON of their structure`, () => {
  let [values, nothing] = [0, 0];
  const property = fc.property(anyBody, anyStructure, fc.nat(3), (body, structure, indent) => {
    const found = new Map([
      ...listPaths(parseExactJson(body)),
      ["payload", parseExactJson(body)],
      ["webhook_id", SOURCE.webhookId],
      ["accepted_at", "2026-11-28T09:30:00.000Z"],
    ] as const);
    const paths = [...[...found.keys()].filter(canBeNamed), "none", "lead.none", "none[].of", "none.0"];
    const pathOf: PathOf = (n) => {
      const path = paths[n % paths.length] ?? "";
      if (isNothing(found.get(path))) nothing += 1;
      else values += 1;
      return path;
    };
    const template = JSON.stringify(build(structure, write(pathOf)), null, indent);
    const text = bodyTextOf({ body: "template", template }, { eventType: undefined, name: "any" });
    assert.ok(text !== null);
    const rendered = renderBody(text, { ...SOURCE, body });
    assert.ok(rendered.ok, JSON.stringify(rendered));
    const expected = withoutLoneSurrogates(JSON.stringify(build(structure, expect(pathOf, found))));
    assert.equal(JSON.stringify(parseExactJson(rendered.value)), JSON.stringify(parseExactJson(expected)));
    assert.equal(withoutLoneSurrogates(rendered.value), rendered.value);
  });
  fc.assert(property, { numRuns: RUNS, seed: SEED });
  assert.ok(values > 2 * RUNS && nothing > RUNS, `${values} values and ${nothing} times nothing`);
});
