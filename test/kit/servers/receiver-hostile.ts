/**
 * Receivers that mean harm, or are broken in ways that look like it: what each does, and what an attempt must meet. The
 * tests run each once, `bench/hostile.ts` thousands of times. The promise for all of them: over within the deadline and
 * 250 ms, no socket, slot or timer left, memory flat.
 */
import { gzipSync } from "node:zlib";
import type { Outcome } from "../../../src/domain/attempt.ts";
import type { Behaviour, ReceiverOptions } from "./receiver.ts";

export interface Hostile {
  /** Continues "a receiver that …". */
  readonly what: string;
  readonly behaviour?: Behaviour;
  readonly options?: ReceiverOptions;
  /** `https` also without a certificate: the receiver then only has the handshake to do harm in. */
  readonly scheme?: "http" | "https";
  /** Bytes of the request's body; some harm needs a request that does not fit into the system's buffers. */
  readonly bodyBytes?: number;
  /** As `describeOutcome` puts it; several where it depends on what arrives first. */
  readonly meets: readonly string[];
}

/** An outcome in a word or two: `timeout headers`, `network_error ECONNRESET`, `response 200 cut`. */
export function describeOutcome(outcome: Outcome): string {
  if (outcome.kind === "response") {
    return `response ${outcome.response.status}${outcome.response.bodyCut ? " cut" : ""}`;
  }
  if (outcome.kind === "timeout") return `timeout ${outcome.phase}`;
  return "code" in outcome ? `${outcome.kind} ${outcome.code}` : outcome.kind;
}

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const FILL = "x".repeat(4_096);

const raw = (bytes: string, forEver?: string): Behaviour =>
  forEver === undefined ? { kind: "raw", bytes } : { kind: "raw", bytes, forEver };

/** 200 MB of zeros in 204 KB: gzip allows files in a row, so the memory for all of it is never needed here. */
const gzipBomb = (): Buffer => Buffer.concat(Array<Buffer>(200).fill(gzipSync(Buffer.alloc(1024 * 1024))));

const GIVES_NO_END: readonly Hostile[] = [
  { what: "never answers", behaviour: { kind: "hang" }, meets: ["timeout headers"] },
  { what: "drips its header", behaviour: { kind: "drip_header" }, meets: ["timeout headers"] },
  { what: "drips its body", behaviour: { kind: "drip_body" }, meets: ["timeout body"] },
  { what: "sends 103 again and again", behaviour: { kind: "endless_103" }, meets: ["timeout headers"] },
  {
    what: "floods with 103",
    behaviour: { kind: "endless_103", everyMs: 0 },
    meets: ["network_error INTERIM_ANSWERS"],
  },
  {
    what: "sends three interim answers that are as long as a head may be",
    behaviour: raw(`HTTP/1.1 103 Early Hints\r\n${"a: b\r\n".repeat(2_600)}\r\n`.repeat(3)),
    meets: ["network_error INTERIM_ANSWERS"],
  },
  { what: "sends a body without end", behaviour: { kind: "endless_body" }, meets: ["response 200 cut"] },
  {
    what: "sends a chunk extension without end",
    behaviour: raw(`${CHUNKED}1;`, FILL),
    meets: ["response 200 cut"],
  },
  {
    what: "sends zeros before a chunk's size without end",
    behaviour: raw(CHUNKED, "0".repeat(4_096)),
    meets: ["response 200 cut"],
  },
  {
    what: "sends trailers without end",
    behaviour: raw(`${CHUNKED}0\r\n`, `x-t: ${FILL}\r\n`),
    meets: ["response 200"],
  },
  {
    what: "sends empty lines instead of an answer",
    behaviour: raw("", "\r\n".repeat(2_048)),
    meets: ["network_error ANSWER_TOO_LONG"],
  },
  {
    what: "sends a reason phrase without end",
    behaviour: raw("HTTP/1.1 200 ", FILL),
    meets: ["response 200"],
  },
  {
    what: "sends a header's name without end",
    behaviour: raw(OK, FILL),
    meets: ["response 200"],
  },
  {
    what: "sends a header's value without end",
    behaviour: raw(`${OK}x-a: `, FILL),
    meets: ["response 200"],
  },
  {
    what: "sends three thousand headers in 15 KB",
    behaviour: raw(`${OK}${"a:\r\n".repeat(3_000)}content-length: 0\r\n\r\n`),
    meets: ["response 200"],
  },
  {
    what: "sends a body that is just not too long a byte a chunk, and does not end it",
    behaviour: raw(CHUNKED + "1\r\nx\r\n".repeat(16_383)),
    meets: ["timeout body"],
  },
  {
    what: "announces an exabyte and sends three bytes",
    behaviour: raw(`${OK}content-length: 1000000000000000000\r\n\r\nabc`),
    meets: ["timeout body"],
  },
  {
    what: "ends its body by closing, and does not close",
    behaviour: raw("HTTP/1.0 200 OK\r\n\r\nabc"),
    meets: ["timeout body"],
  },
  {
    what: "sends a bomb of 200 MB in 204 KB",
    behaviour: { headers: { "content-encoding": "gzip" }, body: gzipBomb() },
    meets: ["response 200 cut"],
  },
  {
    what: "names a chain of a hundred encodings",
    behaviour: { headers: { "content-encoding": Array(100).fill("gzip").join(", ") }, body: "abc" },
    meets: ["response 200"],
  },
  {
    what: "does not read the request",
    options: { onConnect: "deaf" },
    bodyBytes: 4 * 1024 * 1024,
    meets: ["timeout headers"],
  },
];

