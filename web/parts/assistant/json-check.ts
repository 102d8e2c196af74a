/** Whether a text is the JSON of an object, with the line where it stops being one. */

/** `null` when it is; else one sentence. */
export function findJsonMistake(text: string): string | null {
  if (text.trim() === "") return "Enter the body to send, or reset it to the sample.";
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? null : "The body must be a JSON object: it starts with { and ends with }.";
  } catch {
    const { line, column } = whereItStops(text);
    return `This isn’t valid JSON: look at line ${line}, column ${column}.`;
  }
}

/**
 * The browsers' messages differ and some name no place, so it is searched for: the shortest beginning that no text
 * behind it could mend ends with the mistake. `JSON.parse` says so by failing elsewhere than at the end.
 */
function whereItStops(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, scan(text)).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/u;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const VALUE = new RegExp(`${STRING.source}|${NUMBER.source}|true|false|null`, "uy");
const BLANKS = /[ \t\n\r]*/y;

type Wanted = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing";

/** Walks the text by the grammar of JSON and gives the place of the first character that does not fit. */
function scan(text: string): number {
  const open: ("{" | "[")[] = [];
  let wanted: Wanted = "value";
  let at = skip(text, 0);
  while (at < text.length) {
    const step = stepOver(text, at, wanted);
    if (step === null) return at;
    if (step.opens !== undefined) open.push(step.opens);
    if (step.closes !== undefined && open.pop() !== step.closes) return at;
    wanted = step.wanted ?? (open.length === 0 ? "nothing" : "comma or end");
    if (step.isComma === true) wanted = open.at(-1) === "{" ? "key" : "value";
    at = skip(text, at + step.length);
  }
  return at;
}

interface Step {
  readonly length: number;
  /** The part that must follow; left out behind a whole value. */
  readonly wanted?: Wanted;
  readonly opens?: "{" | "[";
  readonly closes?: "{" | "[";
  readonly isComma?: boolean;
}

function stepOver(text: string, at: number, wanted: Wanted): Step | null {
  const sign = text.charAt(at);
  const isEnd = wanted.endsWith("end");
  if (isEnd && sign === "}") return { length: 1, closes: "{" };
  if (isEnd && sign === "]") return { length: 1, closes: "[" };
  switch (wanted) {
    case "value":
    case "value or end":
      if (sign === "{") return { length: 1, opens: "{", wanted: "key or end" };
      if (sign === "[") return { length: 1, opens: "[", wanted: "value or end" };
      return measureValue(text, at) === 0 ? null : { length: measureValue(text, at) };
    case "key":
    case "key or end":
      return sign === '"' && measureValue(text, at) > 0 ? { length: measureValue(text, at), wanted: "colon" } : null;
    case "colon":
      return sign === ":" ? { length: 1, wanted: "value" } : null;
    case "comma or end":
      return sign === "," ? { length: 1, isComma: true } : null;
    case "nothing":
      return null;
  }
}

function measureValue(text: string, at: number): number {
  VALUE.lastIndex = at;
  return VALUE.exec(text)?.[0].length ?? 0;
}

function skip(text: string, at: number): number {
  BLANKS.lastIndex = at;
  return at + (BLANKS.exec(text)?.[0].length ?? 0);
}
