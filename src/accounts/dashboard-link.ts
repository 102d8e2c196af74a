/**
 * One-time sign-in links. The link carries 256 random bits; only their hash is stored, so nobody who reads the
 * database can sign in with what is there.
 */
import { createHash } from "node:crypto";
import { LIMITS } from "../domain/limits.ts";
import { type Result, ok, refuse } from "../domain/problem.ts";
import { type AccountsContext, accountMissing } from "./context.ts";

const TOKEN_BYTES = 32;

export async function createDashboardLink(
  ctx: AccountsContext,
  accountId: string,
): Promise<Result<{ readonly url: string; readonly expiresAtMs: number }>> {
  const token = Buffer.from(ctx.random.bytes(TOKEN_BYTES)).toString("base64url");
  const nowMs = ctx.clock.nowMs();
  const expiresAtMs = nowMs + LIMITS.signInLinkMs;
  const { created } = await ctx.store.createSignInLink({ accountId, tokenHash: hashToken(token), expiresAtMs, nowMs });
  if (!created) return refuse(accountMissing(accountId));
  return ok({ url: `${ctx.publicUrl()}/sign-in/${token}`, expiresAtMs });
}

const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");
