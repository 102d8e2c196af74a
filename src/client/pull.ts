/**
 * `bellwire/client/pull`: a program asks for its webhook's messages, handles each, and acknowledges them by asking on.
 *
 *     ask and wait ──► handle each ──► ask on with ack
 *          ▲                └─ threw: ask on with nack, after a pause
 *
 * A message comes again until it is acknowledged: handle each by its `id`, which stays the same.
 */
import { type Refused, isObject, parse, readRefusal } from "./answers.ts";
import { type AskingOptions, createAsking } from "./asking.ts";
import type { MakeCall } from "./call.ts";
import { createInHand } from "./in-hand.ts";
import { systemOutside } from "./outside.ts";
import type { PullAnswer, PulledMessage } from "./shown.ts";

export interface PullOptions extends AskingOptions {
  /** The token of a webhook that is asked, `bwp_…`. */
  readonly token: string;
  /**
   * The most messages of one answer, up to 500; 100 when left out. One comes at first, and more while they are handled
   * soon. Those of an answer are given back together where one of them fails; what was handled of them is not handled
   * again.
   */
  readonly limit?: number;
  /** For how long the messages of an answer are this program's; 60 when left out. */
  readonly holdSeconds?: number;
  /** Ends the loop, when the messages in hand have been handled. */
  readonly signal?: AbortSignal;
  /** A message could not be handled: it comes again. */
  readonly onFailure?: (error: unknown, message: PulledMessage) => void;
  /**
   * The pause before the next question, after so many failures in a row with `error` the last; from 1 to 30 seconds
   * when left out. A message fails for good when it has come ten times.
   */
  readonly pauseMs?: (failures: number, error: unknown) => number;
}

/** `verify` of `bellwire/receiver` takes its `body`. */
export type HandleMessage = (message: PulledMessage) => Promise<void> | void;

/** Resolves when the signal ends it, or when the service refuses for good, such as a token that was replaced. */
export type Pulled = { readonly kind: "stopped" } | Refused;

/** What the service allows. */
const LIMIT_MAX = 500;
const WAIT_SECONDS = 20;
/** Twice as long after each further failure. */
const usualPauseMs = (failures: number): number => Math.min(30_000, 1_000 * 2 ** (failures - 1));

/** After a call that was tried for as long as it may be. */
const AWAY_MS = 1_000;

export async function pull(options: PullOptions, handle: HandleMessage): Promise<Pulled> {
  const { token, limit, holdSeconds = 60, signal = new AbortController().signal, pauseMs = usualPauseMs } = options;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX)) {
    throw new Error(`limit is ${limit}: give a whole number from 1 to ${LIMIT_MAX}`);
  }
  const call = createAsking(options, { key: token, what: "token", name: "the webhook's token" });
  const outside = { ...systemOutside, ...options.outside };
  const inHand = createInHand<PulledMessage>({ limit, holdMs: holdSeconds * 1_000, nowMs: outside.nowMs });
  let ended: Ended = {};
  for (let failures = 0; !signal.aborted;) {
    const question = { limit: String(inHand.limit()), hold: String(holdSeconds), wait: String(WAIT_SECONDS) };
    const asked = await ask(call, { ...question, ...ended }, signal);
    if (asked.kind === "again") {
      // Without it a call that may not be made yet, and ends at once, would keep the process busy.
      await pause(outside.wait, AWAY_MS, signal);
      continue;
    }
    if (asked.kind === "answered" && ended.ack !== undefined) inHand.forgetLast();
    // Its time was over, or the answer to its end was lost: nothing was settled, and what it held comes again.
    if (asked.kind === "refused" && asked.code !== "pull_claim_lost") return asked;
    ended = {};
    if (asked.kind === "refused" || asked.claim === null) continue;
    let lastError: unknown;
    const isHandled = await inHand.handleAll(asked.messages, async (message) => {
      try {
        await handle(message);
        return true;
      } catch (error) {
        lastError = error;
        options.onFailure?.(error, message);
        return false;
      }
    });
    ended = isHandled ? { ack: asked.claim } : { nack: asked.claim };
    failures = isHandled ? 0 : failures + 1;
    if (failures > 0) await pause(outside.wait, pauseMs(failures, lastError), signal);
  }
  // Nothing waits for the last one: what comes with the answer is held for no longer than this.
  if (ended.ack !== undefined || ended.nack !== undefined) await ask(call, { limit: "1", hold: "1", ...ended });
  return { kind: "stopped" };
}

/** What the next question ends. */
interface Ended {
  readonly ack?: string;
  readonly nack?: string;
}

interface Answer extends Pick<PullAnswer, "claim" | "messages"> {
  readonly kind: "answered";
}

/** `again`: the service stays away, or the loop is being ended. */
async function ask(
  call: MakeCall,
  question: Readonly<Record<string, string>> & Ended,
  signal?: AbortSignal,
): Promise<Answer | Refused | { readonly kind: "again" }> {
  const path = `/pull?${new URLSearchParams(question).toString()}`;
  const outcome = await call({ method: "GET", path, signal }).catch((error: unknown) => {
    if (signal?.aborted === true) return null;
    throw error;
  });
  if (outcome === null || outcome.kind === "unavailable") return { kind: "again" };
  const answer = outcome.status === 200 ? parse(outcome.text) : undefined;
  if (!isObject(answer) || !Array.isArray(answer.messages)) return readRefusal(outcome);
  const claim = typeof answer.claim === "string" ? answer.claim : null;
  return { kind: "answered", claim, messages: answer.messages as PulledMessage[] };
}

const pause = (wait: typeof systemOutside.wait, ms: number, signal: AbortSignal): Promise<void> =>
  wait(ms, signal).catch(() => {});
