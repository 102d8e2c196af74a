/**
 * Reads a request straight from its bytes when it has the form that nearly all of intake's have: a whole `POST` of
 * HTTP/1.1 with its length, headers of plain characters, and none that changes what a request is. It refuses nothing:
 * anything else is `other`, and Node's parser rules on it. So it takes only what no two parsers read differently.
 */

export interface DirectRequest {
  /** As the request line has it. It has no query and no `%`. */
  readonly target: string;
  /** Those of `READ_HEADERS` that came, by their names in lower case. */
  readonly headers: Readonly<Partial<Record<ReadHeader, string>>>;
  readonly body: Buffer;
  /** Its length with its head. Bytes behind it are the next request's. */
  readonly bytes: number;
}

/** `incomplete`: it may become such a request when more bytes come. */
export function readDirectRequest(bytes: Buffer): DirectRequest | "incomplete" | "other" {
  if (!beginsAlike(bytes)) return "other";
  const headBytes = bytes.indexOf(HEAD_END);
  if (headBytes === -1) return bytes.length > HEAD_BYTES_MAX ? "other" : "incomplete";
  if (headBytes > HEAD_BYTES_MAX) return "other";
  const head = HEAD.exec(bytes.toString("latin1", 0, headBytes));
  const headers = head?.[2] === undefined ? null : readHeaders(head[2]);
  if (head?.[1] === undefined || headers === null) return "other";
  const bodyBytes = readLength(headers);
  if (bodyBytes === null) return "other";
  const bodyAt = headBytes + HEAD_END.length;
  if (bytes.length < bodyAt + bodyBytes) return "incomplete";
  return { target: head[1], headers, body: bytes.subarray(bodyAt, bodyAt + bodyBytes), bytes: bodyAt + bodyBytes };
}

/** Half of what Node takes. */
const HEAD_BYTES_MAX = 8 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const BEGIN = Buffer.from("POST /");

/** Requests of browsers are told apart by their first bytes. */
function beginsAlike(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, BEGIN.length);
  return bytes.compare(BEGIN, 0, length, 0, length) === 0;
}

/**
 * A head of 100 headers at most, without its end, in latin1. No `#`, `%` or `?` in its target, no control character but
 * tabs in its values.
 */
const HEAD = /^POST (\/[!"$&->@-~]*) HTTP\/1\.1((?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~]*){1,100})$/;

const READ_HEADERS = [
  "host",
  "content-length",
  "content-type",
  "connection",
  "authorization",
  "traceparent",
  "tracestate",
] as const;
export type ReadHeader = (typeof READ_HEADERS)[number];

/** They are about the connection, or about how the body is written, beyond what is read here. */
const OTHER_HEADERS = [
  "transfer-encoding",
  "content-encoding",
  "expect",
  "upgrade",
  "te",
  "trailer",
  "proxy-connection",
  "keep-alive",
];

/** By the name in lower case: whether its value is read. */
const KNOWN = new Map<string, ReadHeader | null>([
  ...READ_HEADERS.map((name) => [name, name] as const),
  ...OTHER_HEADERS.map((name) => [name, null] as const),
]);

/** `null` where one stands twice, or one that is not read here. */
function readHeaders(lines: string): Partial<Record<ReadHeader, string>> | null {
  const headers: Partial<Record<ReadHeader, string>> = {};
  for (let at = 0; at < lines.length;) {
    const begin = at + 2;
    const colon = lines.indexOf(":", begin);
    const next = lines.indexOf("\r\n", colon);
    const end = next === -1 ? lines.length : next;
    const name = KNOWN.get(lines.slice(begin, colon).toLowerCase());
    if (name === null) return null;
    if (name !== undefined) {
      if (headers[name] !== undefined) return null;
      headers[name] = lines.slice(colon + 1, end).trim();
    }
    at = end;
  }
  return headers;
}

/** `null`: the length is not known, or the connection is not to be kept. */
function readLength(headers: Partial<Record<ReadHeader, string>>): number | null {
  const { host, connection, "content-length": length } = headers;
  if (host === undefined || length === undefined || !LENGTH.test(length)) return null;
  return connection === undefined || connection.toLowerCase() === "keep-alive" ? Number(length) : null;
}

/** Longer bodies come in more pieces than are waited for. */
const LENGTH = /^\d{1,6}$/;
