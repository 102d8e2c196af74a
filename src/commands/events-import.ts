/**
 * `bellwire events import`: makes files of declared event types of a catalog that a team has already, OpenAPI, AsyncAPI
 * or JSON Schema. A type that does not run yet goes into a folder that no start reads; nothing that is there changes.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DECLARATION_LIMITS } from "../events/declared/declaration.ts";
import { parseJson } from "../events/exact-json.ts";
import { type Imported, type ImportedType, importCatalogs } from "../events/imported/import-catalog.ts";
import { asMembers } from "../events/summary.ts";
import { explainFileFault } from "../lib/file-fault.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { ok, refuse, type Result } from "../lib/result.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArgumentsWithWords, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";

const HELP = `Usage: bellwire events import FILE... [--into folder] [--force] [--json]

Makes a file for each event of catalogs in JSON: webhooks and callbacks of OpenAPI 3, messages of AsyncAPI 2 and 3, and
JSON Schema, one a file or below $defs. References are followed within the files and to others below their folder;
nothing is fetched. Key, time, headline and example are proposed, and what a person has to decide is listed. A type
that the check refuses goes into the folder's "unfinished", which no start reads: mend it, and move it up.
Exit code 1 when a type or a file is left.

${JSON_HELP}
  --into folder     where to; otherwise the folder of BELLWIRE_EVENTS
  --force           writes over files that differ. Without it they stay as they are`;

const FLAGS = { into: { type: "string" }, force: { type: "boolean" }, ...JSON_FLAG } as const;

/** Of types that do not run yet. A start reads the files of its folder, and no folder in it. */
const UNFINISHED = "unfinished";

type State = "written" | "unchanged" | "kept" | "left";
interface Outcome extends Omit<ImportedType, "text"> {
  readonly state: State;
  /** `null`: there is none. */
  readonly file: string | null;
}

export const eventsImport: Command = async (io) => {
  const given = readArgumentsWithWords(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { into: folder = io.env["BELLWIRE_EVENTS"] ?? "", force: isForced = false, json } = given.values;
  if (given.words.length === 0) return misuse(io, HELP, "events import takes the files of a catalog");
  if (folder === "") return misuse(io, HELP, "name the folder of your event types with --into, or set BELLWIRE_EVENTS");
  const imported = importCatalogs(given.words);
  const outcomes = writeTypes(folder, imported.types, isForced);
  if (!outcomes.ok) {
    io.err(outcomes.error);
    return 1;
  }
  const { unread, parts } = imported;
  if (json) show(io, json, { value: { types: outcomes.value, unread, parts }, lines: () => [] });
  else report(io, folder, { ...imported, types: outcomes.value });
  return unread.length === 0 && outcomes.value.every(({ faults }) => faults.length === 0) ? 0 : 1;
};

/** Refused with a sentence. */
function writeTypes(
  folder: string,
  types: readonly ImportedType[],
  isForced: boolean,
): Result<readonly Outcome[], string> {
  const outcomes: Outcome[] = [];
  let path = folder;
  try {
    const declared = existsSync(folder) ? listDeclared(folder) : new Map<string, string>();
    for (const { text, ...type } of types) {
      const top = declared.get(type.type);
      path = join(folder, top ?? join(type.faults.length > 0 ? UNFINISHED : "", `${type.type}.json`));
      const state =
        text === null
          ? "left"
          : writeFile(path, text, { isForced, isMended: top !== undefined && type.faults.length > 0 });
      // Who has mended a type has it in the folder, where the next check sees it.
      const faults = state === "kept" && top !== undefined ? [] : type.faults;
      outcomes.push({ ...type, faults, state, file: text === null ? null : path });
    }
    return ok(outcomes);
  } catch (error) {
    return refuse(`${path} cannot be written: ${explainFileFault(path, error)}.`);
  }
}

/** The names of the files by the types that they declare. */
const listDeclared = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (!entry.isFile() || !entry.name.endsWith(".json")) return [];
      const parsed = parseJson(readFileSync(join(folder, entry.name), "utf8"));
      const { type } = asMembers(parsed.ok ? parsed.value : null);
      return [[typeof type === "string" ? type : basename(entry.name, ".json"), entry.name] as const];
    }),
  );

interface WriteOptions {
  readonly isForced: boolean;
  /** The new text does not run, and what is there may. */
  readonly isMended: boolean;
}

function writeFile(path: string, text: string, { isForced, isMended }: WriteOptions): State {
  if (existsSync(path)) {
    if (readFileSync(path, "utf8") === text) return "unchanged";
    if (!isForced || isMended) return "kept";
  }
  makeFolder(join(path, ".."));
  writeFileSync(path, text, { flag: existsSync(path) ? "w" : "wx" });
  return "written";
}

/** A catalog comes from elsewhere, and its words stand in the lines. */
const forTerminal = ({ out, err }: CommandIo): Pick<CommandIo, "out" | "err"> => ({
  out: (line) => out(terminalText(line, LINE_CHARS_MAX)),
  err: (line) => err(terminalText(line, LINE_CHARS_MAX)),
});

const LINE_CHARS_MAX = 1_000;

function report(
  given: CommandIo,
  folder: string,
  { types, unread, parts }: Omit<Imported, "types"> & { types: readonly Outcome[] },
): void {
  const io = forTerminal(given);
  for (const { type, state, file, place, faults } of types) {
    io.out(`${state.padEnd(9)}  ${faults.length === 0 ? " " : "!"} ${file ?? type}  (${place})`);
  }
  const decisions = types.flatMap(({ type, decisions: list }) => list.map((each) => ({ type, ...each })));
  if (decisions.length > 0) given.out("\nDecide whether this is right:");
  for (const { type, at, what, proposed } of decisions) io.out(`  ${type} ${at}: ${what}; proposed: ${proposed}.`);
  const left = types.filter(({ faults }) => faults.length > 0);
  if (left.length > 0) io.err("To be mended before they run:");
  for (const { type, file, faults } of left) {
    for (const { pointer, message } of faults) io.err(`  ${file ?? type} ${pointer} ${message}`);
  }
  for (const { file, message } of unread) io.err(`${file} ${message}.`);
  const kept = types.filter(({ state }) => state === "kept").length;
  if (kept > 0) io.err(`${kept} stay as they are, where the catalog says something else: --force writes over them.`);
  const runs = types.length - left.length;
  const { typesMax } = DECLARATION_LIMITS;
  if (runs > typesMax)
    io.err(`An installation has at most ${typesMax} types: take away the files of what you do not send.`);
  const asParts = parts === 0 ? "" : ` ${parts} schemas are parts of others.`;
  given.out(`\n${runs} of ${types.length} types run.${asParts} Next: bellwire events check ${folder}`);
}
