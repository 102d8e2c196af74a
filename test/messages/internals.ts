/** Whether a message speaks as we do: no library's words come before a sentence of ours. */
import assert from "node:assert/strict";

/** How OpenSSL, V8, Node, undici, pg, SQLite, TypeBox and nodemailer begin to speak, or what only they say. */
const INTERNALS: readonly RegExp[] = [
  /^(?:[A-Za-z]*Error|Error)\b/,
  /^E[A-Z]{4,}\b/,
  /^(?:ERR|UND_ERR|HPE|SQLITE)_/,
  /^(?:connect|read|write|getaddrinfo|listen|open) E/,
  /^[0-9A-F]{8,}:error:/,
  /error:[0-9A-F]{8}/,
  /SSL routines|routines::|unable to (?:verify|get)/,
  /Unexpected (?:token|end|non-whitespace)|" is not valid JSON|JSON\.parse/,
  /Unknown option '|argument missing|To specify a positional/,
  /Expected (?:union|object|string)|schema validation/,
  /\bat (?:async )?\S+ \(?(?:file|node):/,
  /\[object Object\]|\bundefined\b|\bNaN\b/,
];

/** `says`: the field or the place, what was wrong, and what would be right. */
export function assertTold(message: string | undefined, says: RegExp): void {
  assert.match(message ?? "(nothing was said)", says);
  const [first = ""] = (message ?? "").split(/: |\(|; /, 1);
  for (const internal of INTERNALS) assert.doesNotMatch(first, internal, message ?? "");
}
