/** A list on standard output: a line for each row with tabs between, so that a script can read it. */
import { terminalText } from "../receiver/terminal-text.ts";

/** Above the longest name that an account or a link takes. */
const CELL_CHARS_MAX = 400;

/** Text from outside cannot change what the terminal shows of other lines. */
export const toLine = (cells: readonly string[]): string =>
  cells.map((cell) => terminalText(cell, CELL_CHARS_MAX)).join("\t");

/** The columns' names, then the rows, whose members are the columns; nothing where there are no rows. */
export function toTable(rows: readonly Readonly<Record<string, string>>[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  return [Object.keys(first), ...rows.map(Object.values)].map(toLine);
}
