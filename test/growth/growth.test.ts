/**
 * What others choose costs as much as it is large: a record, an operator's schema and patterns, an owner's conditions
 * and templates. Where one of them cost more, one account could hold up all.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checkTemplate, parseTemplate } from "../../src/bodies/template.ts";
import type { Condition } from "../../src/domain/conditions.ts";
import { createMentions } from "../../src/domain/mentions.ts";
import { splitFieldValues } from "../../src/domain/field-values.ts";
import { toWords } from "../../src/domain/search-words.ts";
import { demoViewed } from "../../src/events/demo-viewed.ts";
import { readSearched } from "../../src/events/search-fields.ts";
import { createEventType } from "../../src/events/declared/create-event-type.ts";
import { createEventTypes } from "../../src/events/event-types.ts";
import { findIn } from "../../src/events/find-field.ts";
import type { SchemaObject } from "../../src/events/schema/keywords.ts";
import { toDeclaration } from "../../src/events/declared/declared.kit.ts";
import { createTestApp } from "../kit/world/app-under-test.ts";
import {
  CONSTANT_MAX,
  type Growing,
  type Growth,
  LINEAR_MAX,
  measureGrowth,
  printGrowth,
  type Work,
} from "./measure.ts";
import { decide, declare, makeBody, parse, times } from "./work.ts";

const growths: Growth[] = [];
after(() => printGrowth(growths));

function grows(growing: Growing): void {
  const { what, ratioMax = LINEAR_MAX } = growing;
  const most = ratioMax === CONSTANT_MAX ? "next to nothing" : "at most about five times";
  test(`four times ${what} costs ${most}, or is refused when it is declared`, async () => {
    const growth = await measureGrowth(growing);
    growths.push(growth);
    assert.ok(growth.isKept, `four times the input costs × ${growth.ratio?.toFixed(1)}, above × ${ratioMax}`);
  });
}

/* Names that no schema knows, and what is said of them. */

const knownNames = (count: number): Record<string, SchemaObject> =>
  Object.fromEntries(times(count, (n) => [`known_member_${n}`, { type: "string" }]));
const unknownNames = (count: number): Record<string, string> =>
  Object.fromEntries(times(count, (n) => [`unknwn_membr_${n}`, "x"]));

for (const keyword of ["unevaluatedProperties", "additionalProperties"]) {
  grows({
    what: `unknown names, and names that \`${keyword}: false\` knows`,
    size: 4,
    make: (size) => parse(declare({ properties: knownNames(size), [keyword]: false }), unknownNames(20 * size)),
  });
  grows({
    what: `unknown names in an object that \`${keyword}: false\` closes`,
    size: 4,
    make(size) {
      const lead = { type: "object", properties: knownNames(size), [keyword]: false };
      return parse(declare({ properties: { lead } }), { lead: unknownNames(20 * size) });
    },
  });
}

grows({
  what: "names that are known, and others that have a schema of their own",
  size: 12,
  make(size) {
    const known = Object.fromEntries(Object.keys(knownNames(size)).map((name) => [name, "x"]));
    const lead = { type: "object", properties: knownNames(size), additionalProperties: { type: "string" } };
    return parse(declare({ properties: { lead } }), { lead: { ...known, ...unknownNames(20 * size) } });
  },
});

const unique = { properties: { list: { type: "array", uniqueItems: true } } };
grows({
  what: "objects in a list of `uniqueItems`, of which the last is there twice",
  size: 60,
  make: (size) => parse(declare(unique), { list: times(size, (n) => ({ n: n % (size - 1), sku: "A" })).toReversed() }),
});
grows({
  what: "numbers in a list of `uniqueItems`",
  size: 120,
  make: (size) => parse(declare(unique), { list: times(size, (n) => n) }),
});
grows({
  what: "items that none of `anyOf` takes",
  size: 100,
  make(size) {
    const items = { anyOf: times(5, (n) => ({ type: "object", required: [`k${n}`], properties: knownNames(5) })) };
    return parse(declare({ properties: { list: { type: "array", items } } }), { list: times(size, (n) => ({ n })) });
  },
});

/* Recursion. */

const tree = (keyword: string): object => ({
  properties: { tree: { $ref: "#/$defs/tree" } },
  $defs: {
    tree: {
      [keyword]: ["leaf", "fruit"].map((end) => ({
        type: "object",
        properties: { l: { $ref: "#/$defs/tree" }, r: { $ref: "#/$defs/tree" }, [end]: { type: "integer" } },
      })),
    },
  },
});
const nested = (levels: number): object =>
  levels === 0 ? { leaf: "wrong", fruit: "wrong" } : { l: nested(levels - 1) };

