/**
 * The end of a send: an answer's body as people and the masks of secrets read it, unpacked and in UTF-8. Bounded: at
 * most the kept bytes are read, and as many made of them; unpacking runs beside the loop. What cannot be read stays.
 */
import { isUtf8 } from "node:buffer";
import zlib, { constants } from "node:zlib";
import type { ReceiverResponse, SendResult } from "../../domain/attempt.ts";
import { AnswerStart } from "./exchange.ts";

/** A promise only for packed answers. */
export function toReadable(result: SendResult, bytesMax: number): SendResult | Promise<SendResult> {
  const { outcome } = result;
  if (outcome.kind !== "response" || outcome.response.body.length === 0) return result;
  const finish = (response: ReceiverResponse): SendResult => {
    return { ...result, outcome: { ...outcome, response: toUtf8(response, bytesMax) } };
  };
  const codings = listCodings(outcome.response);
  return codings.length === 0 ? finish(outcome.response) : unpack(outcome.response, codings, bytesMax).then(finish);
}

/** RFC 9110 §8.4, the last first, and three are enough. Packed without a word: gzip begins as no text does. */
function listCodings({ headers, body }: ReceiverResponse): readonly string[] {
  const listed = (headers["content-encoding"] ?? "").toLowerCase().split(/[\s,]+/);
  const codings = listed.filter((coding) => coding !== "" && coding !== "identity").slice(-3);
  return codings.length === 0 && body[0] === 0x1f && body[1] === 0x8b ? ["gzip"] : codings.toReversed();
}

async function unpack(response: ReceiverResponse, codings: readonly string[], bytesMax: number) {
  let { body, bodyCut } = response;
  for (const coding of codings) {
    const unpacker = openUnpacker(coding, body);
    const start = new AnswerStart(bytesMax);
    let isCut = false;
    unpacker?.end(body);
    try {
      for await (const part of unpacker ?? []) {
        isCut = !start.take(part as Uint8Array);
        if (isCut) break;
      }
    } catch {
      isCut = true;
    }
    // Also where a proxy has unpacked the body and left the header.
    if (start.bytes().length === 0) break;
    body = start.bytes();
    bodyCut ||= isCut;
  }
  return { ...response, body, bodyCut };
}

/** An answer that was cut gives what it has. */
function openUnpacker(coding: string, [first = 0]: Uint8Array) {
  const finishFlush = constants.Z_SYNC_FLUSH;
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return zlib.createUnzip({ finishFlush });
    case "deflate":
      // There are two, and the one that RFC 9110 means begins with these bits.
      return (first & 0x0f) === 8 ? zlib.createUnzip({ finishFlush }) : zlib.createInflateRaw({ finishFlush });
    case "br":
      return zlib.createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    case "zstd":
      // RFC 9659: 8 MiB of memory is the most that a server may ask for.
      return zlib.createZstdDecompress({
        finishFlush: constants.ZSTD_e_flush,
        params: { [constants.ZSTD_d_windowLogMax]: 23 },
      });
    default:
      return null;
  }
}

/** Everything below a space but tab, line feed and carriage return: what has them was not written to be read. */
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
export const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

function toUtf8(response: ReceiverResponse, bytesMax: number): ReceiverResponse {
  const { headers, body, bodyCut } = response;
  const charset = findCharset(headers["content-type"] ?? "", body);
  const text = charset === "utf-8" && isUtf8(body) ? null : decode(charset, body, bodyCut);
  // Bytes stay bytes. In UTF-16 no mask would find a secret, so nothing is kept in it.
  if (text === null || (CONTROL.test(text) && !charset.startsWith("utf-16"))) return response;
  const encoded = Buffer.from(text);
  return { ...response, body: encoded.subarray(0, bytesMax), bodyCut: bodyCut || encoded.length > bytesMax };
}

/** Empty when nothing says that it is a text. One without a word of its charset was Latin-1 (RFC 2616 §3.7.1). */
function findCharset(type: string, body: Uint8Array): string {
  const [first, second, third, fourth] = body;
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  // JSON and markup begin with two characters of ASCII.
  if (first === 0 && third === 0 && second !== 0 && fourth !== 0) return "utf-16be";
  if (second === 0 && fourth === 0 && first !== 0 && third !== 0) return "utf-16le";
  const named = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(type)?.[1]?.toLowerCase();
  return named ?? (/^\s*text\//i.test(type) && !isUtf8(body) ? "windows-1252" : "");
}

/** `null` for a charset that nobody knows. The half character at the end of a text that was cut is left out. */
function decode(charset: string, body: Uint8Array, isCut: boolean): string | null {
  try {
    return new TextDecoder(charset).decode(body, { stream: isCut });
  } catch {
    return null;
  }
}
