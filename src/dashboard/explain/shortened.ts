/** Texts from outside, short enough for a sentence. */
export const shortened = (text: string, charsMax = 200): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;
