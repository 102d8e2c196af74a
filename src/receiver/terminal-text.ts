/**
 * Makes text from outside safe for a terminal: it cannot move the cursor, change colours, hide earlier text or turn the
 * reading direction around. Such characters are shown as their code points, for example `\u{1b}`.
 */

/**
 * Controls, format characters (among them those for the reading direction), lone surrogates and line separators. The
 * two joiners stay: they only make one sign out of several, as in some emoji and scripts.
 */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** One line of at most `charsMax` characters of the original; "…" stands for the rest. */
export function terminalText(text: string, charsMax: number): string {
  // Cut first, so that a large text costs no more than a short one. A character has up to two units.
  const characters = Array.from(text.slice(0, 2 * charsMax + 2));
  const isCut = characters.length > charsMax;
  const shown = isCut ? characters.slice(0, charsMax - 1).join("") : characters.join("");
  return shown.replace(UNSAFE, codePoint) + (isCut ? "…" : "");
}

/** The same for text of several lines, which stay lines; each is cut on its own. */
export function terminalLines(text: string, { charsMax, linesMax }: { charsMax: number; linesMax: number }): string[] {
  const lines = text.split(/\r?\n/, linesMax + 1);
  const shown = lines.slice(0, linesMax).map((line) => terminalText(line, charsMax));
  return lines.length > linesMax ? [...shown, "…"] : shown;
}

const codePoint = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
