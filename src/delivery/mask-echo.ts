/**
 * Takes secret header values out of what a receiver answered. Some endpoints send back the headers they got (request
 * bins, debug pages); without this a value that is sealed in the store and masked in the request would stand in the
 * answer beside it, for everybody who may look at the log. Pure.
 */
import type { ReceiverResponse, SendResult } from "../domain/attempt.ts";
import type { CustomHeader } from "../domain/destination.ts";
import { MASK } from "./request.ts";

/** Shorter values are no secrets, and would be found by chance in every other answer. */
const SECRET_CHARS_MIN = 6;

/** The same result when there is nothing to take out, which is nearly always. */
export function maskEcho(result: SendResult, headers: readonly CustomHeader[]): SendResult {
  const { outcome } = result;
  if (outcome.kind !== "response") return result;
  const echoed = secretsOf(headers).filter((secret) => isIn(outcome.response, secret));
  if (echoed.length === 0) return result;
  return { ...result, outcome: { kind: "response", response: echoed.reduce(withoutSecret, outcome.response) } };
}

/** A value such as `Bearer abc` is often echoed without its first word. The longest is taken out first. */
function secretsOf(headers: readonly CustomHeader[]): string[] {
  const values = headers.filter(({ secret }) => secret).flatMap(({ value }) => [value, value.replace(/^\S+\s+/, "")]);
  return [...new Set(values.flatMap(writings))]
    .filter(({ length }) => length >= SECRET_CHARS_MIN)
    .toSorted((a, b) => b.length - a.length);
}

/** As it is, in JSON, in JSON as PHP writes it, and in an address: nearly always all the same. */
function writings(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [value, json, json.replaceAll("/", "\\/"), encodeURIComponent(value)];
}

function isIn({ headers, body }: ReceiverResponse, secret: string): boolean {
  return asLatin1(body).includes(secret) || Object.values(headers).some((value) => value.includes(secret));
}

/** Header values are Latin-1 on the wire, and bytes are compared as such: what comes back unchanged is found. */
function withoutSecret(response: ReceiverResponse, secret: string): ReceiverResponse {
  const mask = Buffer.from(MASK, "utf8").toString("latin1");
  const headers = Object.entries(response.headers).map(([name, value]) => [name, value.replaceAll(secret, MASK)]);
  const body = Buffer.from(asLatin1(response.body).replaceAll(secret, mask), "latin1");
  return { ...response, headers: Object.fromEntries(headers) as Record<string, string>, body };
}

const asLatin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
