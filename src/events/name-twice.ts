/**
 * Finds a name that an object has twice. A JSON parser keeps the last one and says nothing, so half of what somebody
 * wrote would be gone. Pure.
 */

/** Texts, and the signs between values; numbers and words are of no interest. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/** An object or a list that is open, and where in it the text has come to. */
interface Open {
  readonly names: Set<string> | null;
  at: string;
  items: number;
}

/** The path to it, such as `webhooks.crm`; `null` where there is none. The text is valid JSON. */
export function findNameTwice(text: string): string | null {
  const open: Open[] = [];
  let before = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === "{") open.push({ names: new Set(), at: "", items: 0 });
    else if (token === "[") open.push({ names: null, at: "[0]", items: 0 });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && inner?.names === null) inner.at = `[${(inner.items += 1)}]`;
    else if (token === ":" && inner?.names !== undefined && inner.names !== null) {
      inner.at = JSON.parse(before) as string;
      if (inner.names.has(inner.at)) return toPath(open);
      inner.names.add(inner.at);
    }
    before = token;
  }
  return null;
}

const toPath = (open: readonly Open[]): string =>
  open.map(({ at, names }, level) => (names === null || level === 0 ? at : `.${at}`)).join("");
