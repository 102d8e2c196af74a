/**
 * Step 2 of an attempt for a destination with OAuth: gets the access token, and sends the request with it. All other
 * requests pass by untouched.
 *
 *     held token ──► webhook ──401──► drop it ──► fetch ──► webhook once more ──► its answer, whatever it is
 *     no token ──► fetch ──► webhook ──► its answer
 *                    └──failed──► `token_error`: nothing was sent
 *
 * Invariants: token and webhook share one deadline of the attempt; at most two webhooks and one token request an
 * attempt; no result holds a token.
 */
import type { Outcome, SendResult } from "../domain/attempt.ts";
import { LIMITS } from "../domain/limits.ts";
import { ok } from "../lib/result.ts";
import { secondsMs } from "../lib/duration.ts";
import type { Clock } from "../lib/clock.ts";
import type { DeliveryContext } from "./context.ts";
import { maskEcho } from "./mask-echo.ts";
import type { WebhookRequest } from "./send/request.ts";
import { type AccessToken, AccessTokens, type WantedToken } from "./access-tokens.ts";

type Send = DeliveryContext["send"];

/** Guess. With less time left, the next attempt renews the token. */
const RENEW_WITHIN_MS_MIN = secondsMs(2);

export function createAuthorizedSend(send: Send, clock: Pick<Clock, "monotonicMs">): Send {
  const tokens = new AccessTokens({ send, clock });
  return (request, mayStart) => {
    const oauth = request.authentication?.oauth ?? null;
    if (oauth === null) return send(request, mayStart);
    const startedMs = clock.monotonicMs();
    return sendWithToken({ send, clock, tokens, startedMs }, { oauth, request, mayStart });
  };
}

interface Attempt {
  readonly send: Send;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly tokens: AccessTokens;
  readonly startedMs: number;
}

async function sendWithToken(attempt: Attempt, wanted: WantedToken): Promise<SendResult | null> {
  const { tokens } = attempt;
  const held = tokens.find(wanted);
  if (held === null) return await fetchAndSend(attempt, wanted, "fetched");
  const first = await sendWith(attempt, wanted, held);
  if (first === null || !isUnauthorized(first)) return mark(attempt, first, "kept");
  tokens.drop(wanted, held);
  if (timeLeftMs(attempt) < RENEW_WITHIN_MS_MIN) return mark(attempt, first, "kept");
  // The account may have changed since: then the receiver's answer counts, because it was asked.
  return (await fetchAndSend(attempt, wanted, "renewed")) ?? mark(attempt, first, "kept");
}

async function fetchAndSend(
  attempt: Attempt,
  wanted: WantedToken,
  how: NonNullable<SendResult["token"]>,
): Promise<SendResult | null> {
  // Another delivery may have renewed it already.
  const renewed = how === "renewed" ? attempt.tokens.find(wanted) : null;
  const fetched = renewed === null ? await attempt.tokens.fetch(wanted) : ok(renewed);
  if (fetched === null) return null;
  if (!fetched.ok) return unsent(attempt, fetched.error);
  const sent = await sendWith(attempt, wanted, fetched.value);
  if (sent !== null && isUnauthorized(sent)) attempt.tokens.drop(wanted, fetched.value);
  return mark(attempt, sent, how);
}

/** The attempt's time is the whole of it, from the look for a token on. */
const elapsedMs = ({ clock, startedMs }: Attempt): number => clock.monotonicMs() - startedMs;

function unsent(attempt: Attempt, outcome: Outcome): SendResult {
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: elapsedMs(attempt) };
  return { outcome, timings, address: null };
}

const timeLeftMs = (attempt: Attempt): number => LIMITS.attemptDeadlineMs - elapsedMs(attempt);

const isUnauthorized = ({ outcome }: SendResult): boolean =>
  outcome.kind === "response" && outcome.response.status === 401;

async function sendWith(attempt: Attempt, { request, mayStart }: WantedToken, token: AccessToken) {
  const sentAfterMs = elapsedMs(attempt);
  const sent = await attempt.send(withToken(request, token, Math.max(1, timeLeftMs(attempt))), mayStart);
  if (sent === null) return null;
  const { firstByteMs } = sent.timings;
  const timings = { ...sent.timings, firstByteMs: firstByteMs === null ? null : firstByteMs + sentAfterMs };
  // Some endpoints send back the headers they got.
  return maskEcho({ ...sent, timings }, [{ name: "authorization", value: `Bearer ${token.text}`, secret: true }]);
}

const withToken = (request: WebhookRequest, { text }: AccessToken, deadlineMs: number): WebhookRequest => ({
  ...request,
  deadlineMs,
  headers: { ...request.headers, authorization: `Bearer ${text}` },
});

function mark(attempt: Attempt, result: SendResult | null, token: NonNullable<SendResult["token"]>) {
  if (result === null) return null;
  return { ...result, timings: { ...result.timings, totalMs: elapsedMs(attempt) }, token };
}
