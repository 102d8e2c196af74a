/**
 * What a program gets of what was handed out: each message with the headers and the body that a request would have now.
 * One whose body cannot be made fails at once, as it does where a URL is called.
 */
import { findTarget } from "../accounts/account-view.ts";
import { accountMissing } from "../accounts/context.ts";
import { build } from "../delivery/build.ts";
import type { AttemptOutcome } from "../domain/attempt.ts";
import { type Problem, problem, type Result } from "../domain/problem.ts";
import type { HandOut } from "../domain/pull.ts";
import { ok, refuse } from "../lib/result.ts";
import { type HandedMessage, type PulledDestination, settleMessage } from "../store/contract/pull.ts";
import type { PullContext } from "./context.ts";

/**
 * Guess: what the bodies of one answer may have in memory, those of the events and those that are made of them; and one
 * body more.
 */
export const ANSWER_CHARS_MAX = 4 * 1024 * 1024;

export interface PulledMessage {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The text whose UTF-8 the signatures cover. */
  readonly body: string;
}

export interface Handed {
  readonly messages: readonly HandedMessage[];
  readonly claim: HandOut;
  readonly nowMs: number;
}

export async function buildMessages(
  ctx: PullContext,
  asked: PulledDestination,
  { messages, claim, nowMs }: Handed,
): Promise<Result<readonly PulledMessage[]>> {
  const { accountId, destinationId } = asked;
  const view = await ctx.accounts.loadCurrent(accountId);
  if (view === null) return refuse(accountMissing(accountId));
  const target = findTarget(view, destinationId, nowMs);
  // Deleted since: what was handed out is cancelled with the rest.
  if (target === null) return refuse(PULL_UNKNOWN);
  const built: PulledMessage[] = [];
  let chars = 0;
  const waiting: HandedMessage[] = [];
  const failed: FailedMessage[] = [];
  for (const message of messages) {
    const { deliveryId: id, eventId, eventType, body } = message;
    if (chars >= ANSWER_CHARS_MAX) {
      waiting.push(message);
      continue;
    }
    const made = build(ctx, { id, eventId, eventType, accountId, body }, { settings: target.settings, target });
    ctx.bodies.release(id);
    if (made === "full") waiting.push(message);
    else if (made.unsent !== null) failed.push({ message, outcome: made.unsent.outcome });
    else {
      chars += made.request.body.length;
      built.push({ id, headers: made.request.headers, body: made.request.body });
    }
  }
  if (failed.length > 0) await failNow(ctx, asked, { failed, claim, nowMs });
  if (waiting.length > 0) await giveBack(ctx, accountId, { waiting, claim, nowMs });
  return ok(built);
}

interface FailedMessage {
  readonly message: HandedMessage;
  readonly outcome: AttemptOutcome;
}

async function failNow(
  { store, report }: PullContext,
  asked: PulledDestination,
  { failed, claim, nowMs }: { failed: readonly FailedMessage[]; claim: HandOut; nowMs: number },
): Promise<void> {
  const end = { accountId: asked.accountId, claimToken: claim.token, handedOutAtMs: nowMs, nowMs };
  const settlements = failed.map(({ message, outcome }) => settleMessage(message, { ...end, outcome }));
  await store.settleAttemptsIfClaimed({ nowMs, settlements });
  const ids = failed.map(({ message }) => message.deliveryId);
  report.pulled({ ...asked, acknowledged: [], notAcknowledged: [], failed: ids });
}

/** Their bodies have no place in this answer or on this node: they come with the next. No attempt is counted. */
async function giveBack(
  { store }: PullContext,
  accountId: string,
  { waiting, claim, nowMs }: { waiting: readonly HandedMessage[]; claim: HandOut; nowMs: number },
): Promise<void> {
  const claims = waiting.map(({ deliveryId }) => ({ deliveryId, accountId, claimToken: claim.token }));
  await store.releaseClaims({ claims, dueAtMs: Math.min(nowMs, ...waiting.map((each) => each.pendingSinceMs)) });
}

export const PULL_UNKNOWN: Problem = problem(
  "pull_token_unknown",
  "No webhook is asked with this token: it was replaced, or its webhook was deleted or has a URL now. " +
    "Make a new token on the webhook's page.",
);
