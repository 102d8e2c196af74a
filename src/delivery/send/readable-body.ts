/**
 * The end of a send: an answer's body as people and the masks of secrets read it, unpacked and in UTF-8, as its headers
 * say. At most the kept bytes are read, and as many made of them; unpacking runs beside the loop. What cannot be read
 * stays.
 */
import { isUtf8 } from "node:buffer";
import zlib, { constants } from "node:zlib";
import type { ReceiverResponse, SendResult } from "../../domain/attempt.ts";
import { AnswerStart } from "./exchange.ts";

/** A promise only for packed answers; most answers stay the same object. */
export function toReadable(result: SendResult, bytesMax: number): SendResult | Promise<SendResult> {
  const { outcome } = result;
  if (outcome.kind !== "response" || outcome.response.body.length === 0) return result;
  const unpacker = openUnpacker(outcome.response.headers["content-encoding"]);
  if (unpacker === null && findCharset(outcome.response) === "") return result;
  const read = (response: ReceiverResponse): SendResult => {
    return { ...result, outcome: { ...outcome, response: toUtf8(response, bytesMax) } };
  };
  return unpacker === null ? read(outcome.response) : unpack(outcome.response, unpacker, bytesMax).then(read);
}

/** An answer that was cut gives what it has. */
function openUnpacker(coding = "") {
  switch (coding.toLowerCase()) {
    case "gzip":
    case "x-gzip":
    case "deflate":
      return zlib.createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
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

async function unpack(
  response: ReceiverResponse,
  unpacker: NonNullable<ReturnType<typeof openUnpacker>>,
  bytesMax: number,
): Promise<ReceiverResponse> {
  const start = new AnswerStart(bytesMax);
  let isCut = false;
  unpacker.end(response.body);
  try {
    for await (const part of unpacker) {
      isCut = !start.take(part as Uint8Array);
      if (isCut) break;
    }
  } catch {
    isCut = true;
  }
  const body = start.bytes();
  // Also where a proxy has unpacked the body and left the header.
  return body.length === 0 ? response : { ...response, body, bodyCut: response.bodyCut || isCut };
}

/** Everything below a space but tab, line feed and carriage return: what has them was not written to be read. */
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
export const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

function toUtf8(response: ReceiverResponse, bytesMax: number): ReceiverResponse {
  const { body, bodyCut } = response;
  const charset = findCharset(response);
  const text = charset === "" ? null : decode(charset, body, bodyCut);
  // Bytes stay bytes. In UTF-16 no mask would find a secret, so nothing is kept in it.
  if (text === null || (CONTROL.test(text) && !charset.startsWith("utf-16"))) return response;
  const encoded = Buffer.from(text);
  return { ...response, body: encoded.subarray(0, bytesMax), bodyCut: bodyCut || encoded.length > bytesMax };
}

/** Empty for UTF-8, and for what is no text. One without a word of its charset was Latin-1 (RFC 2616 §3.7.1). */
function findCharset({ headers, body }: ReceiverResponse): string {
  if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
  if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
  const type = headers["content-type"] ?? "";
  const named = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(type)?.[1]?.toLowerCase();
  const charset = named ?? (/^\s*text\//i.test(type) ? "windows-1252" : "");
  return (charset === "utf-8" || charset === "windows-1252") && isUtf8(body) ? "" : charset;
}

/** `null` for a charset that nobody knows. The half character at the end of a text that was cut is left out. */
function decode(charset: string, body: Uint8Array, isCut: boolean): string | null {
  try {
    return new TextDecoder(charset).decode(body, { stream: isCut });
  } catch {
    return null;
  }
}
