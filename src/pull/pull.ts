/**
 * A program asks for what waits for its webhook. One question, as a list of steps:
 *
 *     a place → the claim that it ends (acknowledged, or given back) → what is due, under a new claim, or a wait for it
 *
 * The claim is the store's: a token and a time, as a node's claim is. So a program that dies loses nothing, two with
 * one token share the work, and this node keeps nothing of a program between its questions.
 */
import { accountSuspended } from "../accounts/context.ts";
import { problem, type Result } from "../domain/problem.ts";
import { newHandOut, writeHandOut } from "../domain/pull.ts";
import { ok, refuse } from "../lib/result.ts";
import type { PulledDestination } from "../store/contract/pull.ts";
import type { PullContext } from "./context.ts";
import { endClaim, type EndedClaim } from "./end-claim.ts";
import { ANSWER_CHARS_MAX, buildMessages, type Handed, PULL_UNKNOWN, type PulledMessage } from "./messages.ts";
import type { Wait } from "./waits.ts";

export interface Question {
  readonly messagesMax: number;
  readonly waitMs: number;
  readonly holdMs: number;
  /** The claim that this question ends. */
  readonly ended: EndedClaim | null;
}

export interface PullAnswer {
  /** `null` when there is no message. */
  readonly claim: string | null;
  readonly claim_ends_at: string | null;
  readonly messages: readonly PulledMessage[];
}

interface Asking {
  readonly question: Question;
  /** Another may have replaced it while the question waits. */
  readonly tokenHash: string;
  /** Aborts when the program has its answer, or has left: then nothing is handed out to nobody. */
  readonly gone: AbortSignal;
}

/**
 * One that finds no place has ended no claim: it can be asked again as it is. One of a suspended account has: what its
 * program has handled would be handed out again after the suspension, when the claim has long run out.
 */
export async function answerQuestion(
  ctx: PullContext,
  asked: PulledDestination,
  asking: Asking,
): Promise<Result<PullAnswer>> {
  const view = await ctx.accounts.load(asked.accountId);
  const { question } = asking;
  if (view?.isSuspended === true) {
    if (question.ended !== null) await endClaim(ctx, asked, question.ended);
    return refuse(accountSuspended);
  }
  using wait = question.waitMs > 0 ? ctx.waits.open(asked) : null;
  if (question.waitMs > 0 && wait === null) return refuse(TOO_MANY);
  if (question.ended !== null) {
    const refusal = await endClaim(ctx, asked, question.ended);
    if (refusal !== null) return refuse(refusal);
  }
  return wait === null ? await take(ctx, asked, asking) : await takeOrWait(ctx, asked, { ...asking, wait });
}

interface Waiting extends Asking {
  readonly wait: Wait;
}

/** The wait is open before the store is asked: what comes in between wakes it. */
async function takeOrWait(
  ctx: PullContext,
  asked: PulledDestination,
  { wait, ...asking }: Waiting,
): Promise<Result<PullAnswer>> {
  const { question, gone } = asking;
  const untilMs = ctx.clock.monotonicMs() + question.waitMs;
  for (;;) {
    if (gone.aborted) return ok(NOTHING);
    const taken = await take(ctx, asked, asking);
    const leftMs = untilMs - ctx.clock.monotonicMs();
    if (!taken.ok || taken.value.messages.length > 0 || leftMs <= 0 || wait.isOver()) return taken;
    await wait.untilWoken(leftMs, gone);
  }
}

const NOTHING: PullAnswer = { claim: null, claim_ends_at: null, messages: [] };

async function take(
  ctx: PullContext,
  asked: PulledDestination,
  { question: { messagesMax, holdMs }, tokenHash }: Asking,
): Promise<Result<PullAnswer>> {
  const { store, clock, random, report } = ctx;
  const nowMs = clock.nowMs();
  const claim = newHandOut(random, { nowMs, holdMs });
  const due = { ...asked, tokenHash, nowMs, claim, deliveriesMax: messagesMax, bodyCharsMax: ANSWER_CHARS_MAX };
  const { isAsked, messages, notAcknowledged, failed } = await store.handOut(due);
  if (!isAsked) return refuse(PULL_UNKNOWN);
  const ended = { ...asked, acknowledged: [], notAcknowledged, failed };
  if (notAcknowledged.length + failed.length > 0) report.pulled(ended);
  return messages.length === 0 ? ok(NOTHING) : await toAnswer(ctx, asked, { messages, claim, nowMs });
}

async function toAnswer(ctx: PullContext, asked: PulledDestination, handed: Handed): Promise<Result<PullAnswer>> {
  const built = await buildMessages(ctx, asked, handed);
  if (!built.ok) return built;
  if (built.value.length === 0) return ok(NOTHING);
  const { claim } = handed;
  const ends = { claim: writeHandOut(claim), claim_ends_at: new Date(claim.untilMs).toISOString() };
  return ok({ ...ends, messages: built.value });
}

const TOO_MANY = problem(
  "too_many_pulls",
  "Too many questions wait with this token, or on this node. Let one end before the next one is asked.",
);
