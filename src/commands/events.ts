/**
 * `bellwire events`: checks the files of declared event types, says whom a change of them breaks, and prints them as
 * TypeScript; without a service, so that it fits a build.
 */
import { CALLER_KEY, type Declaration, keyPointers } from "../events/declared/declaration.ts";
import { describeBreak, findBreaks, keyWords } from "../events/declared/find-breaks.ts";
import { namesTheThing } from "../events/declared/key-hint.ts";
import { hasNewKeys } from "../events/declared/new-example.ts";
import { listNotes, withEveryFormat } from "../events/formats.ts";
import { listFields } from "../events/schema/fields.ts";
import { printTypes } from "../events/declared/typescript.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArgumentsWithWords, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { eventsImport } from "./events-import.ts";
import { databaseWords } from "./installation.ts";
import { readKnownTypes } from "./known-types.ts";
import { readDeclarations, readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire events check [folder] [--against folder] [--json]
       bellwire events types [folder]
       bellwire events import FILE... [--into folder] [--force] [--json]

Checks the event types that the folder's files declare, without starting anything, and lists them; or prints records
and bodies as TypeScript, for the back end and for receivers; or makes the files of a catalog in OpenAPI, AsyncAPI or
JSON Schema (events import --help). The folder is that of BELLWIRE_EVENTS unless it is named.
Exit code 1 when a file has a fault, or when a change breaks somebody. The check compares with what the installation of
BELLWIRE_DATABASE was last started with, if there is one.

A schema is JSON Schema 2020-12. The formats date-time, email, uri and uuid are asserted, others where a file says
"enforce_formats": true. Patterns are regular expressions of JavaScript with the flag u, without look-arounds and
back-references: they are matched in linear time. A schema whose check would double with each level of a record is
refused.

${JSON_HELP}: what is declared, hints and what a change breaks
  --against folder  compares with files instead. A comparison names each field that went away, changed its type, can
                    be null or missing now (it breaks receivers), or must be there now (it breaks the back end)`;

const FLAGS = { against: { type: "string" }, ...JSON_FLAG } as const;

export const events: Command = async (io) => {
  if (io.args[0] === "import") return await eventsImport({ ...io, args: io.args.slice(1) });
  const given = readArgumentsWithWords(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const [verb, folder = io.env["BELLWIRE_EVENTS"] ?? "", ...more] = given.words;
  const { against, json } = given.values;
  if (verb !== "check" && verb !== "types") return misuse(io, HELP, "events takes check, types or import");
  if (more.length > 0) return misuse(io, HELP, `"${more[0]}" is one word too many: events takes one folder`);
  if (folder === "") return misuse(io, HELP, "name the folder of your event types, or set BELLWIRE_EVENTS");
  if (against !== undefined && verb !== "check") return misuse(io, HELP, "--against belongs to events check");
  if (json && verb !== "check") return misuse(io, HELP, "--json belongs to events check");
  const declarations = readDeclarations(io, folder);
  if (declarations === null) return 1;
  if (verb === "check") return await check(io, declarations, { against, json });
  io.out(printTypes(declarations).trimEnd());
  return 0;
};

async function check(
  io: CommandIo,
  declarations: readonly Declaration[],
  { against, json }: { readonly against: string | undefined; readonly json: boolean },
): Promise<number> {
  const rows = declarations.map(toRow);
  const hints = declarations.flatMap((each) => listHints(each).map((hint) => `${each.type}: ${hint}.`));
  if (!json) show(io, json, { value: rows, lines: () => toTable(rows) });
  for (const hint of json ? [] : hints) io.err(hint);
  const before = against === undefined ? await readKnown(io) : readDeclarations(io, against);
  if (before === null) return 1;
  const breaks = findBreaks(before, declarations).map(describeBreak);
  if (json) show(io, json, { value: { types: rows, hints, breaks }, lines: () => [] });
  else for (const each of breaks) io.err(each);
  return breaks.length === 0 ? 0 : 1;
}

/** What is right, and may not be meant. */
function listHints(declaration: Declaration): readonly string[] {
  const { type, schema, occurredAt, enforceFormats = false } = declaration;
  const key = keyWords(declaration);
  const hints: string[] = [];
  if (!hasNewKeys(declaration)) {
    const at = `no other key than the example's was found that the schema takes at ${key}`;
    hints.push(`${at}, so each Test has that one`);
  }
  if (keyPointers(declaration).length === 1 && namesTheThing(type, key)) {
    hints.push(
      `its key ${key} looks like the id of what changes, so only the first change of each makes an event. Name what ` +
        `tells changes apart too, such as "key": ${JSON.stringify([key, occurredAt ?? "/updated_at"])}, or let the ` +
        `sender: "key": "${CALLER_KEY}"`,
    );
  }
  const notes = listNotes(enforceFormats ? withEveryFormat(schema) : schema).join(", ");
  const hint = enforceFormats ? "" : '; "enforce_formats": true has those of JSON Schema checked';
  return notes === "" ? hints : [...hints, `the format ${notes} is a note, which nothing checks${hint}`];
}

/** What the installation knew last; `null` after the reason was printed why it cannot be read. */
async function readKnown(io: CommandIo): Promise<readonly Declaration[] | null> {
  const config = readSettings(io);
  if (config === null) return null;
  const known = await readKnownTypes(config);
  if (!known.ok) {
    io.err(`Nothing to compare with: ${known.error}. Set BELLWIRE_DATABASE, or name the files before with --against.`);
    return null;
  }
  if (known.value === null || known.value.length === 0) {
    const why =
      known.value === null
        ? `there is no database ${databaseWords(config)} (BELLWIRE_DATABASE names another)`
        : "the installation was never started with event types";
    io.err(`Compared with nothing: ${why}.`);
  }
  return known.value ?? [];
}

function toRow(each: Declaration) {
  const { type, schema, headline } = each;
  return { type, fields: listFields(schema).length, key: keyWords(each), headline: headline.join(" ") };
}

function toTable(rows: readonly ReturnType<typeof toRow>[]): string[] {
  const cells = rows.map((row) => Object.values(row).map(String));
  const table = [["type", "fields", "key", "headline"], ...cells];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
