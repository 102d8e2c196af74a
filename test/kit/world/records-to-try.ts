/**
 * Records as intake may be sent them: good ones, ones with a few changes, and hostile ones, as JSON texts. Numbers
 * stand in them with digits of their own, strings with lone surrogates.
 */
import fc from "fast-check";

type Json = unknown;

/** A number by its digits, which no value of JavaScript holds: becomes itself in `toText`. */
const written = (digits: string): string => `\u0000number ${digits}\u0000`;

const WRITTEN = /"\\u0000number ([^\\]+)\\u0000"/g;

export const toText = (value: Json): string => JSON.stringify(value).replace(WRITTEN, "$1");

const NUMBERS = [
  "0",
  "-0",
  "1",
  "2",
  "100",
  "-1",
  "0.5",
  "100.5",
  "1.0",
  "1E2",
  "1e-7",
  "-1e-400",
  "1e400",
  "-1e400",
  "100.00000000000000001",
  "99.99999999999999999",
  "9007199254740993",
  "1.00000000000000000001",
  `1${"0".repeat(999)}`,
  `0.${"1".repeat(998)}`,
  `0.${"1".repeat(999)}`,
];
const TIMES = [
  "2026-11-20T12:00:00Z",
  "2026-11-20T12:00:00.000+00:00",
  "2026-11-20T13:00:00+01:00",
  "0000-02-29T00:00:00Z",
  "2024-02-29T23:59:59.999999999-14:00",
  "2026-02-29T12:00:00Z",
  "1900-02-29T12:00:00Z",
  "2000-02-29T12:00:00Z",
  "2026-11-20t12:00:00z",
  "2026-11-20 12:00:00Z",
  "2026-11-20T12:00:00",
  "2026-11-20T24:00:00Z",
  "2026-11-31T12:00:00Z",
  "2026-11-20T12:00:60Z",
  "2016-12-31T23:59:60Z",
  "2026-11-20T12:00:00+14:01",
  "2026-11-20T12:00:00.Z",
  "2026-13-01T00:00:00Z",
  "2026-11-20T12:00:00+0100",
  "2026-11-20T12:00:00-00:00",
  "2026-11-20T12:00:00.1234567890Z",
  "2026-11-20T12:00:00Z\n",
];
const IDS = [
  "5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11",
  "5B0F6C1E-4D0A-4C53-9A41-2F4F0A7F6D11",
  "urn:uuid:5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11",
  "{5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11}",
  "5b0f6c1e4d0a4c539a412f4f0a7f6d11",
  "5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d1g",
  "00000000-0000-0000-0000-000000000000",
  "5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11\n",
];
const TRANSCRIPTS = [
  "[Text mode]",
  "[Text mode]\n\nUser: a",
  "[Voice mode]\r\n\r\nAssistant: a\r\nb\r\n\r\nUser:",
  "[x] whatever",
  "[Text mode]\n\nUser: a\n\nb",
  "[Text mode]\nUser: a",
  "[Text mode]\n \nUser: a\n\u00a0\u2028User:b\n",
  "[Video]\n\nUser: a",
  "\n[Text mode]\n\nUser: a",
  "[Text mode]\n\nUser: a\u2029\u2029Assistant: b",
  "[Text mode]\n\nUser: a\r\rUser: b\x1f",
];
const STRINGS = [
  "",
  " ",
  "a",
  "high",
  "low",
  "text",
  "voice",
  "user",
  "assistant",
  "a@b",
  "a @b",
  "a@b@c",
  "..",
  "a.b",
  "a\n",
  "ü",
  "/pricing",
  "https://a.example",
  "\ud800",
  "a\udc00b",
  "\u0000",
  "🙂",
  "👨‍👩‍👧",
  "e\u0301",
  "__proto__",
  "\u2028",
];
/** At the limits, by one character on either side; an emoji is one. */
const LENGTHS = [64, 128, 256, 320, 512, 8_192].flatMap((limit) => [limit, limit + 1]);
const LONG = LENGTHS.flatMap((length) => ["x".repeat(length), "🙂".repeat(length), `${"x".repeat(length - 3)}@bc`]);

