/**
 * A template: a JSON object that an owner writes, with `{{path}}` or `{{path|fallback}}` in its strings where a value
 * of the event goes. It is read once, into pieces of JSON and the slots between them, so that making a body of it is
 * joining, and no value ever leaves its string. There are no loops and no functions. Pure.
 */
import { LIMITS } from "../domain/limits.ts";
import type { FieldError, Result } from "../domain/problem.ts";
import { findFieldFault, isFieldOf } from "../events/condition-fields.ts";
import type { EventType } from "../events/event-type.ts";
import { parseJson, withoutLoneSurrogates } from "../events/exact-json.ts";
import { findEndOfString, isTooDeep } from "../events/json-levels.ts";
import { findJsonMistake } from "../events/json-mistake.ts";
import { ok, refuse } from "../lib/result.ts";
import { OWN_PATHS } from "./values.ts";

export interface Template {
  readonly pieces: readonly Piece[];
}

/** JSON as it is sent, or the place of a value. */
type Piece = string | Slot;

export interface Slot {
  readonly path: string;
  /** The text where the event has nothing; `null`: JSON's null, or the empty text. */
  readonly fallback: string | null;
  /** The string is this placeholder and no more: the value comes with its type, and not as a text. */
  readonly isAlone: boolean;
  readonly line: number;
}

/** Guess: more are corrected one after another anyway. */
const MISTAKES_SHOWN = 10;

export function parseTemplate(written: string): Result<Template, readonly FieldError[]> {
  const fault = findFaultOfText(written);
  if (fault !== null) return refuse([toError(fault)]);
  const { pieces, mistakes } = readPieces(withoutLoneSurrogates(written));
  if (mistakes.length > 0) return refuse(mistakes.slice(0, MISTAKES_SHOWN).map(toError));
  const count = pieces.filter((piece) => typeof piece !== "string").length;
  const { templatePlaceholdersMax: max } = LIMITS;
  if (count > max) return refuse([toError(`has ${count} placeholders, and at most ${max} are taken`)]);
  return ok({ pieces: joinConstants(pieces) });
}

/** Each path that its placeholders name, once. */
export const listPaths = ({ pieces }: Template): readonly string[] => [
  ...new Set(pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.path]))),
];

/**
 * Every mistake of a template that somebody wants to save. The value has warnings: placeholders for what no event of
 * the types has, which may be meant for what will come.
 */
export function checkTemplate(
  types: readonly EventType[],
  written: string,
): Result<readonly FieldError[], readonly FieldError[]> {
  const template = parseTemplate(written);
  if (!template.ok) return template;
  const slots = template.value.pieces.filter((piece) => typeof piece !== "string");
  // Where it stands first: the same name needs no second warning.
  const byPath = Map.groupBy(slots, ({ path }) => path);
  const unknown = [...byPath].filter(([path]) => !isKnown(types, path));
  const warnings = unknown.slice(0, MISTAKES_SHOWN).flatMap(([path, [first]]) => {
    const line = first?.line ?? 1;
    const fault = findFieldFault(types, path);
    return fault === null ? [] : [toError(`has in line ${line} {{${path}}}, which ${fault}`)];
  });
  return ok(warnings);
}

const toError = (message: string): FieldError => ({ path: "template", message });

/** A schema names the items of a list, and not their places. */
const isKnown = (types: readonly EventType[], path: string): boolean =>
  OWN_PATHS.some((own) => own === path) ||
  isFieldOf(types, path) ||
  isFieldOf(types, path.replaceAll(/\.\d+(?=\.|$)/g, "[]").replace(/(?:\[\])+$/, ""));

/** Goes on from "The template", like all that follow. */
function findFaultOfText(text: string): string | null {
  const { templateBytesMax: max, templateLevelsMax: levelsMax } = LIMITS;
  const bytes = Buffer.byteLength(text);
  if (bytes > max) return `has ${bytes} bytes, and at most ${max} are taken`;
  const parsed = parseJson(text);
  if (!parsed.ok) return findBarePlaceholder(text) ?? parsed.error.detail.slice("The text ".length, -1);
  if (!isObject(parsed.value)) return "must be a JSON object: begin it with { and end it with }";
  return isTooDeep(text, levelsMax) ? `has more than ${levelsMax} levels of objects and lists` : null;
}

