/**
 * The Webhook Verification Secret as its owner handles it: shown, replaced step by step, replaced at once.
 *
 *     current ──rotate (overlap)──► current + next ──24 h, or "Switch now"──► the next one is current
 *        └──────rotate (it leaked)──► a new current one; the old one is gone at once
 *
 * The clock decides which secret signs (`secretsAt`), on every node alike; the rows follow.
 */
import { type Problem, type Result, ok, problem, refuse } from "../domain/problem.ts";
import { SECRET_BYTES, newVerificationSecret } from "../domain/signature.ts";
import { hoursMs } from "../lib/duration.ts";
import type { Actor } from "../domain/account.ts";
import { type AccountsContext, accountMissing } from "./context.ts";
import { secretContext } from "./secrets.ts";

/** Source: decisions §5. */
export const OVERLAP_MS = hoursMs(24);

export interface Rotation {
  readonly accountId: string;
  /** `now` replaces a secret that leaked. */
  readonly mode: "overlap" | "now";
  readonly by: Actor;
}

export async function rotateSecret(ctx: AccountsContext, { accountId, mode, by }: Rotation): Promise<Result<void>> {
  const nowMs = ctx.clock.nowMs();
  await switchWhenDue(ctx, accountId);
  const secret = newVerificationSecret(ctx.random.bytes(SECRET_BYTES));
  const outcome = await ctx.store.rotateSecret({
    accountId,
    newSealedSecret: ctx.sealer.seal(secret, secretContext(accountId)),
    becomesCurrentAtMs: mode === "overlap" ? nowMs + OVERLAP_MS : null,
    by,
    nowMs,
  });
  ctx.accounts.forget(accountId);
  switch (outcome) {
    case "rotated":
      return ok(undefined);
    case "rotating_already":
      return refuse(rotatingAlready);
    case "missing":
      return refuse(accountMissing(accountId));
  }
}

/** Makes the next secret the current one now. Refuses when there is none. */
export async function switchSecret(
  ctx: AccountsContext,
  { accountId, by }: Pick<Rotation, "accountId" | "by">,
): Promise<Result<void>> {
  const outcome = await ctx.store.switchSecret({ accountId, onlyIfDue: false, by, nowMs: ctx.clock.nowMs() });
  ctx.accounts.forget(accountId);
  return outcome === "switched" ? ok(undefined) : refuse(notRotating);
}

/** Once its time has come, the next secret signs; before a new rotation the rows must say so too. */
export async function switchWhenDue(ctx: AccountsContext, accountId: string): Promise<void> {
  const by: Actor = { person: "system", role: "system" };
  await ctx.store.switchSecret({ accountId, onlyIfDue: true, by, nowMs: ctx.clock.nowMs() });
}

const rotatingAlready: Problem = problem(
  "rotating_already",
  "The secret is being rotated already. Switch to the new one first, or say that it leaked.",
);

const notRotating: Problem = problem("not_rotating", "There is no new secret to switch to: none is being rotated in.");
