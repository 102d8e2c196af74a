/**
 * A message's body as records: one JSON object, or a record a line when `content-type` says `application/x-ndjson`.
 * Each record becomes one line for intake, with every digit as it came.
 */
import { type Result, ok, refuse } from "../src/lib/result.ts";
import { NDJSON_TYPES, isNdjsonType, readUtf8 } from "../src/lib/record-text.ts";
import type { Fault, Message } from "./port.ts";

export interface FoundRecord {
  /** From 1; always 1 in a message with one record. */
  readonly line: number;
  readonly bytes: Uint8Array;
  /** One line, without its end. */
  readonly text: Result<string, Fault>;
}

/** The most that intake takes. */
export const RECORD_BYTES_MAX = 1024 * 1024;

const LINE_FEED = 0x0a;

/** Empty when a batch has no record at all. */
export function readRecords({ headers, body }: Pick<Message, "headers" | "body">): FoundRecord[] {
  if (!isNdjsonType(headers["content-type"] ?? "")) return [{ line: 1, bytes: body, text: readWhole(body) }];
  return splitLines(body)
    .map((bytes, index) => ({ line: index + 1, bytes }))
    .filter(({ bytes }) => !isBlank(bytes))
    .map(({ line, bytes }) => ({ line, bytes, text: readText(bytes) }));
}

/** One record over several lines is still one line for intake: JSON has line breaks between its tokens only. */
function readWhole(body: Uint8Array): Result<string, Fault> {
  if (isBlank(body)) return refuse({ code: "invalid_json", detail: "The message is empty. Send one JSON object." });
  const text = readText(body);
  if (!text.ok || !/[\r\n]/.test(text.value)) return text;
  return isJson(text.value) ? ok(text.value.replaceAll(/[\r\n]/g, " ")) : refuse(severalLines);
}

function readText(bytes: Uint8Array): Result<string, Fault> {
  if (bytes.length > RECORD_BYTES_MAX) {
    const detail = `The record has ${bytes.length} bytes; ${RECORD_BYTES_MAX} are taken.`;
    return refuse({ code: "body_too_large", detail });
  }
  const text = readUtf8(bytes);
  return text.ok ? text : refuse({ code: "invalid_json", detail: `The record ${text.error}.` });
}

function splitLines(body: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start <= body.length;) {
    const found = body.indexOf(LINE_FEED, start);
    const end = found === -1 ? body.length : found;
    lines.push(body.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** As intake sees a blank line: it answers none. */
const isBlank = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === LINE_FEED);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const severalLines: Fault = {
  code: "invalid_json",
  detail: `The message has several lines, not one JSON object. A batch needs the content-type ${NDJSON_TYPES[0]}.`,
};
