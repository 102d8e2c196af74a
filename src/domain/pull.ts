/**
 * A webhook that is asked: its target is not a URL but a program of its owner's, which asks for messages and
 * acknowledges them. Nodes never send for it, so its deliveries are pending until a program takes them.
 *
 *     pending ──handed out under a claim──► acknowledged: delivered
 *        ▲                                │
 *        └── the claim runs out, or the program gives it back; failed after HANDED_OUT_MAX of these
 */
import type { Random } from "../lib/random.ts";

/** Stands where other destinations have their URL. It parses as one, and nothing connects to it. */
export const PULL_URL = "pull:";

export const isPulled = ({ url }: { readonly url: string }): boolean => url === PULL_URL;

/** How often a message is handed out without an acknowledgement before its delivery has failed. */
export const HANDED_OUT_MAX = 10;

/**
 * What a destination's `served_at` is while it is asked: the end of time. Claims of nodes visit destinations whose turn
 * has come, and its turn never does.
 */
export const NEVER_SERVED_MS = 8.64e15;

/** Tells it from other secrets where one is found, in a log or a repository. */
const TOKEN_PREFIX = "bwp_";

export const newPullToken = (random: Random): string =>
  `${TOKEN_PREFIX}${Buffer.from(random.bytes(32)).toString("base64url")}`;

/** Any other text is unknown without a question to the store. */
export const isPullToken = (text: string): boolean => /^bwp_[A-Za-z0-9_-]{43}$/.test(text);

/** What a program holds after its question: the token in the store says when it was handed out. */
export interface HandOut {
  readonly token: string;
  readonly untilMs: number;
}

export const newHandOut = (random: Random, { nowMs, holdMs }: { nowMs: number; holdMs: number }): HandOut => ({
  token: `${Buffer.from(random.bytes(12)).toString("base64url")}.${nowMs.toString(36)}`,
  untilMs: nowMs + holdMs,
});

/** When it was handed out; `null` for the claim of a node, from when the destination had a URL. */
export function readHandedOutAt(token: string): number | null {
  const [, digits] = /^[A-Za-z0-9_-]{16}\.([0-9a-z]{1,11})$/.exec(token) ?? [];
  return digits === undefined ? null : Number.parseInt(digits, 36);
}

/** As programs see it: the store's rows prove every part of it. */
export const writeHandOut = ({ token, untilMs }: HandOut): string => `${token}.${untilMs.toString(36)}`;

/** `null` for a text that is none of ours. */
export function readHandOut(text: string): HandOut | null {
  const [, token, until] = /^([A-Za-z0-9_-]{16}\.[0-9a-z]{1,11})\.([0-9a-z]{1,11})$/.exec(text) ?? [];
  if (token === undefined || until === undefined) return null;
  const untilMs = Number.parseInt(until, 36);
  return untilMs < NEVER_SERVED_MS ? { token, untilMs } : null;
}
