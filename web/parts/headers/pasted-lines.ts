/**
 * `Name: value` lines as people paste them: from documentation, from a curl command, from a browser's developer tools.
 * Any other text is left to the field it was pasted into.
 */
export interface PastedHeader {
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
