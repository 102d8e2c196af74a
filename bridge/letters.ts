/**
 * Dead letters: refused records with the reason in headers. A letter has the record as it came, and the headers that
 * sending it again needs; other headers of the message stay behind, because they may hold secrets.
 */
import { type Address, ACCOUNT_HEADER, EVENT_HEADER } from "./address.ts";
import type { Fault, DeadLetter, Message } from "./port.ts";

interface LetterParams {
  readonly message: Message;
  /** `null` when the message named none. */
  readonly address: Address | null;
  readonly fault: Fault;
  /** The refused record; the whole message when it was refused as one. */
  readonly body: Uint8Array;
  readonly line: number;
  readonly nowMs: number;
}

/** Guess: enough for ten fields, and small beside any broker's limit for headers. */
const DETAIL_CHARS_MAX = 1_024;
const ORIGIN_CHARS_MAX = 256;
/** A key keeps letters of one thing together; one that is larger than this names nothing, and may not fit. */
const KEY_CHARS_MAX = 1_024;

export function makeLetter({ message, address, fault, body, line, nowMs }: LetterParams): DeadLetter {
  const type = message.headers["content-type"];
  const headers: Record<string, string> = {
    "bellwire-reason": fault.code,
    "bellwire-detail": headerText(fault.detail, DETAIL_CHARS_MAX),
    "bellwire-origin": headerText(message.subject, ORIGIN_CHARS_MAX),
    "bellwire-line": String(line),
    "bellwire-refused-at": new Date(nowMs).toISOString(),
    ...(address === null ? {} : { [ACCOUNT_HEADER]: address.account, [EVENT_HEADER]: address.event }),
    ...(type === undefined ? {} : { "content-type": headerText(type, ORIGIN_CHARS_MAX) }),
  };
  const { key } = message;
  return { key: key !== null && key.length <= KEY_CHARS_MAX ? key : null, headers, body };
}

/** A body that does not fit the broker's messages together with the reason would hold up everything behind it. */
export function fitLetter(letter: DeadLetter, bytesMax: number): DeadLetter {
  if (letterBytes(letter) <= bytesMax) return letter;
  const headers = { ...letter.headers, "bellwire-body-left-out": `${letter.body.length} bytes` };
  return { ...letter, headers, body: new Uint8Array(0) };
}

/**
 * In their order, as many together as a broker takes in one call. Letters that are each small enough may be too much
 * together, and the broker would refuse them again and again.
 */
export function splitLetters(
  letters: readonly DeadLetter[],
  { countMax, bytesMax }: { readonly countMax: number; readonly bytesMax: number },
): DeadLetter[][] {
  const calls: DeadLetter[][] = [];
  let bytes = 0;
  for (const letter of letters) {
    const size = letterBytes(letter);
    const last = calls.at(-1);
    if (last === undefined || last.length === countMax || bytes + size > bytesMax) {
      calls.push([letter]);
      bytes = size;
    } else {
      last.push(letter);
      bytes += size;
    }
  }
  return calls;
}

/** A broker adds lengths, types and separators to a header. The most is SQS's attribute, with its type. */
const HEADER_BYTES = 16;

const letterBytes = ({ key, headers, body }: DeadLetter): number =>
  Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length + HEADER_BYTES,
    body.length + Buffer.byteLength(key ?? ""),
  );

/** Visible ASCII and spaces: brokers differ in what else they take. */
const headerText = (text: string, charsMax: number): string =>
  text
    .replaceAll(/[^\x20-\x7e]/g, "?")
    .slice(0, charsMax)
    .trim();
