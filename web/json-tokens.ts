/**
 * JSON text cut into pieces for the eye, without parsing a value: numbers stay as they were written, so those beyond
 * 2^53 are shown right, and so are keys that occur twice. Other text comes back as one plain piece.
 */
export interface JsonToken {
  readonly kind: "key" | "string" | "number" | "word" | "plain";
  readonly text: string;
}

/** A string, a number, one of the three words, a bracket, or the signs and blanks in between. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b|([{}[\],:])|(\s+)/g;

/** All pieces in order; joined they are the text. */
export function jsonTokens(text: string): readonly JsonToken[] {
  if (!isJson(text)) return [{ kind: "plain", text }];
  return [...text.matchAll(TOKEN)].flatMap(([all, string, colon, number, word]): readonly JsonToken[] => {
    if (string !== undefined && colon !== undefined) {
      return [
        { kind: "key", text: string },
        { kind: "plain", text: colon },
      ];
    }
    if (string !== undefined) return [{ kind: "string", text: string }];
    if (number !== undefined) return [{ kind: "number", text: number }];
    return [{ kind: word === undefined ? "plain" : "word", text: all }];
  });
}

/** The same JSON with line breaks and two blanks a level; `null` when it is not JSON. */
export function formatJson(text: string): string | null {
  if (!isJson(text)) return null;
  const tokens = jsonTokens(text).filter((token) => token.text.trim() !== "");
  let depth = 0;
  let out = "";
  for (const [index, token] of tokens.entries()) {
    const sign = token.text.trim();
    const next = tokens[index + 1]?.text.trim() ?? "";
    if (sign === "{" || sign === "[") {
      const isEmpty = next === "}" || next === "]";
      out += sign;
      depth += 1;
      if (!isEmpty) out += line(depth);
    } else if (sign === "}" || sign === "]") {
      depth -= 1;
      out += out.endsWith("{") || out.endsWith("[") ? sign : line(depth) + sign;
    } else if (sign === ",") out += sign + line(depth);
    else if (sign === ":") out += ": ";
    else out += token.text;
  }
  return out;
}

const line = (depth: number): string => `\n${"  ".repeat(depth)}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
