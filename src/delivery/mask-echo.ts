/**
 * Masks secret header values in a receiver's answer. Some endpoints send back the headers they got (request bins, debug
 * pages). Without this, a value that is sealed in the store and masked in the request would stand in the answer beside
 * it, for every reader of the log. `docs/secure.md` says which writings are found: those that honest endpoints use. A
 * receiver that wants to leak a secret has other ways. Pure.
 *
 * Receiver and owner choose both texts, so the comparing has a limit, and what is behind it is masked unread. Measured:
 * 37 µs of CPU for an ordinary answer, at most 20 ms for 16 KiB against 4 values of 4,090 characters, which is all that
 * may be saved, in any script; most of it for writing the values in each way.
 */
import type { Outcome, ReceiverResponse, SendResult } from "../domain/attempt.ts";
import type { CustomHeader } from "../domain/destination.ts";
import { LIMITS } from "../domain/limits.ts";
import { MASK } from "./send/request.ts";

/** Shorter values are not secrets, and would be found by chance in every other answer. */
const SECRET_CHARS_MIN = 6;

/** Honest answers need some hundred, and this many take 2 to 4 ms. */
const COMPARED_CHARS_MAX = 1_000_000;

/** Returns the same object when the answer contains no secret, which is nearly always. */
export function maskEcho(result: SendResult, headers: readonly CustomHeader[]): SendResult {
  const { outcome } = result;
  if (outcome.kind !== "response" && outcome.kind !== "network_error") return result;
  // Most destinations have no secret header.
  if (!headers.some(({ secret }) => secret)) return result;
  const mask = createMasker(headers.filter(({ secret }) => secret).flatMap(({ value }) => listWritings(value)));
  if (outcome.kind === "response") {
    const response = maskResponse(outcome, mask);
    return response === outcome.response ? result : { ...result, outcome: { ...outcome, response } };
  }
  // It may show the first line of what came, or the beginning of one.
  const message = mask(outcome.message, { by: MASK, isCut: true });
  return message === outcome.message ? result : { ...result, outcome: { ...outcome, message } };
}

interface Masking {
  readonly by: string;
  /** The text goes on where it was cut, maybe within a secret. */
  readonly isCut: boolean;
}

type Masker = (text: string, masking: Masking) => string;

const WHOLE: Masking = { by: MASK, isCut: false };

/** The mask in the body, which is bytes. */
const MASK_BYTES = Buffer.from(MASK, "utf8").toString("latin1");

type ResponseOutcome = Extract<Outcome, { kind: "response" }>;

/**
 * Header values are Latin-1 on the wire, and so the body is masked as Latin-1 too, byte by byte. A malformed answer (it
 * has a `message`) may end in the middle of a secret: its body is masked like one that was cut off.
 */
function maskResponse({ response, message }: ResponseOutcome, mask: Masker): ReceiverResponse {
  const given = Object.entries(response.headers);
  const headers = given.map(([name, value]) => [mask(name, WHOLE), mask(value, WHOLE)] as const);
  const bytes = Buffer.from(response.body.buffer, response.body.byteOffset, response.body.byteLength);
  const text = bytes.toString("latin1");
  const masked = mask(text, { by: MASK_BYTES, isCut: response.bodyCut || message !== undefined });
  const isSame = headers.every(([name, value], index) => name === given[index]?.[0] && value === given[index]?.[1]);
  if (masked === text && isSame) return response;
  // A mask may be longer than the value that it hides, and an answer is never kept beyond its limit.
  const isTooLong = masked.length > LIMITS.responseBytesMax;
  return {
    ...response,
    headers: Object.fromEntries(headers),
    body: Buffer.from(masked.slice(0, LIMITS.responseBytesMax), "latin1"),
    bodyCut: response.bodyCut || isTooLong,
  };
}

/** A value with and without its scheme, decoded if it is `Basic`, as it is, and as JSON and addresses write it. */
function listWritings(value: string): readonly string[] {
  const [scheme = ""] = /^[A-Za-z-]{2,16}[ \t]+/.exec(value) ?? [];
  const credentials = /^basic/i.test(scheme) ? decodeBasic(value.slice(scheme.length)) : [];
  return [...new Set([value, value.slice(scheme.length), ...credentials])]
    .filter(({ length }) => length >= SECRET_CHARS_MIN)
    .flatMap((text) => {
      const inJson = JSON.stringify(text).slice(1, -1);
      const bytes = Buffer.from(text, "utf8");
      const encoded = ENCODINGS.map((byByte) => encode(bytes, byByte));
      return [text, bytes.toString("latin1"), inJson, inJson.replaceAll("/", "\\/"), ...encoded];
    });
}

/** How addresses and forms write each byte, in both cases: ten times as fast as what encodes a text (measured). */
const ENCODINGS: readonly (readonly Uint8Array[])[] = [encodeURIComponent, encodeInForm].flatMap((encodeText) => {
  const upper = Array.from({ length: 256 }, (_, byte) =>
    byte < 0x80 ? encodeText(String.fromCharCode(byte)) : `%${byte.toString(16).toUpperCase()}`,
  );
  const lower = upper.map((written) => (written.startsWith("%") ? written.toLowerCase() : written));
  return [upper, lower].map((texts) => texts.map((text) => Buffer.from(text)));
});

function encodeInForm(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function encode(bytes: Uint8Array, byByte: readonly Uint8Array[]): string {
  const written = Buffer.alloc(bytes.length * "%00".length);
  let length = 0;
  for (const byte of bytes) for (const one of byByte[byte] ?? []) written[length++] = one;
  return written.toString("latin1", 0, length);
}

/** Name and password together, and the password. Many answers contain a name such as "webhooks". */
function decodeBasic(encoded: string): readonly string[] {
  const pair = Buffer.from(encoded, "base64").toString("latin1");
  return [pair, pair.slice(pair.indexOf(":") + 1)];
}

/**
 * The mask stands for each text that is found as a whole, and for the beginning of one within which an answer was cut.
 */
function createMasker(writings: readonly string[]): Masker {
  const byStart = new Map<string, string[]>();
  for (const text of new Set(writings)) {
    const start = text.slice(0, SECRET_CHARS_MIN);
    byStart.set(start, [...(byStart.get(start) ?? []), text]);
  }
  let left = COMPARED_CHARS_MAX;

  /** Where the longest text that begins there ends; `at` when none does. */
  function findEnd(answer: string, at: number, isCut: boolean): number {
    let end = at;
    for (const text of byStart.get(answer.slice(at, at + SECRET_CHARS_MIN)) ?? []) {
      const length = Math.min(text.length, answer.length - at);
      let same = SECRET_CHARS_MIN;
      while (same < length && answer.charCodeAt(at + same) === text.charCodeAt(same)) same += 1;
      left -= same;
      if (same === length && (isCut || length === text.length)) end = Math.max(end, at + length);
    }
    return left < 0 ? answer.length : end;
  }

  return (answer, { by, isCut }) => {
    let written = "";
    let from = 0;
    for (let at = 0; at + SECRET_CHARS_MIN <= answer.length; at += 1) {
      const end = findEnd(answer, at, isCut);
      // A text may begin within another.
      if (end <= at || end <= from) continue;
      if (at > from || from === 0) written += answer.slice(from, at) + by;
      from = end;
      if (end === answer.length) break;
    }
    return from === 0 ? answer : written + answer.slice(from);
  };
}
