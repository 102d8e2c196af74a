/**
 * The raw body as each runtime hands it over: text, or bytes in any of the forms of the web and of Node. What is none
 * is refused in words that say what it is.
 */
import { types } from "node:util";

/** The bytes of a view are those that it shows, by its offset and length: a view of 16 bits has two for each number. */
export type RawBody = string | ArrayBufferView | ArrayBuffer | SharedArrayBuffer;

/** Those of another realm too, such as a sandbox's or a test environment's. */
export const isRawBody = (body: unknown): body is RawBody =>
  typeof body === "string" || ArrayBuffer.isView(body) || types.isAnyArrayBuffer(body);

/** Throws for what is no raw body. */
export function toBytes(body: RawBody): Uint8Array | string {
  if (!isRawBody(body)) throw new Error(`${NEEDED}; this is ${describe(body)}`);
  if (typeof body === "string") return body;
  const bytes = viewOf(body);
  if (bytes === null) throw new Error(`${NEEDED}; the memory of these bytes was handed on to somebody else`);
  // Another thread could write another body between the check of the signature and the reading.
  return types.isSharedArrayBuffer(bytes.buffer) ? new Uint8Array(bytes) : bytes;
}

/** Throws nothing for memory that was transferred. */
function viewOf(body: Exclude<RawBody, string>): Uint8Array | null {
  try {
    return ArrayBuffer.isView(body)
      ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
      : new Uint8Array(body);
  } catch {
    return null;
  }
}

const NEEDED = "verify needs the raw body: text or bytes exactly as they came, before any parser of bodies";

function describe(body: unknown): string {
  if (body === undefined || body === null) return `${body}: take it with express.raw() or await request.arrayBuffer()`;
  if (typeof body !== "object") return `a ${typeof body}`;
  if ("then" in body) return "a Promise: await it";
  if ("arrayBuffer" in body) return "a Blob, Request or Response: give what its arrayBuffer() resolves to";
  if ("getReader" in body || "pipe" in body) return "a stream: read it to its end, and give the bytes";
  if ("type" in body && body.type === "Buffer") return "a Buffer that went through JSON: take it before that";
  if (Array.isArray(body)) return "a list: give Buffer.concat(list) of chunks, or the body before it was parsed";
  return "an object: a body that was parsed. Take it with express.raw() or await request.arrayBuffer()";
}
