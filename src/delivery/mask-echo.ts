/**
 * Masks secret header values in a receiver's answer. Some endpoints send back the headers they got (request bins, debug
 * pages). Without this, a value that is sealed in the store and masked in the request would stand in the answer beside
 * it, for every reader of the log. Pure.
 *
 * A value is found as it is, and by its longest run of letters and digits, which is the same in whatever way an honest
 * endpoint writes the rest. Receiver and owner choose both texts: a value costs some steps for each character of the
 * answer. Measured: 20 µs of CPU for an ordinary answer, at most 8 ms for 16 KiB against 20 values.
 */
import type { Outcome, ReceiverResponse, SendResult } from "../domain/attempt.ts";
import type { CustomHeader } from "../domain/destination.ts";
import { LIMITS } from "../domain/limits.ts";
import { Needle } from "../domain/searched-text.ts";
import { MASK } from "./send/request.ts";

/** Shorter values are not secrets, and would be found by chance in every other answer. */
const SECRET_CHARS_MIN = 6;

/** Returns the same object when the answer contains no secret, which is nearly always. */
export function maskEcho(result: SendResult, headers: readonly CustomHeader[]): SendResult {
  const { outcome } = result;
  const secrets = headers.filter(({ secret }) => secret);
  // Most destinations have no secret header.
  if (secrets.length === 0 || (outcome.kind !== "response" && outcome.kind !== "network_error")) return result;
  // A mask of the longest first: a shorter one may stand within it.
  const sought = secrets
    .flatMap(listSought)
    .toSorted((one, other) => other.needle.text.length - one.needle.text.length);
  if (outcome.kind === "response") {
    const response = maskResponse(outcome, sought);
    return response === outcome.response ? result : { ...result, outcome: { ...outcome, response } };
  }
  // It may show the first line of what came, or the beginning of one.
  return { ...result, outcome: { ...outcome, message: mask(outcome.message, sought, { by: MASK, isCut: true }) } };
}

interface Sought {
  readonly needle: Needle;
  /** How far the mask may go to both sides, where the rest of the value stands. */
  readonly before: number;
  readonly after: number;
}

/** A value with and without its scheme, its password if it is `Basic`, and what of these stays in each writing. */
function listSought({ value }: CustomHeader): readonly Sought[] {
  const [scheme = ""] = /^[A-Za-z-]{2,16}[ \t]+/.exec(value) ?? [];
  const credentials = value.slice(scheme.length);
  const pair = /^basic/i.test(scheme) ? Buffer.from(credentials, "base64").toString("latin1") : "";
  // The name alone stands in many answers, such as "webhooks".
  const password = pair.slice(pair.indexOf(":") + 1);
  const texts = [value, credentials, pair, password].flatMap((text) => [text, Buffer.from(text).toString("latin1")]);
  const whole = [...new Set(texts)].filter((text) => text.length >= SECRET_CHARS_MIN);
  // What looks like a scheme is the secret where nothing behind it could be one.
  const run = [credentials, value].map(findRun).find(({ length }) => length > 0) ?? [];
  return [...whole.map((text) => ({ needle: new Needle(text), before: 0, after: 0 })), ...run, ...findRun(password)];
}

/** A character of the rest is given room for three: the mask is at most three times as long as the value. */
function findRun(value: string): readonly Sought[] {
  const runs = [...value.matchAll(/[A-Za-z0-9]{8,}/g)].toSorted(([one], [other]) => other.length - one.length);
  return runs.slice(0, 1).map(({ 0: run, index }) => {
    return { needle: new Needle(run), before: 3 * index, after: 3 * (value.length - index - run.length) };
  });
}

interface Masking {
  readonly by: string;
  /** The text goes on where it was cut, maybe within a secret. */
  readonly isCut: boolean;
}

const WHOLE: Masking = { by: MASK, isCut: false };

/** The mask in the body, which is bytes. */
const MASK_BYTES = Buffer.from(MASK, "utf8").toString("latin1");

type ResponseOutcome = Extract<Outcome, { kind: "response" }>;

/**
 * Header values are Latin-1 on the wire, and so the body is masked as Latin-1 too, byte by byte. A malformed answer (it
 * has a `message`) may end in the middle of a secret: its body is masked like one that was cut off.
 */
function maskResponse({ response, message }: ResponseOutcome, sought: readonly Sought[]): ReceiverResponse {
  const given = Object.entries(response.headers);
  const headers = given.map(([name, value]) => [mask(name, sought, WHOLE), mask(value, sought, WHOLE)] as const);
  const bytes = Buffer.from(response.body.buffer, response.body.byteOffset, response.body.byteLength);
  const text = bytes.toString("latin1");
  const masked = mask(text, sought, { by: MASK_BYTES, isCut: response.bodyCut || message !== undefined });
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

const mask = (text: string, sought: readonly Sought[], masking: Masking): string =>
  sought.reduce((masked, each) => maskOne(masked, each, masking), text);

/** The mask stands for each place that is found, and for the beginning of a secret within which the text was cut. */
function maskOne(text: string, { needle, before, after }: Sought, { by, isCut }: Masking): string {
  const isRest = (at: number) => !STOPS.includes(text.charAt(at));
  // A half character would make bytes of a text.
  const isInCharacter = (at: number) => text.charCodeAt(at) >> 6 === 0b10;
  let written = "";
  // The end of the last mask: no look around goes back behind it.
  let to = 0;
  for (let end = 1, same = 0; end <= text.length; end += 1) {
    same = needle.match(same, text.charCodeAt(end - 1));
    const isWithin = isCut && end === text.length && same >= SECRET_CHARS_MIN;
    if (same < needle.text.length && !isWithin) continue;
    let from = Math.max(end - same, to);
    const first = end - same - before;
    while (from > to && ((from > first && isRest(from - 1)) || isInCharacter(from))) from -= 1;
    if (from > to || to === 0) written += text.slice(to, from) + by;
    to = Math.max(end, to);
    const last = end + after;
    while (to < text.length && ((to < last && isRest(to)) || isInCharacter(to))) to += 1;
  }
  return to === 0 ? text : written + text.slice(to);
}

/** Blanks, quotes and angle brackets end a value in every writing. */
const STOPS = " \t\r\n\"'`<>";
