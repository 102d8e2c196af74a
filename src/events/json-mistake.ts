/**
 * Where a text stops being JSON, and the mistake that people make there most. Runs on refused text only, once through
 * it. V8 gives a place for some mistakes only, and quotes the text, which may be personal data. Pure.
 */
const STRING = String.raw`"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])`;
const TOKEN = new RegExp(String.raw`[ \t\r\n]*(${STRING}"|${NUMBER}|(?:true|false|null)(?!\w)|[{}[\],:])`, "y");

/** By the text from the place on, where no part of JSON begins. */
const NO_PART: readonly (readonly [start: RegExp, mistake: string])[] = [
  [/^'/, "strings and names stand in double quotes"],
  [/^[“”„‘’«»]/, "quotes are straight ones"],
  [/^(?:\/[/*]|#)/, "JSON has no comments"],
  [/^[-+]?(?:NaN|Infinity)|^undefined/, "write null for what is no number and for what is missing"],
  [/^(?:True|False|None|TRUE|FALSE|NULL)\b/, "true, false and null are lower case"],
  [/^[-+]?[\d.]/, "numbers have no zero or plus before them, and digits on both sides of the point"],
  [/^[A-Za-z_$]/, "names and strings stand in double quotes"],
  [/^"/, String.raw`in a string, write \n for a line break and \\ for a backslash; and it ends in a quote`],
  [/^[\p{C}\p{Z}]/u, "an invisible character stands there"],
];

export interface JsonMistake {
  readonly position: number;
  /** `null` where there is no usual mistake. */
  readonly mistake: string | null;
}

/** `null` when the text just ends too early. */
export function findJsonMistake(text: string): JsonMistake | null {
  TOKEN.lastIndex = 0;
  let before = "";
  for (let end = 0; end < text.length; end = TOKEN.lastIndex) {
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) return findNoPart(text, end);
    const mistake = between(before, token);
    if (mistake !== null) return { position: TOKEN.lastIndex - token.length, mistake };
    before = token;
  }
  return null;
}

function findNoPart(text: string, end: number): JsonMistake | null {
  const position = end + (/^[ \t\r\n]*/.exec(text.slice(end))?.[0].length ?? 0);
  const rest = text.slice(position);
  // A string that the text's end cuts off.
  if (rest === "" || new RegExp(`^${STRING}\\\\?$`).test(rest)) return null;
  const inString = new RegExp(`^${STRING}`).exec(rest)?.[0].length ?? 0;
  const [, mistake = null] = NO_PART.find(([start]) => start.test(rest)) ?? [];
  return { position: position + inString, mistake };
}

/** The mistake between two parts that stand beside each other. */
function between(before: string, after: string): string | null {
  if (before === "," && /^[}\]]/.test(after)) return `no comma stands before ${after}`;
  const endsValue = /^[^{[,:]/.test(before);
  return endsValue && /^[^}\],:]/.test(after) ? "a comma or a colon is missing before it" : null;
}