for (const keyword of ["oneOf", "anyOf"]) {
  grows({
    what: `levels of a recursive \`${keyword}\` whose alternatives overlap`,
    size: 3,
    // Of each two levels, `oneOf` refuses one, and what is refused is explained.
    make: (size) => parse(declare(tree(keyword)), { tree: nested(size - (size % 2)) }),
  });
}

/* Patterns as people copy them, with a text that almost fits. */

const EMAIL =
  "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$";
const PATTERNS: readonly (readonly [pattern: string, toText: (size: number) => string])[] = [
  ["^(\\w+\\s?)*$", (size) => `${"a".repeat(size)}!`],
  ["^(([a-z0-9])+-?)+$", (size) => `${"a".repeat(size)}!`],
  [EMAIL, (size) => "a".repeat(size)],
  ["\\s+$", (size) => `${" ".repeat(size)}x`],
];
for (const [pattern, toText] of PATTERNS) {
  grows({
    what: `a text that \`pattern\` ${pattern.slice(0, 20)} almost takes`,
    size: 600,
    make: (size) => parse(declare({ properties: { text: { type: "string", pattern } } }), { text: toText(size) }),
  });
  for (const [keyword, rule] of [
    ["patternProperties", { [pattern]: true }],
    ["propertyNames", { pattern }],
  ] as const) {
    grows({
      what: `a name that ${pattern.slice(0, 20)} in \`${keyword}\` almost takes`,
      size: 600,
      make: (size) =>
        parse(declare({ properties: { named: { type: "object", [keyword]: rule } } }), {
          named: { [toText(size)]: 1 },
        }),
    });
  }
}

/* Conditions. */

const needle = (size: number): string => `${"a".repeat(size / 5)}b${"a".repeat((4 * size) / 5)}`;
const contains = (value: string): Condition => ({ field: "text", operator: "contains", value });

grows({
  what: "a text and what is searched in it, built to match nearly everywhere",
  size: 30,
  make(size) {
    const wanted = needle(size);
    return decide({ text: `${wanted.slice(0, -1)}c`.repeat(120) }, [[contains(wanted)]]);
  },
});
grows({
  what: "webhooks with such conditions, and the text",
  size: 2,
  make(size) {
    const wanted = needle(500);
    const webhooks = times(4 * size, () => times(20, () => contains(wanted)));
    return decide({ text: `${wanted.slice(0, -1)}c`.repeat(6 * size) }, webhooks);
  },
});
grows({
  what: "numbers in a list, and values of `one_of`",
  size: 4,
  make(size) {
    const values = (n: number) => times(size, (m) => `${1_000_000 + n * size + m}`);
    const conditions = times(40, (n): Condition => ({ field: "signal", operator: "one_of", values: values(n) }));
    return decide({ signal: times(20 * size, (n) => n + 0.5) }, [conditions]);
  },
});
grows({
  what: "items in a list, and fields of theirs that conditions ask for",
  size: 100,
  make(size) {
    const conditions = times(size, (n): Condition => ({ field: `list[].${"a.".repeat(20)}${n}`, operator: "known" }));
    return decide({ list: times(20 * size, () => ({})) }, [conditions]);
  },
});

const MARKS = "\u0301\u0316";
grows({
  what: "accents in a row, in a text that conditions compare",
  size: 600,
  make: (size) => decide({ text: MARKS.repeat(size) }, [[contains("x")]]),
});
grows({ what: "accents in a row, for search", size: 600, make: onText((text) => toWords(text)) });
grows({ what: "accents in a row, for an erasure", size: 600, make: onText(createMentions("ada@example.com")) });

function onText(read: (text: string) => unknown): (size: number) => Work {
  return (size) => {
    const text = `a${MARKS.repeat(size)}`;
    return () => read(text);
  };
}

/* What search reads of a body. */

grows({
  what: "a text without a blank, for search",
  size: 1_000,
  make: onSearched((size) => ({ name: "話".repeat(size) })),
});
grows({
  what: "a number of many digits beside one that is searched",
  size: 1_000,
  make: onSearched((size) => ({ name: "7", more: [`1.${"0".repeat(size)}1`] })),
});

