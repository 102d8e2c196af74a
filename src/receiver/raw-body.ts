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
  if (typeof body === "string") return body;
  const isView = ArrayBuffer.isView(body);
  const memory = isView ? body.buffer : body;
  if (!types.isAnyArrayBuffer(memory) || ("detached" in memory && memory.detached)) throw refusal(body);
  const bytes = isView ? new Uint8Array(memory, body.byteOffset, body.byteLength) : new Uint8Array(memory);
  // Another thread could write another body between the check of the signature and the reading.
  return types.isSharedArrayBuffer(memory) ? new Uint8Array(bytes) : bytes;
}

/** Such as `Promise`, `Blob`, `ReadableStream`, or `Object` for a body that was parsed. */
const refusal = (body: unknown): Error =>
  new Error(
    "verify needs the raw body: text or bytes exactly as they came, before any parser of bodies " +
      "(express.raw(), await request.arrayBuffer()); " +
      (isRawBody(body)
        ? "the memory of these bytes was handed on to somebody else"
        : `this is of the kind ${Object.prototype.toString.call(body).slice(8, -1)}`),
  );
