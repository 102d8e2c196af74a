/**
 * The last step of a send: makes an answer's body what people and the masks of secrets read, unpacked and in UTF-8.
 * Receivers are of many countries and decades, and some pack whatever they are asked. A body that cannot be read stays
 * as it came; the log shows it as Base64.
 *
 * Bounded: at most the kept bytes are read, no more than as many are made of them, and unpacking runs beside the loop.
 */
import { isUtf8 } from "node:buffer";
import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createInflateRaw, createUnzip, createZstdDecompress } from "node:zlib";
import type { ReceiverResponse, SendResult } from "../../domain/attempt.ts";
import { AnswerStart } from "./exchange.ts";

/** A promise only for packed answers. */
export function toReadable(result: SendResult, bytesMax: number): SendResult | Promise<SendResult> {
  const { outcome } = result;
  if (outcome.kind !== "response" || outcome.response.body.length === 0) return result;
  const withResponse = (response: ReceiverResponse) =>
    response === outcome.response ? result : { ...result, outcome: { ...outcome, response } };
  const codings = listCodings(outcome.response);
  if (codings.length === 0) return withResponse(toUtf8(outcome.response, bytesMax));
  return unpackAll(outcome.response, codings, bytesMax).then((response) => withResponse(toUtf8(response, bytesMax)));
}

/** Guess: one is usual, and each costs a pass. */
const CODINGS_MAX = 3;

/** RFC 9110 §8.4, the last first. Some servers pack and do not say so, but gzip begins as no text does. */
function listCodings({ headers, body }: ReceiverResponse): readonly string[] {
  const listed = (headers["content-encoding"] ?? "").toLowerCase().split(/[\s,]+/);
  const codings = listed.filter((coding) => coding !== "" && coding !== "identity").toReversed();
  return codings.length === 0 && body[0] === 0x1f && body[1] === 0x8b ? ["gzip"] : codings.slice(0, CODINGS_MAX);
}

async function unpackAll(response: ReceiverResponse, codings: readonly string[], bytesMax: number) {
  let { body, bodyCut } = response;
  for (const coding of codings) {
    const unpacked = await unpack(UNPACKERS[coding]?.(body), body, bytesMax);
    // Also where a proxy has unpacked the body and left the header.
    if (unpacked === null) break;
    body = unpacked.body;
    bodyCut ||= unpacked.isCut;
  }
  return { ...response, body, bodyCut };
}

/** An answer that was cut gives what it has. */
const GZIP = { finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
/** RFC 9659: 8 MiB of window is the most that a server may ask for. */
const ZSTD = { finishFlush: constants.ZSTD_e_flush, params: { [constants.ZSTD_d_windowLogMax]: 23 } };

type Unpacker = (body: Uint8Array) => Transform;

/** Of `deflate` there are two, and the one that RFC 9110 means begins with these bits. */
const openDeflate: Unpacker = ([first = 0]) => ((first & 0x0f) === 8 ? createUnzip(GZIP) : createInflateRaw(GZIP));
const UNPACKERS: Readonly<Record<string, Unpacker>> = {
  gzip: () => createUnzip(GZIP),
  "x-gzip": () => createUnzip(GZIP),
  deflate: openDeflate,
  br: () => createBrotliDecompress(BROTLI),
  zstd: () => createZstdDecompress(ZSTD),
};

/** `null` when nothing can be unpacked. */
async function unpack(unpacker: Transform | undefined, packed: Uint8Array, bytesMax: number) {
  if (unpacker === undefined) return null;
  const start = new AnswerStart(bytesMax);
  let isCut = false;
  unpacker.end(packed);
  try {
    for await (const part of unpacker) {
      isCut = !start.take(part as Uint8Array);
      if (isCut) break;
    }
  } catch {
    isCut = true;
  }
  const body = start.bytes();
  return body.length === 0 ? null : { body, isCut };
}

/** Everything below a space but tab, line feed and carriage return: what has them was not written to be read. */
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
export const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

function toUtf8(response: ReceiverResponse, bytesMax: number): ReceiverResponse {
  const { headers, body, bodyCut } = response;
  const charset = findCharset(headers["content-type"] ?? "", body);
  if (charset === null || (charset === "utf-8" && isUtf8(body))) return response;
  const text = decode(charset, body, bodyCut);
  // Bytes stay bytes. In UTF-16 no mask would find a secret, so nothing is kept in it.
  if (text === null || (CONTROL.test(text) && !charset.startsWith("utf-16"))) return response;
  const encoded = Buffer.from(text);
  return { ...response, body: encoded.subarray(0, bytesMax), bodyCut: bodyCut || encoded.length > bytesMax };
}

/** `null`: nothing says that it is a text. A text without a word of its charset was Latin-1 (RFC 2616 §3.7.1). */
function findCharset(type: string, body: Uint8Array): string | null {
  const [first, second, third, fourth] = body;
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  // JSON and markup begin with two characters of ASCII.
  if (first === 0 && third === 0 && second !== 0 && fourth !== 0) return "utf-16be";
  if (second === 0 && fourth === 0 && first !== 0 && third !== 0) return "utf-16le";
  const named = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(type)?.[1]?.toLowerCase();
  if (named !== undefined) return named;
  return /^\s*text\//i.test(type) && !isUtf8(body) ? "windows-1252" : null;
}

/** `null` for a charset that nobody knows. The last character of a text that was cut may be a half, and is left out. */
function decode(charset: string, body: Uint8Array, isCut: boolean): string | null {
  try {
    return new TextDecoder(charset).decode(body, { stream: isCut });
  } catch {
    return null;
  }
}
