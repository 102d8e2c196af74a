/** Text from outside as letters may carry it. Pure. */

/** One line without invisible characters, and not long: what somebody has named cannot look like the letter's own. */
export function oneLine(text: string, charsMax: number): string {
  return cut(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim(), charsMax);
}

/**
 * A name and nothing else, for letters to people who have asked for nothing: no address that a mail program would make
 * a link of, no sign that a sentence needs. It must not be able to carry a message.
 */
export function plainName(text: string, charsMax: number): string {
  const name = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N} '&()+.-]/gu, " ")
    // "example.com" is a link to mail programs, "Acme Inc." is none.
    .replace(/\.(?=[^ ])/gu, " ")
    .replace(/ +/gu, " ")
    .trim();
  return cut(name, charsMax);
}

/** Guess: the longest company names have more, and can be told by that. */
const ASKING_NAME_CHARS_MAX = 40;

/** An account's name, as those are shown it who have never heard of the account. */
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
