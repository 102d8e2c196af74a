/**
 * The number of requests that a destination gets at once. It is measured, not configured: one more after a window of
 * good answers, half as many after a sign of overload (timeout, 429, 5xx, no connection, a shortage of our own).
 */
import type { SendResult } from "../../domain/attempt.ts";
import { isSuccess } from "../send/judge.ts";

const LIMIT_START = 4;
const LIMIT_MIN = 1;
const LIMIT_MAX = 64;

export interface LaneLimit {
  readonly limit: number;
  /** Good answers since the limit last changed. */
  readonly good: number;
}

export const startingLimit: LaneLimit = { limit: LIMIT_START, good: 0 };

/** The limit of a destination that was held back. It grows again from here, one window at a time. */
export const restedLimit: LaneLimit = { limit: LIMIT_MIN, good: 0 };

/** The limit after one more answer. A 4xx says something about the request, and nothing about the load. */
export function adapt({ limit, good }: LaneLimit, { outcome }: SendResult): LaneLimit {
  if (isSuccess(outcome)) {
    const isWindowFull = good + 1 >= limit;
    return isWindowFull ? { limit: Math.min(limit + 1, LIMIT_MAX), good: 0 } : { limit, good: good + 1 };
  }
  if (isOverload(outcome)) return { limit: Math.max(Math.floor(limit / 2), LIMIT_MIN), good: 0 };
  return { limit, good: 0 };
}

function isOverload(outcome: SendResult["outcome"]): boolean {
  switch (outcome.kind) {
    case "timeout":
    case "network_error":
    case "proxy_error":
    case "internal_error":
      return true;
    case "response":
      return outcome.response.status === 429 || outcome.response.status >= 500;
    case "dns_error":
    case "tls_error":
    case "blocked":
    // The receiver was not reached; one look for a token serves all that wait for it.
    case "token_error":
      return false;
  }
}
