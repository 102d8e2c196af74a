/**
 * Masks secret header values in a receiver's answer. Some endpoints send back the headers they got (request bins, debug
 * pages). Without this, a value that is sealed in the store and masked in the request would stand in the answer beside
 * it, for every reader of the log. `docs/secure.md` says which writings are found. Pure.
 *
 * The answer is read in every usual writing (echo-readings.ts), and a secret in one of the readings is masked in the
 * answer itself. The time is linear in the answer and in the values, because receiver and owner choose them: measured,
 * 55 µs of CPU for an ordinary answer, and at most 67 ms for 16 KiB of backslashes, hex or the values themselves
 * against 20 values of 4,096 characters, which is five times what may be saved.
 */
import type { ReceiverResponse, SendResult } from "../../domain/attempt.ts";
import type { CustomHeader } from "../../domain/destination.ts";
import { LIMITS } from "../../domain/limits.ts";
import { findReadings } from "./readings.ts";
import { type Range, findSecrets } from "./search.ts";
import { collectSecrets } from "./secrets.ts";
import { MASK } from "../send/request.ts";

/** Returns the same object when the answer contains no secret, which is nearly always. */
export function maskEcho(result: SendResult, headers: readonly CustomHeader[]): SendResult {
  const { outcome } = result;
  if (outcome.kind !== "response") return result;
  const secrets = collectSecrets(headers);
  if (secrets === null) return result;
  const { response } = outcome;
  const parts = listParts(response);
  const readings = findReadings(parts.join(SEPARATOR), response.bodyCut);
  const ranges = merged(readings.flatMap((reading) => findSecrets(reading, secrets, response.bodyCut)));
  if (ranges.length === 0) return result;
  return { ...result, outcome: { kind: "response", response: withMasks(response, masked(parts, ranges)) } };
}

/** Stands between the parts of an answer, which are read as one text: a value may be split over several headers. */
const SEPARATOR = "\n";

/** Header values are Latin-1 on the wire, and compared as bytes. The order is names, values, body. */
function listParts({ headers, body }: ReceiverResponse): readonly string[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return [...Object.keys(headers), ...Object.values(headers), bytes.toString("latin1")];
}

function withMasks(response: ReceiverResponse, parts: readonly string[]): ReceiverResponse {
  const count = Object.keys(response.headers).length;
  const headers = parts.slice(0, count).map((name, index) => [name, parts[count + index] ?? ""] as const);
  const body = Buffer.from(parts.at(-1) ?? "", "latin1");
  // A mask may be longer than the value that it hides, and an answer is never kept beyond its limit.
  const isTooLong = body.length > LIMITS.responseBytesMax;
  return {
    ...response,
    headers: Object.fromEntries(headers),
    body: isTooLong ? body.subarray(0, LIMITS.responseBytesMax) : body,
    bodyCut: response.bodyCut || isTooLong,
  };
}

/** The ranges in order, with those joined that overlap or touch. */
function merged(ranges: readonly Range[]): readonly Range[] {
  const all: Range[] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last === undefined || from > last[1]) all.push([from, to]);
    else all[all.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return all;
}

/** The parts with each range masked. A range over several parts is masked in each of them. */
function masked(parts: readonly string[], ranges: readonly Range[]): string[] {
  let offset = 0;
  let next = 0;
  return parts.map((part, index) => {
    const end = offset + part.length;
    let written = "";
    let from = offset;
    for (let [start, to] = ranges[next] ?? NOWHERE; start < end; [start, to] = ranges[next] ?? NOWHERE) {
      if (to > from)
        written +=
          part.slice(from - offset, Math.max(start, from) - offset) + (index === parts.length - 1 ? MASK_BYTES : MASK);
      from = Math.max(from, Math.min(to, end));
      if (to > end) break;
      next += 1;
    }
    written += part.slice(from - offset);
    offset = end + SEPARATOR.length;
    return written;
  });
}

/** The mask in the body, which is bytes. */
const MASK_BYTES = Buffer.from(MASK, "utf8").toString("latin1");

const NOWHERE: Range = [Infinity, Infinity];
