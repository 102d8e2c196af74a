/** Which header names usually carry a secret: their rows tick Secret by themselves. */

/** Whole words of the name: `X-Auth-Token` yes, `X-Tokenizer` no. */
const WORD = /(?:^|[-_])(?:authorization|cookie|token|secret|password|passwd|credentials?|signature|apikey)(?:$|[-_])/i;
const API_KEY = /(?:^|[-_])(?:api|access|auth|private|subscription|functions)[-_]?key$/i;

export function looksSecret(name: string): boolean {
  const trimmed = name.trim();
  return WORD.test(trimmed) || API_KEY.test(trimmed);
}
