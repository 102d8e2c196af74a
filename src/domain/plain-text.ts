/** Makes text from outside safe for e-mails. Pure. */

/**
 * One short line without invisible characters, so that a name that a person chose cannot look like the e-mail's own
 * text.
 */
export function oneLine(text: string, charsMax: number): string {
  return cut(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim(), charsMax);
}

/**
 * A bare name for e-mails to people who have asked for nothing: without an address that a mail program would make a
 * link of, and without the signs that a sentence needs. Such a name cannot carry a message.
 */
export function plainName(text: string, charsMax: number): string {
  const name = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N} '&()+.-]/gu, " ")
    // Mail programs make a link of "example.com", and none of "Acme Inc.".
    .replace(/\.(?=[^ ])/gu, " ")
    .replace(/ +/gu, " ")
    .trim();
  return cut(name, charsMax);
}

/** Guess. The longest company names are longer, and this much of them is enough to recognise them. */
const ASKING_NAME_CHARS_MAX = 40;

/** An account's name as shown to people who have never heard of the account. */
export const askingName = (accountName: string): string =>
  plainName(accountName, ASKING_NAME_CHARS_MAX) || "(its name cannot be shown)";

function cut(text: string, charsMax: number): string {
  const chars = Array.from(text);
  return chars.length <= charsMax
    ? text
    : `${chars
        .slice(0, charsMax - 1)
        .join("")
        .trimEnd()}…`;
}
