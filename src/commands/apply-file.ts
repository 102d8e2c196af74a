/**
 * The file of `bellwire apply`: webhooks by ids of its author's, in JSON. A secret stands elsewhere: in the place of
 * any text there may be `{"from_env": "NAME"}` or `{"from_file": "path"}`, so that the file can be committed.
 */
import { dirname, resolve } from "node:path";
import { parseJson } from "../events/exact-json.ts";
import { readUtf8 } from "../lib/record-text.ts";
import type { CommandIo } from "./command.ts";
import { readFile } from "./read-file.ts";

/** Settings by id, as the file has them but for its secrets; the service checks them. */
export type Wanted = ReadonlyMap<string, unknown>;

/** `null` when something is wrong with the file: it is said. */
export function readWanted(io: Pick<CommandIo, "env" | "err">, path: string): Wanted | null {
  const content = readFile(path);
  const text = content.ok ? readUtf8(content.value) : content;
  if (!text.ok) return refuseFile(io, [`${path} cannot be read (${text.error})`]);
  const parsed = parseJson(text.value);
  if (!parsed.ok) return refuseFile(io, [`${path}: ${parsed.error.detail}`]);
  const { webhooks, ...more } = isObject(parsed.value) ? parsed.value : {};
  if (!isObject(webhooks) || Object.keys(more).length > 0) {
    return refuseFile(io, [`${path} must be {"webhooks": {"an-id-of-yours": {…}}}, and nothing else`]);
  }
  const faults: string[] = [];
  const folder = dirname(resolve(path));
  const filled = fillIn(webhooks, { env: io.env, folder, at: "webhooks", faults }) as Members;
  return faults.length > 0 ? refuseFile(io, faults) : new Map(Object.entries(filled));
}

function refuseFile({ err }: Pick<CommandIo, "err">, faults: readonly string[]): null {
  for (const fault of faults) err(fault);
  return null;
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Filling {
  readonly env: CommandIo["env"];
  /** Of the file: paths in it begin there. */
  readonly folder: string;
  readonly at: string;
  readonly faults: string[];
}

function fillIn(value: unknown, filling: Filling): unknown {
  const { at } = filling;
  if (Array.isArray(value)) return value.map((member, place) => fillIn(member, { ...filling, at: `${at}[${place}]` }));
  if (!isObject(value)) return value;
  const { from_env: name, from_file: path } = value;
  if (Object.keys(value).length === 1 && typeof name === "string") return readEnv(name, filling);
  if (Object.keys(value).length === 1 && typeof path === "string") return readText(path, filling);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fillIn(member, { ...filling, at: `${at}.${key}` })]),
  );
}

function readEnv(name: string, { env, at, faults }: Filling): string {
  const value = env[name] ?? "";
  if (value === "") faults.push(`${at}: the variable ${name} is not set`);
  return value;
}

/** Without the line break at its end. */
function readText(path: string, { folder, at, faults }: Filling): string {
  const content = readFile(resolve(folder, path));
  const text = content.ok ? readUtf8(content.value) : content;
  if (!text.ok) faults.push(`${at}: ${path} cannot be read (${text.error})`);
  return text.ok ? text.value.replace(/\r?\n$/, "") : "";
}
