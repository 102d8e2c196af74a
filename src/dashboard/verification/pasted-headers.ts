/**
 * Headers as people copy them: `Name: value` lines from a log, the `-H '…'` of a curl command, or a JSON object. Names
 * come out in lower case; of one that is there twice the values are joined, as a receiver's framework would.
 */
import { parseJson } from "../../events/exact-json.ts";

export type PastedHeaders = ReadonlyMap<string, string>;

export function parsePastedHeaders(text: string): PastedHeaders {
  const pairs = text.trimStart().startsWith("{") ? jsonPairs(text) : text.split(/\r?\n|\r/).flatMap(linePair);
  const headers = new Map<string, string>();
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase();
    const earlier = headers.get(lower);
    headers.set(lower, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

type Pair = readonly [name: string, value: string];

/** The name's characters are those of RFC 9110 §5.6.2. */
const LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*:\s*(.*)$/s;

function linePair(line: string): readonly Pair[] {
  const match = LINE.exec(unwrapped(line.trim()));
  const [, name = "", value = ""] = match ?? [];
  return match === null ? [] : [[name, value.trim()]];
}

/** The marks of curl around a header: `> ` and `< ` in its log, `-H '…' \` in its command. */
function unwrapped(line: string): string {
  const bare = line.replace(/^[<>]\s+/, "");
  const command = /^(?:-H|--header)(?:\s*=\s*|\s*)(['"])(.*)\1\s*\\?$/.exec(bare);
  return command?.[2] ?? bare;
}

function jsonPairs(text: string): readonly Pair[] {
  const parsed = parseJson(text);
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) return [];
  return Object.entries(parsed.value as Record<string, unknown>).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): Pair => [name, toText(one).trim()]),
  );
}

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
