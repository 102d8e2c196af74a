/** The address of a database that a command is given, as a word or in a file. */
import { parseDatabase } from "../config/option-text.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { readFile } from "./read-file.ts";

/** The text may hold a password, so no message repeats it. */
export function readAddress(
  command: string,
  words: readonly string[],
  file: string | undefined,
): Result<string, string> {
  const [word, ...others] = words;
  if (others.length > 0 || (word !== undefined && file !== undefined)) {
    return refuse(`${command} takes one address; in a shell, put it between quotation marks`);
  }
  const text = file === undefined ? ok(word ?? "") : readAddressFile(file);
  if (!text.ok) return text;
  if (text.value === "") return refuse(`${command} needs the address of a PostgreSQL database`);
  const parsed = parseDatabase(text.value);
  if (!parsed.ok) return refuse(`The address ${parsed.error.join("; ")}`);
  if (parsed.value.kind === "postgres") return ok(parsed.value.url);
  return refuse("The address must be one of PostgreSQL, such as postgres://user:password@host:5432/database");
}

function readAddressFile(file: string): Result<string, string> {
  const content = readFile(file);
  if (!content.ok) return refuse(`--address-file: ${file} cannot be read (${content.error})`);
  return ok(content.value.toString("utf8").trim());
}
