/**
 * What signs an account's webhooks, as its owner handles it: the Webhook Verification Secret, and the key pair for
 * receivers that should hold no secret. Both are rotated in the same way:
 *
 *     current ──rotate (24 h, 7 days, until …)──► previous + current ──its time, or "Stop … now"──► current
 *        │                                              └──"Go back"──► the previous one is current again
 *        └──rotate (at once)──► a new current one; the one before it is gone
 *
 * The clock decides what signs (`secretsAt`), on every node alike; the rows follow.
 */
import type { Actor } from "../domain/account.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Problem, type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { SECRET_BYTES, newSigningKey, newVerificationSecret } from "../domain/signature.ts";
import { daysMs, hoursMs } from "../lib/duration.ts";
import { durationInWords } from "../lib/written-times.ts";
import type { SecretKind } from "../store/contract/accounts.ts";
import { type AccountsContext, accountMissing } from "./context.ts";
import { secretContext } from "./secrets.ts";

/** For how long the previous one goes on beside the new one. Source: decisions §5 and its changes. */
export type Overlap = "none" | "24h" | "7d" | { readonly untilMs: number };

export const OVERLAPS_MS = { none: 0, "24h": hoursMs(24), "7d": daysMs(7) } as const;

interface OfAccount {
  readonly accountId: string;
  readonly by: Actor;
}

export interface Rotation extends OfAccount {
  readonly kind?: SecretKind;
  readonly overlap: Overlap;
}

export async function rotateSecret(
  ctx: AccountsContext,
  { accountId, kind = "secret", overlap, by }: Rotation,
): Promise<Result<void>> {
  const nowMs = ctx.clock.nowMs();
  const stopsAt = previousStopsAt(overlap, nowMs);
  if (!stopsAt.ok) return stopsAt;
  await endWhenDue(ctx, accountId);
  const outcome = await ctx.store.rotateSecret({
    accountId,
    kind,
    newSealedSecret: sealNew(ctx, accountId, kind),
    previousStopsAtMs: stopsAt.value,
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
      return refuse(kind === "key" ? noKey : accountMissing(accountId));
  }
}

function sealNew(ctx: AccountsContext, accountId: string, kind: SecretKind): string {
  const bytes = ctx.random.bytes(SECRET_BYTES);
  const secret = kind === "key" ? newSigningKey(bytes) : newVerificationSecret(bytes);
  return ctx.sealer.seal(secret, secretContext(accountId, kind));
}

function previousStopsAt(overlap: Overlap, nowMs: number): Result<number | null> {
  if (overlap === "none") return ok(null);
  if (typeof overlap === "string") return ok(nowMs + OVERLAPS_MS[overlap]);
  const { untilMs } = overlap;
  if (untilMs > nowMs && untilMs <= nowMs + LIMITS.secretOverlapMsMax) return ok(untilMs);
  const longest = durationInWords(LIMITS.secretOverlapMsMax);
  const message = untilMs <= nowMs ? "is not in the future" : `is more than ${longest} away`;
  return refuse(
    problem("invalid_form", `The previous one can work until an instant within the next ${longest}.`, [
      { path: "overlap.untilMs", message },
    ]),
  );
}

export interface RotationEnd extends OfAccount {
  readonly kind?: SecretKind;
  /** `previous` takes the rotation back: the new one never signs again. */
  readonly keep: "current" | "previous";
}

/** Leaves one of the two, now. Refuses when none is being rotated. */
export async function endRotation(
  ctx: AccountsContext,
  { accountId, kind = "secret", keep, by }: RotationEnd,
): Promise<Result<void>> {
  const nowMs = ctx.clock.nowMs();
  const outcome = await ctx.store.endRotation({ accountId, kind, keep, onlyIfDue: false, by, nowMs });
  ctx.accounts.forget(accountId);
  return outcome === "ended" ? ok(undefined) : refuse(notRotating);
}

/** A previous one that has stopped is gone from the rows too, before anybody looks at them or rotates again. */
export async function endWhenDue(ctx: AccountsContext, accountId: string): Promise<void> {
  const by: Actor = { person: "system", role: "system" };
  const nowMs = ctx.clock.nowMs();
  for (const kind of ["secret", "key"] as const) {
    await ctx.store.endRotation({ accountId, kind, keep: "current", onlyIfDue: true, by, nowMs });
  }
}

/** Makes the key pair, with which webhooks are signed from now on beside the secret. One that is there stays. */
export async function addSigningKey(ctx: AccountsContext, { accountId, by }: OfAccount): Promise<Result<void>> {
  const sealed = sealNew(ctx, accountId, "key");
  const outcome = await ctx.store.addSigningKey({ accountId, sealed, by, nowMs: ctx.clock.nowMs() });
  ctx.accounts.forget(accountId);
  return outcome === "missing" ? refuse(accountMissing(accountId)) : ok(undefined);
}

export async function removeSigningKey(ctx: AccountsContext, { accountId, by }: OfAccount): Promise<Result<void>> {
  const outcome = await ctx.store.removeSigningKey({ accountId, by, nowMs: ctx.clock.nowMs() });
  ctx.accounts.forget(accountId);
  return outcome === "removed" ? ok(undefined) : refuse(noKey);
}

const rotatingAlready: Problem = problem(
  "rotating_already",
  "A rotation is under way. Stop the previous one or go back to it first, or replace both at once.",
);

const notRotating: Problem = problem("not_rotating", "Nothing is being rotated: there is no previous one.");

const noKey: Problem = problem("signing_key_not_found", "This account does not sign with a public key.");
