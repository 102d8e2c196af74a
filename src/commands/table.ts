/** A list on standard output: a line for each row with tabs between, so that a script can read it. */
import { terminalText } from "../receiver/terminal-text.ts";

/** Above the longest name that an account or a link takes. */
const CELL_CHARS_MAX = 400;

/** The columns' names, then the rows, whose members are the columns; nothing where there are no rows. */
export function toTable(rows: readonly Readonly<Record<string, string>>[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const cells = rows.map((row) => Object.values(row).map((cell) => terminalText(cell, CELL_CHARS_MAX)));
  return [Object.keys(first), ...cells].map((line) => line.join("\t"));
}
