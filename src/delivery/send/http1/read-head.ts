/**
 * Reads the head of an answer: status, headers, and where the body ends. Pure. A head in an odd form is read where its
 * status is beyond doubt, because a receiver whose answer is refused gets the same webhook ten times. Such a
 * connection takes no other request, so nothing gets mixed up where two readers understand one head differently.
 * `../answers.test.ts` has the forms.
 */
import { FAILURE_CODES, type FailureCode } from "../../../domain/failure-codes.ts";

export type BodyEnd =
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunks" }
  | { readonly kind: "close" };

export interface AnswerHead {
  /** 100 to 999. */
  readonly status: number;
  /** Names in lower case; the values of a repeated one are joined by ", ". May be kept and changed. */
  readonly headers: Record<string, string>;
  /** How the body ends; `null` where the head does not tell: then the status alone counts, and no body is read. */
  readonly body: BodyEnd | null;
  /** The receiver takes another request on this connection. */
  readonly isKept: boolean;
  /** The first thing that is odd about the head's form, as a clause; `null` for an ordinary one. */
  readonly oddity: string | null;
}

/** An honest receiver sends thirty. Thousands of tiny ones fit into 16 KiB, and take seven times that of memory. */
const HEADERS_MAX = 256;

/** The status follows the version, in three digits of its own. */
const STATUS_LINE = /^HTTP(?:\/\d{1,3}(?:\.\d{1,3})?)?[ \t]+([1-9]\d\d)(?!\d)/i;
const USUAL_STATUS_LINE = /^HTTP\/1\.[01] \d{3}(?: |$)/;
/** Control characters other than a tab, and line ends that are not CR and LF together. */
const MALFORMED = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/;
/** RFC 9110 §5.6.2. */
const NAME = /^[\w!#$%&'*+\-.^`|~]+$/;
/** Every length below 2^63; a longer one is an attack. */
const LENGTH = /^\d{1,18}$|^[1-8]\d{18}$/;
const ENDS_IN_CHUNKS = /(?:^|,)[ \t]*chunked$/i;

/** `text` is the head with its line ends, a character a byte. Throws `AnswerFault` where it shows no status. */
export function readHead(text: string): AnswerHead {
  const oddities: string[] = [];
  const [statusLine = "", ...lines] = readLines(text, oddities);
  const [, digits] = STATUS_LINE.exec(statusLine) ?? [];
  if (digits === undefined) throw notHttp(statusLine);
  if (!USUAL_STATUS_LINE.test(statusLine)) oddities.push("its first line is not written as HTTP/1.1 wants it");
  const status = Number(digits);
  const headers: Record<string, string> = {};
  if (lines.length > HEADERS_MAX) oddities.push(`it has more than ${HEADERS_MAX} headers`);
  for (const line of lines.slice(0, HEADERS_MAX)) putHeader(headers, line, oddities);
  const isHttp10 = statusLine.startsWith("HTTP/1.0");
  const body = lines.length > HEADERS_MAX ? null : findBodyEnd({ status, headers, isHttp10, oddities });
  const [oddity = null] = oddities;
  const mayBeKept = oddity === null && body !== null && body.kind !== "close";
  return { status, headers, body, isKept: mayBeKept && isKept(headers["connection"], isHttp10), oddity };
}

/**
 * RFC 9112 §2.2 lets LF alone end a line, and asks for a space in place of a lone CR; §5.2 asks for a space in place of
 * a line end that white space follows, and RFC 9110 §5.5 in place of a NUL.
 */
function readLines(text: string, oddities: string[]): readonly string[] {
  let plain = text;
  if (MALFORMED.test(text)) {
    oddities.push("its head has a control character, or a line that does not end in CR LF");
    plain = text
      .replaceAll(/\r{0,2}\n/g, "\n")
      .replaceAll(/[^\t\n\x20-\x7e\x80-\xff]/g, " ")
      .replaceAll("\n", "\r\n");
  }
  if (/\n[ \t]/.test(plain)) {
    oddities.push("a header goes on in the next line");
    // §2.2: nothing goes on with the status line, so that it is the same for a reader that has got no more yet.
    plain = plain.replace(/^([^\n]*\n)(?:[ \t][^\n]*(?:\n|$))+/, "$1").replaceAll(/\r\n(?=[ \t])/g, "");
  }
  return plain.split("\r\n").filter((line) => line !== "");
}

const trimmed = (text: string): string => text.replace(/^[ \t]+/, "").replace(/(?<![ \t])[ \t]+$/, "");

function putHeader(headers: Record<string, string>, line: string, oddities: string[]): void {
  const colon = line.indexOf(":");
  const written = line.slice(0, Math.max(0, colon));
  const name = trimmed(written).toLowerCase();
  if (name.length < written.length) oddities.push("white space stands before a header's colon");
  if (!NAME.test(name)) {
    oddities.push(colon < 0 ? "a header line has no colon" : "a header has no name that HTTP allows");
    return;
  }
  const value = trimmed(line.slice(colon + 1));
  const joined = Object.hasOwn(headers, name) ? `${headers[name] ?? ""}, ${value}` : value;
  if (name === "__proto__") Object.defineProperty(headers, name, { ...PLAIN, value: joined });
  else headers[name] = joined;
}

const PLAIN = { writable: true, enumerable: true, configurable: true };

interface Framing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly isHttp10: boolean;
  readonly oddities: string[];
}

