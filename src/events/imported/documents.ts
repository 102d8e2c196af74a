/**
 * The files of a catalog, and where a reference in them leads: within the file, to a neighbour below the given file's
 * folder, or to the `$id` of a file that was given too. Nothing is fetched, no file is read twice, and files, bytes and
 * levels have bounds.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { explainFileFault } from "../../lib/file-fault.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { readUtf8 } from "../../lib/record-text.ts";
import { ok, refuse, type Result } from "../../lib/result.ts";
import { parseJson } from "../exact-json.ts";
import { isTooDeep } from "../json-levels.ts";
import { isSchemaObject, parsePointer, type SchemaObject, toPointer } from "../schema/keywords.ts";

/** Guesses, above every catalog that people keep. The largest public ones have 12 MB. */
const FILES_MAX = 2_000;
const MIB_MAX = 64;
const LEVELS_MAX = 256;

export interface Document {
  readonly path: string;
  readonly root: SchemaObject;
  /** Its `$id`, or where it lies. */
  readonly base: string;
  /** Nothing outside of it is read. */
  readonly folder: string;
  /** Of a dialect that passes over what stands beside a `$ref`: drafts up to 7, AsyncAPI, OpenAPI 3.0. */
  readonly isOld: boolean;
}

/** A value in a document. */
export interface Spot {
  readonly document: Document;
  readonly path: readonly string[];
  readonly value: unknown;
}

export interface Documents {
  /** Refused with the end of a sentence about the file. */
  open(path: string): Result<Spot, string>;
  /** Refused with the end of a sentence about the reference. */
  resolve(from: Spot, reference: string): Result<Spot, string>;
}

export const keyOf = ({ document, path }: Spot): string => `${document.path}#${toPointer(path)}`;

/** For people: `orders.json#/webhooks/paid`. */
export const placeOf = ({ document, path }: Spot): string =>
  `${basename(document.path)}${path.length === 0 ? "" : `#${toPointer(path)}`}`;

/** What is there; the value is `undefined` where nothing is. */
export function stepInto(spot: Spot, ...names: readonly string[]): Spot {
  let at = spot;
  for (const name of names) {
    const { value } = at;
    const next: unknown =
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined;
    at = { ...at, path: [...at.path, name], value: next };
  }
  return at;
}

/** What stands below a name, each with its own. */
export const listSpots = (spot: Spot): readonly (readonly [name: string, spot: Spot])[] =>
  typeof spot.value === "object" && spot.value !== null
    ? Object.keys(spot.value).map((name) => [name, stepInto(spot, name)])
    : [];

export function openDocuments(): Documents {
  const opened = new Map<string, Result<Spot, string>>();
  const ids = new Map<string, Spot>();
  let bytesLeft = MIB_MAX * 1024 * 1024;
  const openIn = (path: string, folder: string): Result<Spot, string> => {
    const key = `${folder}\n${path}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    if (opened.size >= FILES_MAX) return refuse(`is one file too many: at most ${FILES_MAX} are read`);
    const text = readText(path, bytesLeft);
    if (text.ok) bytesLeft -= Buffer.byteLength(text.value);
    const read = text.ok ? toSpot(text.value, path, folder) : text;
    opened.set(key, read);
    if (read.ok) for (const [id, spot] of listIds(read.value)) ids.set(id, ids.get(id) ?? spot);
    return read;
  };
  const findFile = (from: Spot, address: string): Result<Spot, string> => {
    const { folder, base, path } = from.document;
    const byId = ids.get(toUrl(address, base) ?? address) ?? ids.get(address);
    if (byId !== undefined) return ok(byId);
    // An address beside the file's own is a file beside the file.
    const near = new URL(".", base).href;
    const file = toUrl(address.startsWith(near) ? address.slice(near.length) : address, pathToFileURL(path).href);
    if (file?.startsWith("file:///") !== true || address.startsWith("file:")) {
      return refuse("leads to another document, and none is fetched: save it, and name it as one more FILE");
    }
    const wanted = [fileURLToPath(file), `${fileURLToPath(file)}.json`].map(findReal);
    const real = wanted.find((each) => each.ok) ?? wanted[0];
    if (real?.ok !== true) return refuse(`leads to the file ${address}, which ${real?.error}`);
    const away = relative(folder, real.value);
    if (away === ".." || away.startsWith(`..${sep}`) || isAbsolute(away)) return refuse(OUTSIDE);
    const read = openIn(real.value, folder);
    return read.ok ? read : refuse(`leads to the file ${address}, which ${read.error}`);
  };
  return {
    open(path) {
      const real = findReal(path);
      return real.ok ? openIn(real.value, dirname(real.value)) : real;
    },
    resolve(from, reference) {
      const [address = "", fragment = ""] = reference.split(/#(.*)/s);
      const start = address === "" ? ok(rootOf(from.document)) : findFile(from, address);
      if (!start.ok) return start;
      const part = decode(fragment);
      const pointer = parsePointer(part);
      const places = address === "" ? listResources(from) : [start.value];
      const found =
        pointer === null
          ? ids.get(`${start.value.document.base}#${part}`)
          : places.map((each) => stepInto(each, ...pointer)).find(({ value }) => value !== undefined);
      return found === undefined ? refuse(`leads to nothing: ${placeOf(start.value)} has no ${part}`) : ok(found);
    },
  };
}

