/** Declared types as an operator may write them: 200 in a folder, some of which are the worst that the start takes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const TYPES = 200;
const PROPERTIES = 90;
const UNKNOWN_NAMES = 60_000;
/** A record has 64 levels at most. */
const LEVELS = 60;

const EMAIL =
  "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$";

/** A value below one of two tags, whose alternatives overlap but for them; the tag stands last. */
const tagged = (tag: string): object => ({
  type: "object",
  required: ["kind", "of"],
  properties: { of: { $ref: "#/$defs/value" }, kind: { const: tag } },
});
const leaf = {
  type: "object",
  required: ["kind", "n"],
  properties: { kind: { const: "leaf" }, n: { type: "integer" } },
};
const value = { oneOf: [tagged("box"), tagged("wrap"), leaf] };
const text = { type: "string" };

const WORST: Readonly<Record<string, { readonly properties: object; readonly $defs?: object }>> = {
  unknown_names: { properties: { lead: { properties: toKnown(100), unevaluatedProperties: false } } },
  tagged_union: { properties: { value: { $ref: "#/$defs/value" } }, $defs: { value } },
  patterns: {
    properties: {
      words: { ...text, pattern: "^(\\w+\\s?)*$" },
      slug: { ...text, pattern: "^(([a-z0-9])+-?)+$" },
      email: { ...text, pattern: EMAIL },
      end: { ...text, pattern: "\\s+$" },
    },
  },
};

/** Records that they refuse. */
export const REFUSED = {
  unknownNames: toRecord({
    lead: Object.fromEntries(Array.from({ length: UNKNOWN_NAMES }, (_, n) => [`unknwn_${n}`, 1])),
  }),
  taggedUnion: toRecord({ value: toNested(LEVELS) }),
  patterns: toRecord({
    words: `${"a".repeat(28)}!`,
    slug: `${"a".repeat(27)}!`,
    email: "a".repeat(31),
    end: `${" ".repeat(60_000)}x`,
  }),
} as const;

/** Makes the folder of their files, and returns its path. */
export function declareTypes(folder: string): string {
  const events = join(folder, "events");
  mkdirSync(events, { recursive: true });
  const usual = Array.from({ length: TYPES - Object.keys(WORST).length }, (_, n) => `thing_${n}`);
  for (const type of usual) declare(events, type, { properties: toKnown(PROPERTIES) });
  for (const [type, schema] of Object.entries(WORST)) declare(events, type, schema);
  return events;
}

function declare(events: string, type: string, { properties, ...more }: { readonly properties: object }): void {
  const schema = { type: "object", required: ["id"], ...more, properties: { id: text, ...properties } };
  const declaration = { type, title: type, key: "/id", example: { id: "1" }, schema };
  writeFileSync(join(events, `${type}.json`), JSON.stringify(declaration));
}

function toKnown(count: number): object {
  const known = { type: "string", description: "A member that the schema knows, and describes in a sentence." };
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`known_member_${n}`, known]));
}

function toNested(levels: number): object {
  return levels === 0 ? { kind: "leaf", n: "no integer" } : { kind: "wrap", of: toNested(levels - 1) };
}

function toRecord(members: object): string {
  return JSON.stringify({ id: "1", ...members });
}
