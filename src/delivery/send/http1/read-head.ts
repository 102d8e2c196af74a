/**
 * Reads the head of an answer: status, headers, and where the body ends. Pure, and as strict as RFC 9112 allows,
 * because answers get mixed up where two readers understand one head differently.
 */
import { AnswerFault, notHttp } from "./answer-fault.ts";

export type BodyEnd =
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunks" }
  | { readonly kind: "close" };

export interface AnswerHead {
  /** 100 to 999. */
  readonly status: number;
  /** Names in lower case; the values of a repeated one are joined by ", ". May be kept and changed. */
  readonly headers: Record<string, string>;
  readonly body: BodyEnd;
  /** The receiver takes another request on this connection. */
  readonly isKept: boolean;
}

/** An honest receiver sends thirty. Thousands of tiny ones fit into 16 KiB, and take seven times that of memory. */
const HEADERS_MAX = 256;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
/** Control characters other than a tab, and line ends that are not CR and LF together. */
const MALFORMED = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/;
/** RFC 9110 §5.6.2. */
const NAME = /^[\w!#$%&'*+\-.^`|~]+$/;
/** Every length below 2^63; a longer one is an attack. */
const LENGTH = /^\d{1,18}$|^[1-8]\d{18}$/;
const ENDS_IN_CHUNKS = /(?:^|,)[ \t]*chunked$/i;

/** `text` is the head without the empty line at its end, a character a byte. Throws `AnswerFault`. */
export function readHead(text: string): AnswerHead {
  if (MALFORMED.test(text)) throw notHttp();
  const statusEnd = lineEnd(text, 0);
  const [, minor, digits] = STATUS_LINE.exec(text.slice(0, statusEnd)) ?? [];
  if (digits === undefined) throw notHttp();
  const status = Number(digits);
  const headers = readHeaders(text, statusEnd);
  const body = findBodyEnd(status, headers);
  return { status, headers, body, isKept: isKept(headers["connection"], minor === "0") && body.kind !== "close" };
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf("\r\n", from);
  return end === -1 ? text.length : end;
};

function readHeaders(text: string, statusEnd: number): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = statusEnd + 2, lines = 1; at < text.length; lines += 1) {
    if (lines > HEADERS_MAX) throw new AnswerFault("UND_ERR_HEADERS_OVERFLOW");
    const end = lineEnd(text, at);
    putHeader(headers, text.slice(at, end));
    at = end + 2;
  }
  return headers;
}

/** A line that begins with white space, which once continued the one before, has no name and is refused. */
function putHeader(headers: Record<string, string>, line: string): void {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon)).toLowerCase();
  if (!NAME.test(name)) throw notHttp();
  const value = line.slice(colon + 1).trim();
  const isRepeated = Object.hasOwn(headers, name);
  // Two lengths, even of the same value, are two opinions.
  if (isRepeated && name === "content-length") throw notHttp();
  const joined = isRepeated ? `${headers[name] ?? ""}, ${value}` : value;
  if (name === "__proto__") Object.defineProperty(headers, name, { ...PLAIN, value: joined });
  else headers[name] = joined;
}

const PLAIN = { writable: true, enumerable: true, configurable: true };

/** RFC 9112 §6.3. */
function findBodyEnd(status: number, headers: Readonly<Record<string, string>>): BodyEnd {
  const { "transfer-encoding": encoding, "content-length": length } = headers;
  if (encoding !== undefined && length !== undefined) throw notHttp();
  if (length !== undefined && !LENGTH.test(length)) throw notHttp();
  if (status < 200 || status === 204 || status === 304) return { kind: "length", bytes: 0 };
  if (encoding !== undefined) return ENDS_IN_CHUNKS.test(encoding) ? { kind: "chunks" } : { kind: "close" };
  return length === undefined ? { kind: "close" } : { kind: "length", bytes: Number(length) };
}

function isKept(connection: string | undefined, isHttp10: boolean): boolean {
  if (connection === undefined) return !isHttp10;
  const tokens = connection.toLowerCase().split(",");
  const says = (token: string): boolean => tokens.some((each) => each.trim() === token);
  return !says("close") && (!isHttp10 || says("keep-alive"));
}
