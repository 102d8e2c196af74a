/**
 * One-time sign-in links, each for one person in one role. The link carries 256 random bits. Only their hash is stored,
 * so reading the database does not let anyone sign in.
 */
import { createHash } from "node:crypto";
import { LIMITS } from "../domain/limits.ts";
import { type Result, ok, refuse } from "../domain/problem.ts";
import type { Role, SessionPurpose } from "../domain/role.ts";
import { type AccountsContext, accountMissing } from "./context.ts";

const TOKEN_BYTES = 32;

/** The person of a link without a name: the product made the link for the account's owner. */
export const UNNAMED_PERSON = "Account owner";

export interface LinkFor {
  readonly accountId: string;
  /** The name that the audit and the page show, such as `ana@example.com`. */
  readonly person: string;
  readonly role: Role;
}

/** Refuses with `account_not_found`. */
export async function createDashboardLink(
  ctx: AccountsContext,
  linkFor: LinkFor,
): Promise<Result<{ readonly url: string; readonly expiresAtMs: number }>> {
  const made = await createToken(ctx, linkFor, "dashboard");
  if (!made.ok) return made;
  const { token, expiresAtMs } = made.value;
  return ok({ url: `${ctx.publicUrl()}/sign-in/${token}`, expiresAtMs });
}

/** A one-time code for `bellwire forward`. It opens no dashboard. Refuses with `account_not_found`. */
export async function createForwardCode(
  ctx: AccountsContext,
  linkFor: LinkFor,
): Promise<Result<{ readonly code: string; readonly expiresAtMs: number }>> {
  const made = await createToken(ctx, linkFor, "forward");
  return made.ok ? ok({ code: made.value.token, expiresAtMs: made.value.expiresAtMs }) : made;
}

async function createToken(ctx: AccountsContext, linkFor: LinkFor, purpose: SessionPurpose) {
  const token = Buffer.from(ctx.random.bytes(TOKEN_BYTES)).toString("base64url");
  const nowMs = ctx.clock.nowMs();
  const expiresAtMs = nowMs + LIMITS.signInLinkMs;
  const link = { ...linkFor, purpose, tokenHash: hashToken(token), expiresAtMs, nowMs };
  const { created } = await ctx.store.createSignInLink(link);
  return created ? ok({ token, expiresAtMs }) : refuse(accountMissing(linkFor.accountId));
}

const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");
