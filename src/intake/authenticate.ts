/**
 * Lets a caller into intake that sends one of the intake keys. Every key is compared in constant time on each call.
 *
 * Wrong keys are counted by address and answered with 429 after a while. A right key is let in all the same: the
 * product may share its address with an attacker who guesses, and must not be locked out.
 */
import { timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type Problem, problem } from "../domain/problem.ts";
import { readBearer } from "../http/bearer.ts";
import { callerAddress } from "../http/client-address.ts";
import { createTryCounter } from "../http/try-counter.ts";
import type { Clock } from "../lib/clock.ts";
import { minutesMs } from "../lib/duration.ts";

const BAD_KEYS_MAX = 20;
const BAD_KEYS_WINDOW_MS = minutesMs(1);

export interface Authenticator {
  /** `null` for a right key. */
  findRefusal(request: FastifyRequest): Problem | null;
  hasKey(authorization: string | undefined): boolean;
}

/** `keys.apiKeys` is read for each call: it may change while the service runs. */
export function createAuthenticator(keys: { readonly apiKeys: readonly string[] }, clock: Clock): Authenticator {
  let { apiKeys } = keys;
  let isKey = createKeyCheck(apiKeys);
  const isTooMany = createTryCounter({ clock, triesMax: BAD_KEYS_MAX, windowMs: BAD_KEYS_WINDOW_MS });
  function hasKey(authorization: string | undefined): boolean {
    const given = readBearer(authorization);
    if (apiKeys !== keys.apiKeys) {
      apiKeys = keys.apiKeys;
      isKey = createKeyCheck(apiKeys);
    }
    return given !== null && isKey(given);
  }
  return {
    hasKey,
    findRefusal(request) {
      const { authorization } = request.headers;
      if (hasKey(authorization)) return null;
      if (isTooMany(callerAddress(request)))
        return problem("too_many_bad_keys", "Wait a minute, then send the right intake key.");
      if (readBearer(authorization) === null)
        return problem("unauthorized", "Send the intake key as `Authorization: Bearer <BELLWIRE_API_KEY>`.");
      return problem(
        "unauthorized",
        "This is not an intake key of this service (BELLWIRE_API_KEY, or the file intake-key).",
      );
    },
  };
}

/**
 * Capacity for one more UTF-8 character behind the longest key. Without it, a given key that begins with the longest
 * key and continues would be cut to that key, and match.
 */
const UTF8_CHARACTER_BYTES_MAX = 4;

/**
 * Compares copies of one size, which is what a comparison in constant time needs: the time says nothing of the keys,
 * not even how long they are. Hashes have one size too, and cost each call of intake 0.7 µs more (measured).
 */
function createKeyCheck(keys: readonly string[]): (key: string) => boolean {
  const size = Math.max(...keys.map((key) => Buffer.byteLength(key))) + UTF8_CHARACTER_BYTES_MAX;
  const expected = keys.map((key) => copyInto(Buffer.alloc(size), key));
  const given = Buffer.alloc(size);
  return (key) => {
    copyInto(given, key);
    let isKnown = false;
    for (const each of expected) isKnown = timingSafeEqual(each, given) || isKnown;
    return isKnown;
  };
}

/** A character that no longer fits is left out whole. */
function copyInto(bytes: Buffer, key: string): Buffer {
  bytes.fill(0);
  bytes.write(key);
  return bytes;
}