const CLOSED = ["network_error ANSWER_INCOMPLETE", "network_error ECONNRESET", "network_error EPIPE"];

const BREAKS_OFF: readonly Hostile[] = [
  { what: "closes every connection", options: { onConnect: "close" }, meets: CLOSED },
  { what: "resets every connection", options: { onConnect: "reset" }, meets: CLOSED },
  { what: "closes without an answer", behaviour: { kind: "close" }, meets: ["network_error ANSWER_INCOMPLETE"] },
  { what: "resets instead of an answer", behaviour: { kind: "reset" }, meets: ["network_error ECONNRESET"] },
  { what: "closes inside the body", behaviour: { kind: "truncate" }, meets: ["response 200"] },
  {
    what: "resets inside the body",
    behaviour: { kind: "truncate", reset: true },
    meets: ["response 200"],
  },
  {
    what: "closes inside a chunk",
    behaviour: { kind: "raw", bytes: `${CHUNKED}5\r\nab`, close: true },
    meets: ["response 200"],
  },
  {
    what: "closes inside a header",
    behaviour: { kind: "raw", bytes: `${OK}x-a: `, close: true },
    meets: ["response 200"],
  },
  {
    what: "answers and closes at once",
    behaviour: { kind: "raw", bytes: `${OK}content-length: 2\r\n\r\nok`, close: true },
    meets: ["response 200"],
  },
];

const NOT_HTTP = ["network_error ANSWER_NOT_HTTP"];

