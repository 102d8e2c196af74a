/**
 * Whether a text is about a person: whether it has their e-mail address, in any letter case and as people and programs
 * write it. JSON may escape each of its characters, also twice, and an address in a URL is percent-encoded, once for
 * each URL that it stands in. Pure.
 *
 * Invariant: an address within a longer one is another person's: `ann@x.example` is not in `joann@x.example`, nor in
 * `ann@x.example.org`.
 */
import { toNormalForm } from "../lib/normal-form.ts";

export interface Mentions {
  (text: string): boolean;
}

export function createMentions(email: string): Mentions {
  const wanted = toNormalForm(email, "NFC").toLowerCase();
  return (text) => {
    // Most texts end here: their letters are plain, and these are not among them.
    const plain = fold(text);
    if (hasAddress(plain, wanted)) return true;
    return /\\|%[0-9a-f]{2}/i.test(text) && hasAddress(fold(unescape(text)), wanted);
  };
}

const fold = (text: string): string => toNormalForm(text, "NFC").toLowerCase();

const ESCAPED = /\\+u([0-9a-f]{4})|\\+([nrtbf"/\\])/gi;
/** A percent sign of a URL within a URL, however deep: `%2540` is `%40` there. */
const ENCODED_AGAIN = /%(?:25)+(?=[0-9a-f]{2})/gi;
const PERCENT_ENCODED = /(?:%[0-9a-f]{2})+/gi;

const unescape = (text: string): string =>
  text
    .replaceAll(ESCAPED, (_, code: string | undefined, letter: string | undefined) =>
      code === undefined ? (letter === '"' || letter === "/" ? letter : " ") : String.fromCharCode(parseInt(code, 16)),
    )
    .replaceAll(ENCODED_AGAIN, "%")
    .replaceAll(PERCENT_ENCODED, (octets) => Buffer.from(octets.replaceAll("%", ""), "hex").toString("utf8"));

/** Characters of an address that could go on before it; an apostrophe only behind a letter, else it is a quote. */
const BEFORE = /[\p{L}\p{N}._%+-]$|[\p{L}\p{N}]'$/u;
/** And behind it: another label of the domain. */
const BEHIND = /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}])/u;

function hasAddress(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    if (!BEFORE.test(before) && !BEHIND.test(text.slice(at + wanted.length, at + wanted.length + 2))) return true;
  }
  return false;
}
