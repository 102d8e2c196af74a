/**
 * The rows of custom headers while somebody edits them. Pure: every change gives a new list.
 *
 * Each row has an id of its own, so typing keeps the focus and rows keep their places. The page never gets a saved
 * secret value: its row only knows the name under which the service has it.
 */
export interface HeaderRow {
  readonly id: number;
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  /** The name under which the service has a secret value for this row; `null` when it has none. */
  readonly savedAs: string | null;
  /** The typed value replaces the saved one. */
  readonly isReplaced: boolean;
  /** A person has set or cleared "secret", so the header's name no longer decides it. */
  readonly isTickChosen: boolean;
}

export interface HeaderList {
  readonly rows: readonly HeaderRow[];
  /** The id of the next new row. */
  readonly nextId: number;
}

export function addRow<List extends HeaderList>(list: List): List {
  return { ...list, rows: [...list.rows, newRow(list.nextId)], nextId: list.nextId + 1 };
}

/** The rest of its value is for a person to fill in. */
export function addAuthorization<List extends HeaderList>(list: List, scheme: string): List {
  const value = `${scheme} `;
  return changeRow(nameRow(addRow(list), list.nextId, "Authorization"), list.nextId, (row) => ({ ...row, value }));
}

export function removeRow<List extends HeaderList>(list: List, id: number): List {
  return { ...list, rows: list.rows.filter((row) => row.id !== id) };
}

/** The name ticks Secret by itself until somebody has chosen. */
export function nameRow<List extends HeaderList>(list: List, id: number, name: string): List {
  return changeRow(list, id, (row) => ({
    ...row,
    name,
    isSecret: row.isTickChosen ? row.isSecret : looksSecret(name),
  }));
}

export function changeRow<List extends HeaderList>(
  list: List,
  id: number,
  change: (row: HeaderRow) => HeaderRow,
): List {
  return { ...list, rows: list.rows.map((row) => (row.id === id ? change(row) : row)) };
}

/**
 * Fills this row, and new rows behind it for the other lines. `null` when the text is not a list of headers, or when it
 * is one line for a field that has something in it already: then the paste goes into the field as text.
 */
export function pasteIntoRow<List extends HeaderList>(list: List, id: number, text: string): List | null {
  const row = list.rows.find((each) => each.id === id);
  const pasted = parsePastedHeaders(text);
  if (row === undefined || pasted === null) return null;
  const isEmpty = row.name === "" && row.value === "";
  if (pasted.length === 1 && !isEmpty) return null;
  const added = pasted.map(({ name, value }, index): HeaderRow => ({
    ...newRow(isEmpty && index === 0 ? id : list.nextId + index),
    name,
    value,
    isSecret: looksSecret(name),
  }));
  const rows = list.rows.flatMap((each) => (each.id !== id ? [each] : isEmpty ? added : [each, ...added]));
  return { ...list, rows, nextId: list.nextId + pasted.length };
}

function newRow(id: number): HeaderRow {
  return { id, name: "", value: "", isSecret: false, savedAs: null, isReplaced: false, isTickChosen: false };
}

/**
 * `Name: value` lines as people paste them: from documentation, from a curl command, from a browser's developer tools.
 * Any other text is left to the field it was pasted into.
 */
interface PastedHeader {
  readonly name: string;
  readonly value: string;
}

/** `-H 'Name: value' \` or `"Name": "value",` or `Name: value`. The name has no blanks in it. */
const LINE = /^(?:(?:-H|--header)[\s=]+)?(["']?)([^\s:"']+)\1?\s*:\s*(.*)$/;

/** `null` when it is not a list of headers: then the paste goes into the field as text. */
export function parsePastedHeaders(text: string): readonly PastedHeader[] | null {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const headers = lines.map(parseLine);
  if (headers.length === 0 || headers.includes(null)) return null;
  return headers.filter((header) => header !== null);
}

function parseLine(line: string): PastedHeader | null {
  const isCurl = /^(?:-H|--header)\b/.test(line);
  const found = LINE.exec(isCurl ? line.replace(/\s*\\$/, "") : line);
  if (found === null) return null;
  const [, mark = "", name = "", rest = ""] = found;
  // A URL pasted by mistake looks like a header named https.
  if (rest.startsWith("//")) return null;
  return { name, value: isCurl ? withoutEnd(rest, mark) : unquoted(rest, mark) };
}

/** The quote that was opened before the name ends behind the value. */
const withoutEnd = (value: string, mark: string): string =>
  mark !== "" && value.endsWith(mark) ? value.slice(0, -1) : value;

/** A line of JSON has quotes around its value and a comma behind it; anything else is taken as it is. */
function unquoted(value: string, nameMark: string): string {
  if (nameMark === "") return value;
  const inner = /^(["'])(.*)\1,?$/.exec(value)?.[2];
  return inner ?? value;
}

/* Which header names usually carry a secret: their rows tick Secret by themselves. */

/** Whole words of the name: `X-Auth-Token` yes, `X-Tokenizer` no. */
const WORD = /(?:^|[-_])(?:authorization|cookie|token|secret|password|passwd|credentials?|signature|apikey)(?:$|[-_])/i;
const API_KEY = /(?:^|[-_])(?:api|access|auth|private|subscription|functions)[-_]?key$/i;

export function looksSecret(name: string): boolean {
  const trimmed = name.trim();
  return WORD.test(trimmed) || API_KEY.test(trimmed);
}
