/**
 * An attempt's headers as the stores keep them: a line each, in their order. The names that nearly every request and
 * answer has are one letter, and so are two headers that are always the same. A value that the row says anyway, the
 * delivery's id or the second of the start, is left out. That makes 120 bytes of a webhook's own headers instead of
 * 320, in the row and in the database's log.
 *
 * Text that begins with `{` is JSON: of rows that an earlier Bellwire wrote, and of headers that no line can hold.
 */

/** Facts that a reader has before it reads a request's headers. Answers are read without. */
export interface KnownOfAttempt {
  readonly deliveryId: string;
  readonly startedAtMs: number;
}

type Headers = Readonly<Record<string, string>>;

/** A row that is written stays for months: letters may be added, and never mean anything else. */
const NAMES: Readonly<Record<string, string>> = {
  a: "accept-ranges",
  c: "connection",
  d: "date",
  e: "etag",
  g: "webhook-signature",
  h: "cache-control",
  i: "webhook-id",
  k: "keep-alive",
  l: "content-length",
  s: "x-service-signature",
  t: "content-type",
  u: "user-agent",
  v: "server",
  w: "webhook-timestamp",
  x: "transfer-encoding",
};
const LETTERS = invert(NAMES);

/** Headers that are one letter with their value, by their name's letter. */
const WHOLE: Readonly<Record<string, readonly [letter: string, value: string]>> = {
  t: ["J", "application/json"],
  c: ["K", "keep-alive"],
};
const WHOLE_NAMES = new Map(Object.entries(WHOLE).map(([name, [letter]]) => [letter, name]));

/** Stands for a value that the reader knows. Before a value that begins with it, it stands once more. */
const KNOWN = "=";

export function writeHeaders(headers: Headers, known: KnownOfAttempt | null): string {
  let text = "";
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (name.includes(":") || name.includes("\n") || value.includes("\n")) return JSON.stringify(headers);
    text += `${writeHeader(name, value, known)}\n`;
  }
  return UNSTORABLE.test(text) ? JSON.stringify(headers) : text;
}

/** Characters that PostgreSQL's text cannot hold. None is in a header that came over HTTP. */
const UNSTORABLE = /[\0\ud800-\udfff]/;

function writeHeader(name: string, value: string, known: KnownOfAttempt | null): string {
  const letter = LETTERS.get(name);
  if (letter === undefined) return `:${name}:${value}`;
  const whole = WHOLE[letter];
  if (whole !== undefined && whole[1] === value) return whole[0];
  if (known !== null && value === findKnown(letter, known)) return letter + KNOWN;
  return value.startsWith(KNOWN) ? letter + KNOWN + value : letter + value;
}

export function readHeaders(text: string, known: KnownOfAttempt | null): Headers {
  if (text.startsWith("{")) return JSON.parse(text) as Headers;
  return Object.fromEntries(
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => readHeader(line, known)),
  );
}

function readHeader(line: string, known: KnownOfAttempt | null): [name: string, value: string] {
  if (line.startsWith(":")) {
    const end = line.indexOf(":", 1);
    return [line.slice(1, end), line.slice(end + 1)];
  }
  const letter = WHOLE_NAMES.get(line) ?? line.charAt(0);
  const name = NAMES[letter] ?? "";
  if (letter !== line.charAt(0)) return [name, WHOLE[letter]?.[1] ?? ""];
  const value = line.slice(1);
  if (!value.startsWith(KNOWN)) return [name, value];
  return [name, (value === KNOWN && known !== null ? findKnown(letter, known) : null) ?? value.slice(1)];
}

/** `null`: it is known of no header but the id and the time. */
function findKnown(letter: string, { deliveryId, startedAtMs }: KnownOfAttempt): string | null {
  if (letter === "i") return deliveryId;
  return letter === "w" ? String(Math.floor(startedAtMs / 1000)) : null;
}

function invert(record: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(record).map(([key, value]) => [value, key]));
}
