/** Records from outside as text: UTF-8, as JSON has to be. A refusal names what the bytes most likely are. */
import { isUtf8 } from "node:buffer";
import { type Result, ok, refuse } from "./result.ts";

/** Names of one record a line. None of them is registered, and libraries differ. */
export const NDJSON_TYPES = [
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonl",
  "application/x-jsonl",
  "application/jsonlines",
  "application/x-jsonlines",
] as const;

/** `type` is a whole `content-type`. */
export const isNdjsonType = (type: string): boolean =>
  NDJSON_TYPES.some((each) => each === type.split(";", 1)[0]?.trim().toLowerCase());

/** A byte order mark in front is left out (RFC 8259 §8.1). Refused with the end of a sentence about the bytes. */
export function readUtf8(given: Uint8Array): Result<string, string> {
  const bytes = withoutMark(given);
  if (!isUtf8(bytes)) return refuse(describeOther(bytes));
  return ok(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
}

export const withoutMark = <Bytes extends Uint8Array>(bytes: Bytes): Bytes =>
  beginsWith(bytes, [0xef, 0xbb, 0xbf]) ? (bytes.subarray(3) as Bytes) : bytes;

function describeOther(bytes: Uint8Array): string {
  if (beginsWith(bytes, [0x1f, 0x8b])) return "is compressed with gzip; send it as it is";
  if (beginsWith(bytes, [0x28, 0xb5, 0x2f, 0xfd])) return "is compressed with zstd; send it as it is";
  if (beginsWith(bytes, [0xff, 0xfe]) || beginsWith(bytes, [0xfe, 0xff])) return "is UTF-16; send it as UTF-8";
  return "is not valid UTF-8, as JSON has to be";
}

const beginsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, place) => bytes[place] === byte);
