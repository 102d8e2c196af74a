/** The input and the words of an explanation. */
import { isUtf8 } from "node:buffer";
import { CONTROL } from "../../delivery/send/readable-body.ts";
import type { BodyKind } from "../../domain/body.ts";
import type { AttemptResult } from "../../domain/attempt.ts";
import type { BytesView, OutcomeClass, Remedy } from "../contract/outcomes.ts";

export interface MetRequest {
  readonly result: AttemptResult;
  readonly startedAtMs: number;
  /** As it was called. */
  readonly url: string;
  /** What was sent, as a chat tool takes its own messages alone; the event where it is left out. */
  readonly sends?: BodyKind;
  /** The length of the request's body. */
  readonly bodyBytes: number | null;
  readonly isTest: boolean;
  /** Made just now: nothing of it can have been deleted yet. */
  readonly isFresh: boolean;
}

/** A request as its words need it. */
export interface Told extends MetRequest {
  readonly host: string;
  readonly port: number;
  /** The name of what was sent: "the test" or "the webhook". */
  readonly it: string;
}

export interface Words {
  readonly class: OutcomeClass;
  readonly status: string;
  readonly sentence: string;
  readonly advice: string;
  readonly remedy?: Remedy;
}

/* Bytes that a receiver sent, as JSON can carry them: text only when it can be nothing else, base64 otherwise. */

/** `isCut`: more was sent than is kept, so the last character may be incomplete; it is left out then. */
export function toBytesView(bytes: Uint8Array, isCut: boolean): BytesView {
  const whole = isCut ? withoutHalfCharacter(bytes) : bytes;
  if (isUtf8(whole)) {
    const text = Buffer.from(whole).toString("utf8");
    if (!CONTROL.test(text)) return { kind: "text", text };
  }
  return { kind: "binary", base64: Buffer.from(bytes).toString("base64"), bytes: bytes.length };
}

/** A character of UTF-8 has a first byte and at most three others, which start with the bits 10. */
function withoutHalfCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return back < countBytes(byte) ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

/** The length of the character that starts with this byte. */
function countBytes(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}

/** Texts from outside, short enough for a sentence. */
export const shortened = (text: string, charsMax = 200): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;