const string = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...STRINGS, ...IDS, ...TIMES, ...TRANSCRIPTS) },
  { weight: 2, arbitrary: fc.constantFrom(...LONG) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
);
const number = fc.constantFrom(...NUMBERS).map(written);
const nested = (levels: number): Json => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
const many = (count: number): Json => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, ""]));

const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: string },
  { weight: 3, arbitrary: number },
  { weight: 2, arbitrary: fc.constantFrom<Json>(null, true, false, [], {}) },
  { weight: 1, arbitrary: fc.constantFrom(31, 32, 33, 40).map(nested) },
  { weight: 1, arbitrary: fc.constantFrom(100, 101, 500, 501).map(many) },
  { weight: 1, arbitrary: fc.constantFrom(500, 501, 1_000, 1_001).map((length) => Array<string>(length).fill("a")) },
  { weight: 1, arbitrary: fc.array(string, { maxLength: 3 }) },
  { weight: 2, arbitrary: fc.dictionary(string, fc.oneof(string, number), { maxKeys: 3 }) },
);

/** Values that are at home in each field, so that changes are as often right as wrong. */
const HOME: ReadonlyMap<string, fc.Arbitrary<Json>> = new Map(
  Object.entries<fc.Arbitrary<Json>>({
    id: fc.constantFrom(...IDS),
    viewed_at: fc.constantFrom(...TIMES),
    started_at: fc.constantFrom(...TIMES),
    completed_at: fc.constantFrom(...TIMES),
    transcript: fc.constantFrom(...TRANSCRIPTS),
    completion: number,
    time_spent: number,
    duration: number,
    message_count: number,
  }),
);

interface Change {
  readonly path: readonly (string | number)[];
  /** `undefined` takes the field away. */
  readonly value: Json;
}

const NAMES = [
  "surprise",
  "Id",
  "__proto__",
  "constructor",
  "viewed-at",
  "a\ud800",
  "mode",
  "transcript",
  "message_count",
];

function change(paths: readonly Change["path"][]): fc.Arbitrary<Change> {
  const atHome = paths.filter((path) => HOME.has(String(path.at(-1))));
  return fc.oneof(fc.constantFrom(...paths), fc.constantFrom(...atHome)).chain((path) => {
    const home = HOME.get(String(path.at(-1))) ?? hostileValue;
    const value = fc.oneof(
      { weight: 6, arbitrary: home },
      { weight: 3, arbitrary: hostileValue },
      { weight: 1, arbitrary: fc.constant(undefined) },
    );
    return fc.record({ path: fc.constant(path), value });
  });
}

/** One of `good` with some changes, none quite often. */
export function recordsLike(good: readonly object[]): fc.Arbitrary<Json> {
  return fc.constantFrom(...good).chain((record) => {
    const paths = [...listPaths(record), ...NAMES.map((name) => [name]), ["lead", "age"], ["utm_params", "a"]];
    const changed = fc.array(change(paths), { maxLength: 3 }).map((changes) => changes.reduce<Json>(apply, record));
    return fc.oneof({ weight: 20, arbitrary: changed }, { weight: 1, arbitrary: hostileValue });
  });
}

function listPaths(value: Json, path: Change["path"] = []): Change["path"][] {
  const own = path.length === 0 ? [] : [path];
  if (typeof value !== "object" || value === null) return own;
  const parts = Object.entries(value).map(([key, part]) =>
    listPaths(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [...own, ...parts.flat()];
}

/** Another value; the one that was given stays as it is. */
function apply(value: Json, { path: [key, ...rest], value: next }: Change): Json {
  if (key === undefined) return next;
  if (typeof value !== "object" || value === null) return value;
  const inner = apply((value as Record<string | number, Json>)[key], { path: rest, value: next });
  if (Array.isArray(value)) return value.map((item: Json, at) => (at === key ? inner : item));
  // Not assigned, which would make `__proto__` something else than a member.
  return Object.fromEntries([...Object.entries(value).filter(([name]) => name !== key), [key, inner]]);
}
