/**
 * Reads the event types that an operator declares: each `*.json` of a folder is one. Either all of them come back, or
 * everything that is wrong in any of them, so that one start shows it all.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { explainFileFault } from "../../lib/file-fault.ts";
import { type BoundedFile, readBounded } from "../../lib/read-bounded.ts";
import { parseJson } from "../exact-json.ts";
import { checkDeclaration } from "./check-declaration.ts";
import type { Fault } from "./check-schema.ts";
import { type Declaration, DECLARATION_LIMITS as LIMITS } from "./declaration.ts";
import { readUtf8, withoutMark } from "../../lib/record-text.ts";

export interface FileFault extends Fault {
  /** Its name in the folder; empty for the folder itself. */
  readonly file: string;
}

export interface ReadEventTypesOptions {
  /** Types that are there already: the built-in ones. */
  readonly taken: readonly string[];
}

/** The declarations in the order of their files' names. Reads each file once. */
export function readEventTypes(
  folder: string,
  { taken }: ReadEventTypesOptions,
): Result<readonly Declaration[], readonly FileFault[]> {
  const files = listFiles(folder);
  if (!files.ok) return files;
  const { typesMax } = LIMITS;
  if (files.value.length > typesMax) {
    return refuse([
      { file: "", pointer: "", message: `has ${files.value.length} types, and at most ${typesMax} may be` },
    ]);
  }
  const found = files.value.map((file) => ({ file, read: readDeclaration(join(folder, file)) }));
  const declared = found.flatMap(({ file, read }) => (read.ok ? [{ file, declaration: read.value }] : []));
  const faults = found.flatMap(({ file, read }) => (read.ok ? [] : read.error.map((fault) => ({ file, ...fault }))));
  faults.push(...findTaken(declared, taken));
  return faults.length > 0 ? refuse(faults) : ok(declared.map(({ declaration }) => declaration));
}

function listFiles(folder: string): Result<readonly string[], readonly FileFault[]> {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
    return ok(names.toSorted());
  } catch (error) {
    return refuse([{ file: "", pointer: "", message: `cannot be read: ${explainFileFault(folder, error)}` }]);
  }
}

function readDeclaration(path: string): Result<Declaration, readonly Fault[]> {
  const text = readText(path);
  if (!text.ok) return refuse([{ pointer: "", message: text.error }]);
  const parsed = parseJson(text.value);
  return parsed.ok
    ? checkDeclaration(parsed.value, text.value)
    : refuse([{ pointer: "", message: parsed.error.detail }]);
}

/** Refused with the end of a sentence about the file. */
function readText(path: string): Result<string, string> {
  const { fileBytesMax } = LIMITS;
  let file: BoundedFile;
  try {
    file = readBounded(path, fileBytesMax);
  } catch (error) {
    return refuse(`cannot be read: ${explainFileFault(path, error)}`);
  }
  const { bytes, size } = file;
  if (bytes.length > fileBytesMax) return refuse(`has ${size} bytes, and at most ${fileBytesMax} may be`);
  if (withoutMark(bytes).length < bytes.length) {
    return refuse("begins with a byte order mark, which JSON must not have: save it as UTF-8 without one");
  }
  const read = readUtf8(bytes);
  return read.ok ? read : refuse(read.error.replace("; send it", "; save it"));
}

function findTaken(
  declared: readonly { readonly file: string; readonly declaration: Declaration }[],
  taken: readonly string[],
): FileFault[] {
  const fileOf = new Map<string, string>();
  return declared.flatMap(({ file, declaration: { type } }) => {
    const first = fileOf.get(type);
    if (first === undefined) fileOf.set(type, file);
    const builtIn = taken.includes(type) ? "is a built-in type" : null;
    const message = builtIn ?? (first === undefined ? null : `is declared in ${first} already`);
    return message === null ? [] : [{ file, pointer: "/type", message: `${message}: choose another name for ${type}` }];
  });
}
