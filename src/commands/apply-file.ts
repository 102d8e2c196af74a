/**
 * The file of `bellwire apply`: webhooks by ids of its author's, in JSON. A secret stands elsewhere: in the place of
 * any text there may be `{"from_env": "NAME"}` or `{"from_file": "path"}`, so that the file can be committed.
 */
import { dirname, resolve } from "node:path";
import { parseJson } from "../events/exact-json.ts";
import { isTooDeep } from "../events/json-levels.ts";
import { findNameTwice } from "../events/name-twice.ts";
import { readUtf8 } from "../lib/record-text.ts";
import { ok, refuse, type Result } from "../lib/result.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import type { CommandIo } from "./command.ts";
import { readFile } from "./read-file.ts";

/** Settings by id, as the file has them but for its secrets; the service checks them. */
export type Wanted = ReadonlyMap<string, unknown>;

/** Guess: far above any settings, and far below what `fillIn` can walk. */
const LEVELS_MAX = 64;

/** `null` when something is wrong with the file: it is said. */
export function readWanted(io: Pick<CommandIo, "variable" | "err">, path: string): Wanted | null {
  const content = readFile(path);
  const text = content.ok ? readUtf8(content.value) : content;
  if (!text.ok) return refuseFile(io, [`${path} cannot be read (${text.error})`]);
  const parsed = parseJson(text.value);
  if (!parsed.ok) return refuseFile(io, [`${path}: ${parsed.error.detail}`]);
  if (isTooDeep(text.value, LEVELS_MAX)) {
    return refuseFile(io, [`${path} has more than ${LEVELS_MAX} levels of objects and lists`]);
  }
  const twice = findNameTwice(text.value);
  if (twice !== null) return refuseFile(io, [`${path}: ${twice} is there twice: leave one out`]);
  const { webhooks, ...more } = isObject(parsed.value) ? parsed.value : {};
  if (!isObject(webhooks) || Object.keys(more).length > 0) {
    return refuseFile(io, [`${path} must be {"webhooks": {"an-id-of-yours": {…}}}, and nothing else`]);
  }
  const faults: string[] = [];
  const folder = dirname(resolve(path));
  const filled = fillIn(webhooks, { variable: io.variable, folder, at: "webhooks", faults }) as Members;
  faults.push(...assistantsTwice(filled));
  return faults.length > 0 ? refuseFile(io, faults) : new Map(Object.entries(filled));
}

/** The service tries each webhook by itself, so it would refuse the second one after the first is saved. */
function assistantsTwice(webhooks: Members): readonly string[] {
  const first = new Map<string, string>();
  return Object.entries(webhooks).flatMap(([id, settings]) => {
    const { kind, assistant_id: assistantId } = isObject(settings) ? settings : {};
    if (kind !== "assistant" || typeof assistantId !== "string") return [];
    const one = first.getOrInsert(assistantId, id);
    if (one === id) return [];
    return [`webhooks.${id}: assistant_id is that of webhooks.${one}; a chat assistant has one webhook`];
  });
}

function refuseFile({ err }: Pick<CommandIo, "err">, faults: readonly string[]): null {
  for (const fault of faults) err(terminalText(fault, FAULT_CHARS_MAX));
  return null;
}

const FAULT_CHARS_MAX = 1_000;

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Filling extends Pick<CommandIo, "variable"> {
  /** Of the file: paths in it begin there. */
  readonly folder: string;
  readonly at: string;
  readonly faults: string[];
}

function fillIn(value: unknown, filling: Filling): unknown {
  const { at } = filling;
  if (Array.isArray(value)) return value.map((member, place) => fillIn(member, { ...filling, at: `${at}[${place}]` }));
  if (!isObject(value)) return value;
  if ("from_env" in value || "from_file" in value) return readElsewhere(value, filling);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fillIn(member, { ...filling, at: `${at}.${key}` })]),
  );
}

/** A text that stands outside the file. One that is empty is a mistake: nobody keeps an empty secret. */
function readElsewhere({ from_env: name, from_file: path, ...more }: Members, filling: Filling): string {
  const isAlone = Object.keys(more).length === 0 && (name === undefined || path === undefined);
  const where = name ?? path;
  const text =
    !isAlone || typeof where !== "string" || where === ""
      ? refuse('must be {"from_env": "NAME"} or {"from_file": "path"}, and nothing beside it')
      : path === undefined
        ? readVariable(where, filling)
        : readText(where, filling);
  if (text.ok) return text.value;
  filling.faults.push(`${filling.at}: ${text.error}`);
  return "";
}

function readVariable(name: string, { variable }: Filling): Result<string, string> {
  const text = variable(name);
  if (text === undefined) return refuse(`the variable ${name} is not set`);
  return text === "" ? refuse(`the variable ${name} is empty`) : ok(text);
}

/** Without the line break at its end. */
function readText(path: string, { folder }: Filling): Result<string, string> {
  const content = readFile(resolve(folder, path));
  const text = content.ok ? readUtf8(content.value) : content;
  if (!text.ok) return refuse(`${path} cannot be read (${text.error})`);
  const line = text.value.replace(/\r?\n$/, "");
  return line === "" ? refuse(`${path} is empty`) : ok(line);
}