const OUTSIDE = "leads out of the folder of the given file: put both into one folder, or name both as FILE";

const rootOf = (document: Document): Spot => ({ document, path: [], value: document.root });

/** A pointer leads from the nearest `$id`. Catalogs that were put together by hand mean the whole file. */
function listResources({ document, path }: Spot): readonly Spot[] {
  const root = rootOf(document);
  const above = path.map((_name, index) => stepInto(root, ...path.slice(0, index + 1)));
  return [...above.filter(({ value }) => isSchemaObject(value) && typeof value.$id === "string").toReversed(), root];
}

function toSpot(text: string, path: string, folder: string): Result<Spot, string> {
  if (isTooDeep(text, LEVELS_MAX)) return refuse(`has more than ${LEVELS_MAX} levels of objects and lists`);
  const parsed = parseJson(text);
  if (!parsed.ok) return refuse(/\.ya?ml$/i.test(path) ? toConvert(path) : `is no JSON: ${parsed.error.detail}`);
  const root = parsed.value;
  if (!isSchemaObject(root)) return refuse("is no catalog: it must be an object, of OpenAPI, AsyncAPI or JSON Schema");
  const { openapi, asyncapi, $schema, $id } = root;
  const isOld = asyncapi !== undefined || String(openapi).startsWith("3.0") || /draft-0[1-7]/.test(String($schema));
  const own = pathToFileURL(path).href;
  return ok(rootOf({ path, root, folder, isOld, base: toUrl(typeof $id === "string" ? $id : own, own) ?? own }));
}

const toConvert = (path: string): string => {
  const name = basename(path);
  return `is YAML, and JSON is read: npx --yes yaml@2 --json --single < ${name} > ${name.replace(/\.\w+$/, "")}.json`;
};

/** Each `$id` and anchor, as an address and as it is written. */
function* listIds(spot: Spot): Generator<readonly [id: string, spot: Spot]> {
  const { value, path, document } = spot;
  if (path.length === 0)
    yield* [
      [document.base, spot],
      [pathToFileURL(document.path).href, spot],
    ] as const;
  for (const name of ["$id", "$anchor", "$dynamicAnchor"]) {
    const { value: id } = stepInto(spot, name);
    if (!isSchemaObject(value) || typeof id !== "string") continue;
    if (name !== "$id" || id.startsWith("#")) yield [`${document.base}#${id.replace("#", "")}`, spot];
    else
      yield* [
        [id, spot],
        [toUrl(id, document.base) ?? id, spot],
      ] as const;
  }
  for (const [, below] of listSpots(spot)) yield* listIds(below);
}

function findReal(path: string): Result<string, string> {
  try {
    return ok(realpathSync(path));
  } catch (error) {
    return refuse(`cannot be read: ${explainFileFault(path, error)}`);
  }
}

function readText(path: string, bytesMax: number): Result<string, string> {
  try {
    const { bytes } = readBounded(path, bytesMax);
    if (bytes.length > bytesMax) return refuse(`is too large: all files together have at most ${MIB_MAX} MiB`);
    const text = readUtf8(bytes);
    return text.ok ? text : refuse(text.error.replace("; send it", "; save it"));
  } catch (error) {
    return refuse(`cannot be read: ${explainFileFault(path, error)}`);
  }
}

/** Without a fragment. */
const toUrl = (text: string, base: string): string | null =>
  URL.canParse(text, base) ? new URL(text, base).href.replace(/#.*$/, "") : null;

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
