/**
 * Checks the custom headers that an owner may add to webhook requests. Every refusal names its row and says what would
 * be right; nothing is dropped silently. Source: decisions §3 and §5, security page.
 *
 * `reserved-headers.ts` has the refused names with their reasons.
 */
import { pasteFault } from "../lib/pasted.ts";
import type { CustomHeader } from "./destination.ts";
import { LIMITS } from "./limits.ts";
import type { FieldError, Result } from "./problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { asRead, reasonReserved } from "./reserved-headers.ts";

/** RFC 9110 §5.6.2: the characters of a header's name. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Visible Latin-1, spaces and tabs: no CR, LF or NUL can end the header early. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Checks the rows as a person entered them. `signatureHeader` is the header that carries our signature. A row that is
 * among the `saved` ones may have anything in it that was taken when it was saved.
 * Paths in errors are `headers[2].name` or `headers[2].value`; `headers` for the list as a whole.
 */
export function checkCustomHeaders(
  headers: readonly CustomHeader[],
  signatureHeader: string,
  saved: readonly CustomHeader[] = [],
): Result<readonly CustomHeader[], readonly FieldError[]> {
  const isSaved = (row: CustomHeader): boolean =>
    saved.some(({ name, value }) => name === row.name && value === row.value);
  const errors = [...checkTotals(headers), ...headers.flatMap(createRowCheck(signatureHeader, isSaved))];
  return errors.length === 0 ? ok(headers) : refuse(errors);
}

function checkTotals(headers: readonly CustomHeader[]): FieldError[] {
  const errors: FieldError[] = [];
  if (headers.length > LIMITS.customHeadersMax) {
    errors.push({
      path: "headers",
      message: `has ${headers.length} rows; at most ${LIMITS.customHeadersMax} are sent`,
    });
  }
  const bytes = headers.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  if (bytes > LIMITS.customHeaderBytesMax) {
    errors.push({
      path: "headers",
      message: `has ${bytes} bytes in all; at most ${LIMITS.customHeaderBytesMax} are sent`,
    });
  }
  return errors;
}

function createRowCheck(signatureHeader: string, isSaved: (header: CustomHeader) => boolean) {
  const taken = new Map<string, Row>();
  return (header: CustomHeader, row: number): FieldError[] => {
    const { name } = header;
    const nameError = checkName(name, signatureHeader) ?? checkUnique({ name, row }, taken);
    const valueError = isSaved(header) ? null : checkValue(header);
    return [
      ...(nameError === null ? [] : [{ path: `headers[${row}].name`, message: nameError }]),
      ...(valueError === null ? [] : [{ path: `headers[${row}].value`, message: valueError }]),
    ];
  };
}

function checkName(name: string, signatureHeader: string): string | null {
  if (name === "") return "is empty; give the header a name or remove the row";
  if (name.length > LIMITS.headerNameCharsMax) return `is longer than ${LIMITS.headerNameCharsMax} characters`;
  if (name.includes(" ")) return NAME_CHARACTERS;
  const pasted = pasteFault(name, { kind: "token" });
  if (pasted !== null || !TOKEN.test(name)) return pasted ?? NAME_CHARACTERS;
  const reason = reasonReserved(name, signatureHeader);
  return reason === null ? null : `"${name}" ${reason}`;
}

const NAME_CHARACTERS = "may have letters, digits and !#$%&'*+-.^_`|~ only; no spaces, no colon";

interface Row {
  readonly name: string;
  readonly row: number;
}

/** Also refuses twins such as `x_team` and `x-team`: a CGI program sees only one, and not always the same. */
function checkUnique(own: Row, taken: Map<string, Row>): string | null {
  const read = asRead(own.name);
  const earlier = taken.get(read);
  if (earlier === undefined) {
    taken.set(read, own);
    return null;
  }
  const place = `row ${earlier.row + 1}`;
  return earlier.name.toLowerCase() === own.name.toLowerCase()
    ? `"${own.name}" is already in ${place}; each name can be sent once`
    : `"${own.name}" is one name with "${earlier.name}" in ${place} for many servers; each can be sent once`;
}

function checkValue({ name, value, secret }: CustomHeader): string | null {
  if (value.length > LIMITS.headerValueCharsMax) return `is longer than ${LIMITS.headerValueCharsMax} characters`;
  const pasted = pasteFault(value, { kind: "header", name, isSecret: secret });
  if (pasted !== null || VALUE.test(value)) return pasted;
  const characters = Array.from(value);
  const place = characters.findIndex((character) => !VALUE.test(character));
  const codePoint = characters[place]?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  return `may have Latin-1 characters only; character ${place + 1} of ${characters.length} is none (U+${codePoint})`;
}