const SPEAKS_NONSENSE: readonly Hostile[] = [
  { what: "speaks SSH", behaviour: raw("SSH-2.0-x\r\n"), meets: NOT_HTTP },
  {
    what: "says hello and closes",
    behaviour: { kind: "raw", bytes: "hello", close: true },
    meets: [...NOT_HTTP, "network_error ANSWER_INCOMPLETE"],
  },
  { what: "answers as in 1991", behaviour: raw("<html>hello</html>"), meets: NOT_HTTP },
  { what: "speaks HTTP/2", behaviour: raw("\0\0\u0012\u0004\0\0\0\0\0\0\0"), meets: NOT_HTTP },
  { what: "claims version 9.9", behaviour: raw("HTTP/9.9 200 OK\r\n\r\n"), meets: ["timeout body"] },
  {
    what: "answers 100 Continue unasked, and nothing else",
    behaviour: raw("HTTP/1.1 100 Continue\r\n\r\n"),
    meets: ["timeout headers"],
  },
  {
    what: "switches protocols",
    behaviour: raw("HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    meets: NOT_HTTP,
  },
  { what: "has a status of two digits", behaviour: raw("HTTP/1.1 99 X\r\n\r\n"), meets: NOT_HTTP },
  { what: "has a status of four digits", behaviour: raw("HTTP/1.1 2000 X\r\n\r\n"), meets: NOT_HTTP },
  { what: "has status 000", behaviour: raw("HTTP/1.1 000 X\r\n\r\n"), meets: NOT_HTTP },
  {
    what: "gives two lengths",
    behaviour: raw(`${OK}content-length: 3\r\ncontent-length: 5\r\n\r\nabc`),
    meets: ["response 200"],
  },
  {
    what: "gives length and chunks",
    behaviour: raw(`${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
    meets: ["response 200"],
  },
  { what: "gives a negative length", behaviour: raw(`${OK}content-length: -1\r\n\r\n`), meets: ["response 200"] },
  {
    what: "gives a length in hexadecimal",
    behaviour: raw(`${OK}content-length: 0x3\r\n\r\nabc`),
    meets: ["response 200"],
  },
  {
    what: "gives a length beyond 64 bits",
    behaviour: raw(`${OK}content-length: 99999999999999999999999\r\n\r\nabc`),
    meets: ["response 200"],
  },
  { what: "gives a chunk's size in words", behaviour: raw(`${CHUNKED}three\r\nabc\r\n`), meets: ["response 200"] },
  {
    what: "gives a chunk beyond 64 bits",
    behaviour: raw(`${CHUNKED}${"f".repeat(17)}\r\nabc`),
    meets: ["response 200"],
  },
  { what: "puts a zero byte in a header", behaviour: raw(`${OK}x-a: a\0b\r\n\r\n`), meets: ["timeout body"] },
  { what: "puts a lone CR in a header", behaviour: raw(`${OK}x-a: a\rb\r\n\r\n`), meets: ["timeout body"] },
  { what: "puts a space before a colon", behaviour: raw(`${OK}content-length : 0\r\n\r\n`), meets: ["response 200"] },
  {
    what: "sends 20 KB of headers",
    behaviour: raw(`${OK}x-a: ${"a".repeat(20_000)}\r\n\r\n`),
    meets: ["response 200"],
  },
];

/** Strange, but an answer. */
const IS_ODD: readonly Hostile[] = [
  {
    what: "paints the terminal in its reason phrase",
    behaviour: raw("HTTP/1.1 200 \u001b[2J\u001b]0;x\u0007\r\ncontent-length: 0\r\n\r\n"),
    meets: ["response 200"],
  },
  { what: "answers 204 with a body", behaviour: raw("HTTP/1.1 204 X\r\n\r\nhello"), meets: ["response 204"] },
  {
    what: "asks for a silence of a thousand years",
    behaviour: { status: 503, headers: { "retry-after": "99999999999" } },
    meets: ["response 503"],
  },
  {
    what: "promises to keep its connection for ever",
    behaviour: { headers: { "keep-alive": "timeout=999999999" } },
    meets: ["response 200"],
  },
  {
    what: "keeps its connection for no time at all",
    behaviour: { headers: { "keep-alive": "timeout=0" } },
    meets: ["response 200"],
  },
  {
    what: "redirects to the metadata service",
    behaviour: { kind: "redirect", to: "http://169.254.169.254/latest/meta-data/" },
    meets: ["response 307"],
  },
  { what: "redirects to a file", behaviour: { kind: "redirect", to: "file:///etc/passwd" }, meets: ["response 307"] },
  {
    what: "answers twice",
    behaviour: raw(`${OK}content-length: 1\r\n\r\n1HTTP/1.1 201 OK\r\ncontent-length: 1\r\n\r\n2`),
    meets: ["response 200"],
  },
  {
    // Whether its answer comes before or behind the request is chance; a second request it never answers.
    what: "answers before it is asked",
    options: { onConnect: { raw: `${OK}content-length: 0\r\n\r\n` } },
    meets: ["response 200", "timeout headers", ...CLOSED, ...NOT_HTTP],
  },
];

const HARMS_IN_TLS: readonly Hostile[] = [
  { what: "hangs in the handshake", scheme: "https", options: { onConnect: "hang" }, meets: ["timeout connect"] },
  {
    what: "closes in the handshake",
    scheme: "https",
    options: { onConnect: "close" },
    meets: ["tls_error ECONNRESET", "network_error ECONNRESET"],
  },
  {
    what: "speaks plain HTTP in the handshake",
    scheme: "https",
    options: { onConnect: { raw: "HTTP/1.1 400 Bad Request\r\n\r\n" } },
    meets: ["tls_error ERR_SSL_WRONG_VERSION_NUMBER", "tls_error ERR_SSL_PACKET_LENGTH_TOO_LONG"],
  },
  {
    what: "drips its handshake",
    scheme: "https",
    options: { onConnect: { raw: "\u0016\u0003\u0003\u0040\u0000", everyMs: 20 } },
    meets: ["timeout connect"],
  },
  {
    what: "has a certificate for another name",
    scheme: "https",
    options: { tls: "other.test" },
    meets: ["tls_error ERR_TLS_CERT_ALTNAME_INVALID"],
  },
  { what: "hangs behind TLS", options: { tls: "hook.test" }, behaviour: { kind: "hang" }, meets: ["timeout headers"] },
  {
    what: "sends a chunk extension without end behind TLS",
    options: { tls: "hook.test" },
    behaviour: raw(`${CHUNKED}1;`, FILL),
    meets: ["response 200 cut"],
  },
  {
    what: "sends a body without end behind TLS",
    options: { tls: "hook.test" },
    behaviour: { kind: "endless_body" },
    meets: ["response 200 cut"],
  },
];

export const HOSTILE: readonly Hostile[] = [
  ...GIVES_NO_END,
  ...BREAKS_OFF,
  ...SPEAKS_NONSENSE,
  ...IS_ODD,
  ...HARMS_IN_TLS,
];