/** Texts in `more` stand in the body as numbers. */
function onSearched(toMembers: (size: number) => { readonly name: string; readonly more?: readonly string[] }) {
  return (size: number): Work => {
    const { name, more = [] } = toMembers(size);
    const body = `{"name":${JSON.stringify(name)},"more":[${more.join(",")}]}`;
    return () => readSearched(demoViewed, body);
  };
}

/* Values of fields that a search asks for. */

const asked = splitFieldValues("a.n:y").values;
grows({
  what: "a name that stands above values, and these",
  size: 60,
  make(size) {
    const value = { ["n".repeat(200 * size)]: times(size, () => ({ a: { n: "x" } })) };
    return () => findIn(value, asked);
  },
});
grows({
  what: "levels above values that are searched",
  size: 4,
  ratioMax: CONSTANT_MAX,
  make(size) {
    const values: unknown = times(5_000, () => ({ n: "x" }));
    const value = times(size, () => 0).reduce((inside: unknown) => ({ a: inside }), values);
    return () => findIn(value, asked);
  },
});

/* Templates. */

const TEMPLATES: readonly (readonly [what: string, toValue: (size: number) => unknown])[] = [
  ["opening brackets", (size) => "{{".repeat(size)],
  ["brackets in turns", (size) => "{{a}}}{{".repeat(size)],
  ["bars and blanks", (size) => `{{a${" |".repeat(size)}}}`],
  ["quotation marks", (size) => '"\\'.repeat(size)],
  ["strings with a mistake", (size) => times(size, () => "{{")],
  ["levels", (size) => times(size, () => 0).reduce((inside: unknown) => [inside], "")],
];
for (const [what, toValue] of TEMPLATES) {
  grows({
    what: `${what} in a template that is saved`,
    size: 25,
    make(size) {
      const text = JSON.stringify({ a: toValue(size) });
      return () => parseTemplate(text);
    },
  });
}
grows({
  what: "placeholders for what no type has, and types",
  size: 12,
  make(size) {
    const types = times(size, (n) => toDeclaration({ type: `type_${n}`, schema: typeSchema })).map(createEventType);
    const text = JSON.stringify({ a: times(Math.min(size, 200), (n) => `{{unknwn_membr_${n}}}`) });
    return () => checkTemplate(types, text);
  },
});
grows({
  what: "placeholders that go through a list, and its items",
  size: 12,
  make(size) {
    const placeholders = times(Math.min(size, 200), (n) => `{{list[].a.b${n}}}`);
    return makeBody({ a: placeholders }, { list: times(500 * size, () => ({ a: {} })) });
  },
});
grows({
  what: "a list in a text, and its items",
  size: 200,
  make: (size) => makeBody({ a: "{{list}}." }, { list: times(size, (n) => ({ n: [n, null] })) }),
});
grows({
  what: "a visitor's text in a template's",
  size: 1_000,
  make: (size) => makeBody({ a: "{{text}}.", b: "{{text}}" }, { text: '"{{'.repeat(size) }),
});
grows({
  what: "placeholders for a text that does not fit twice",
  size: 3,
  ratioMax: CONSTANT_MAX,
  make: (size) => makeBody({ a: "{{text}}".repeat(Math.min(size, 200)) }, { text: '"x'.repeat(80_000) }),
});
grows({
  what: "names in a path, and levels of an event",
  size: 4,
  make(size) {
    const path = times(Math.min(size, 149), () => "a").join(".");
    const event = times(Math.min(size, 64), () => 0).reduce((inside: object) => ({ a: inside }), {});
    return makeBody({ a: `{{${path}.b}}` }, event);
  },
});

/* What is served without a key. */

for (const path of ["/openapi.json", "/asyncapi.json", "/schemas/type_0.json"]) {
  grows({
    what: `the operator's types, for another GET of ${path}`,
    size: 6,
    ratioMax: CONSTANT_MAX,
    make(size) {
      const declarations = times(size, (n) => toDeclaration({ type: `type_${n}`, schema: typeSchema }));
      const app = createTestApp({}, { types: createEventTypes(declarations) });
      apps.push(app);
      return async () =>
        await (await app).app.server.inject({ method: "GET", url: path, headers: { "accept-encoding": "br" } });
    },
  });
}

const typeSchema: SchemaObject = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string" }, ...knownNames(40) },
};
const apps: ReturnType<typeof createTestApp>[] = [];
after(async () => {
  for (const app of apps) await (await app)[Symbol.asyncDispose]();
});