/** RFC 9112 §6.3. */
function findBodyEnd({ status, headers, isHttp10, oddities }: Framing): BodyEnd | null {
  const { "transfer-encoding": encoding, "content-length": length } = headers;
  const isEmpty = status < 200 || status === 204 || status === 304;
  if (encoding !== undefined) {
    if (length !== undefined) oddities.push("it has a transfer-encoding and a content-length");
    // §6.1: chunks from an old or wrong server may be of another message.
    if (isHttp10 || isEmpty) oddities.push("it has a transfer-encoding where there can be none");
    if ((encoding.match(/chunked/gi) ?? []).length > 1) oddities.push("it names the transfer-encoding chunked twice");
    if (ENDS_IN_CHUNKS.test(encoding)) return isEmpty ? EMPTY : { kind: "chunks" };
    // Behind another coding it is not known whether a length is meant; where there is one, nobody has to wait.
    oddities.push("its transfer-encoding does not end in chunked");
  }
  const bytes = length === undefined ? undefined : readLength(length, oddities);
  if (status === 204 && bytes !== undefined && bytes !== 0) oddities.push("it has a body, and its status allows none");
  if (isEmpty) return EMPTY;
  if (bytes === null) return null;
  return bytes === undefined ? { kind: "close" } : { kind: "length", bytes };
}

const EMPTY: BodyEnd = { kind: "length", bytes: 0 };

/** `null` when it cannot be read. */
function readLength(text: string, oddities: string[]): number | null {
  const [first = "", ...others] = text.split(",").map(trimmed);
  if (others.length > 0) oddities.push("it has more than one content-length");
  if (LENGTH.test(first) && others.every((other) => other === first)) return Number(first);
  oddities.push("its content-length cannot be read");
  return null;
}

function isKept(connection: string | undefined, isHttp10: boolean): boolean {
  if (connection === undefined) return !isHttp10;
  const tokens = connection.toLowerCase().split(",").map(trimmed);
  return !tokens.includes("close") && (!isHttp10 || tokens.includes("keep-alive"));
}

/** Of an answer that is not HTTP/1.1, or not whole. */
export type AnswerFaultCode = Extract<FailureCode, `ANSWER_${string}`>;

export class AnswerFault extends Error {
  override name = "AnswerFault";
  readonly code: AnswerFaultCode;

  constructor(code: AnswerFaultCode, message: string = FAILURE_CODES[code]) {
    super(message);
    this.code = code;
  }
}

/** Guess: enough to recognise another protocol, or a status that is written wrongly. */
const SHOWN_CHARS_MAX = 80;

/** An alert or a handshake. No text begins with these bytes. */
const TLS_STARTS = ["\u0015", "\u0016"];

/** `line` is what came first, a character a byte. */
export function notHttp(line: string): AnswerFault {
  if (TLS_STARTS.some((start) => line.startsWith(start))) return new AnswerFault("ANSWER_IN_TLS");
  const shown = line
    .trimEnd()
    .slice(0, SHOWN_CHARS_MAX)
    .replaceAll(/[^\x20-\x7e]/g, "·");
  const fault = /^HTTP/i.test(line) ? "shows no status of three digits" : "is not one of HTTP";
  return new AnswerFault("ANSWER_NOT_HTTP", `The first line of the receiver's answer ${fault}: ${shown}`);
}

export const switched = (): AnswerFault =>
  new AnswerFault("ANSWER_NOT_HTTP", "The receiver switched to another protocol (101), which it was not asked for.");

export const brokenBody = (): AnswerFault =>
  new AnswerFault("ANSWER_NOT_HTTP", "The chunks of the receiver's answer cannot be read.");