/** `{"a": {{path}}}` is what other programs take. */
function findBarePlaceholder(text: string): string | null {
  const before = text.slice(0, findJsonMistake(text)?.position ?? 0).trimEnd();
  return before.endsWith(OPEN)
    ? inLine(countLines(before), 'a placeholder stands in quotes, as "{{lead.email}}"')
    : null;
}

const inLine = (line: number, mistake: string): string => `has a mistake in line ${line}: ${mistake}`;

const countLines = (text: string): number => text.split("\n").length;

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

interface Read {
  readonly pieces: Piece[];
  readonly mistakes: string[];
}

/** `text` is JSON: whatever stands between its strings is no text of the owner's. */
function readPieces(text: string): Read {
  const read: Read = { pieces: [], mistakes: [] };
  let [at, line] = [0, 1];
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', at)) {
    const between = text.slice(at, start);
    line += countLines(between) - 1;
    at = findEndOfString(text, start) + 1;
    read.pieces.push(withoutBlanks(between));
    NAME_END.lastIndex = at;
    readString(text.slice(start, at), { line, isName: NAME_END.test(text) }, read);
  }
  read.pieces.push(withoutBlanks(text.slice(at)));
  return read;
}

const NAME_END = /[ \t\r\n]*:/y;

const withoutBlanks = (json: string): string => json.replaceAll(/[ \t\r\n]+/g, "");

interface StringPlace {
  readonly line: number;
  /** A member's name, and not a value. */
  readonly isName: boolean;
}

function readString(literal: string, { line, isName }: StringPlace, { pieces, mistakes }: Read): void {
  const value = JSON.parse(literal) as string;
  const parts =
    isName && value.includes(OPEN) ? refuse(`${quote(value)} is a name, which takes no placeholder`) : split(value);
  if (!parts.ok) {
    mistakes.push(inLine(line, parts.error));
    return;
  }
  const [first] = parts.value;
  if (parts.value.length === 1 && typeof first === "object") {
    pieces.push({ ...first, isAlone: true, line });
    return;
  }
  const inside = parts.value.map((part) =>
    typeof part === "string" ? escapeText(part) : { ...part, isAlone: false, line },
  );
  pieces.push('"', ...inside, '"');
}

const OPEN = "{{";
const CLOSE = "}}";

type Placeholder = Pick<Slot, "path" | "fallback">;

/** A string's texts and placeholders in their order. */
function split(value: string): Result<readonly (string | Placeholder)[], string> {
  const parts: (string | Placeholder)[] = [];
  let at = 0;
  for (let open = value.indexOf(OPEN); open !== -1; open = value.indexOf(OPEN, at)) {
    const close = value.indexOf(CLOSE, open);
    if (close === -1) return refuse(`${quote(value.slice(open))} has no end: write ${CLOSE} behind the name`);
    const placeholder = readPlaceholder(value.slice(open + OPEN.length, close));
    if (!placeholder.ok) return placeholder;
    parts.push(value.slice(at, open), placeholder.value);
    at = close + CLOSE.length;
  }
  parts.push(value.slice(at));
  return ok(parts.filter((part) => part !== ""));
}

function readPlaceholder(inner: string): Result<Placeholder, string> {
  const { conditionFieldCharsMax: max } = LIMITS;
  const bar = inner.indexOf("|");
  const [path, fallback] = bar === -1 ? [inner, null] : [inner.slice(0, bar), inner.slice(bar + 1).trim()];
  const placeholder = { path: path.trim(), fallback };
  if (placeholder.path === "")
    return refuse(`${quote(`{{${inner}}}`)} has no name: write a field's, as {{lead.email}}`);
  if (inner.includes(OPEN))
    return refuse(`${quote(`{{${inner}`)} has another placeholder inside: write ${CLOSE} first`);
  return placeholder.path.length > max
    ? refuse(`${quote(`{{${inner}`)} has more than ${max} characters`)
    : ok(placeholder);
}

/** Guess: enough to find the place. */
const QUOTED_CHARS_MAX = 40;

const quote = (text: string): string =>
  text.length <= QUOTED_CHARS_MAX ? text : `${text.slice(0, QUOTED_CHARS_MAX).toWellFormed()}…`;

/** The text as it stands inside of a JSON string. */
export const escapeText = (text: string): string => JSON.stringify(text).slice(1, -1);

function joinConstants(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    if (typeof piece === "string" && typeof before === "string") joined[joined.length - 1] = before + piece;
    else joined.push(piece);
  }
  return joined;
}
