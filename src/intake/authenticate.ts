/**
 * Lets a caller into intake that sends one of the intake keys. Every key is compared in constant time on each call.
 *
 * Wrong keys are counted by address and answered with 429 after a while. A right key is let in all the same: the
 * product may share its address with an attacker who guesses, and must not be locked out.
 */
import { hash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type Problem, problem } from "../domain/problem.ts";
import { createTryCounter } from "../http/try-counter.ts";
import type { Clock } from "../lib/clock.ts";
import { minutesMs } from "../lib/duration.ts";

const BAD_KEYS_MAX = 20;
const BAD_KEYS_WINDOW_MS = minutesMs(1);

/** Returns a check with `null` for a right key, otherwise the refusal. */
export function createAuthenticator(
  apiKeys: readonly string[],
  clock: Clock,
): (request: FastifyRequest) => Problem | null {
  const expected = apiKeys.map(digest);
  const isTooMany = createTryCounter({ clock, triesMax: BAD_KEYS_MAX, windowMs: BAD_KEYS_WINDOW_MS });
  return (request) => {
    const given = readBearer(request);
    if (given !== null && isAmong(expected, digest(given))) return null;
    if (isTooMany(request.ip)) return problem("too_many_bad_keys", "Wait a minute, then send the right intake key.");
    if (given === null)
      return problem("unauthorized", "Send the intake key as `Authorization: Bearer <BELLWIRE_API_KEY>`.");
    return problem(
      "unauthorized",
      "This is not an intake key of this service (BELLWIRE_API_KEY, or the file intake-key).",
    );
  };
}

/** Digests have one length, which is what a comparison in constant time needs. */
const digest = (key: string): Buffer => hash("sha256", key, "buffer");

function isAmong(expected: readonly Buffer[], given: Buffer): boolean {
  let isKnown = false;
  for (const key of expected) isKnown = timingSafeEqual(key, given) || isKnown;
  return isKnown;
}

function readBearer(request: FastifyRequest): string | null {
  return /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;
}
