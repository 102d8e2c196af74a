/**
 * One-time sign-in links, each for one person in one role. Each is a token (see `domain/token.ts`), of which
 * the database has a hash.
 */
import { LIMITS } from "../domain/limits.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Role } from "../domain/account.ts";
import { hashToken, newToken } from "../domain/token.ts";
import { type AccountsContext, accountMissing } from "./context.ts";

/** The person of a link without a name: the product made the link for the account's owner. */
export const UNNAMED_PERSON = "Account owner";

export interface LinkFor {
  readonly accountId: string;
  /** The name that the audit and the page show, such as `ana@example.com`. */
  readonly person: string;
  readonly role: Role;
}

/** One page of the dashboard without what stands around it, for a frame in the product's own. */
export interface Embed {
  /** An address of the dashboard, such as "/settings/alerts". */
  readonly page: string;
  readonly theme?: Theme | undefined;
}

export const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];

/** Refuses with `account_not_found`. */
export async function createDashboardLink(
  ctx: AccountsContext,
  linkFor: LinkFor,
  embed: Embed | null = null,
): Promise<Result<{ readonly url: string; readonly expiresAtMs: number }>> {
  const made = await createToken(ctx, linkFor);
  if (!made.ok) return made;
  const { token, expiresAtMs } = made.value;
  return ok({ url: `${ctx.publicUrl()}/sign-in/${token}${toQuery(embed)}`, expiresAtMs });
}

/** For the page alone (web/public/start.js): it is a way of looking and no right. */
function toQuery(embed: Embed | null): string {
  if (embed === null) return "";
  const { page, theme } = embed;
  return `?${new URLSearchParams({ embed: page, ...(theme !== undefined && { theme }) }).toString()}`;
}

async function createToken(ctx: AccountsContext, linkFor: LinkFor) {
  const token = newToken(ctx.random);
  const nowMs = ctx.clock.nowMs();
  const expiresAtMs = nowMs + LIMITS.signInLinkMs;
  // A person's sessions are found by their name, in whichever form of Unicode the product writes it.
  const person = linkFor.person.normalize();
  const link = { ...linkFor, person, tokenHash: hashToken(token), expiresAtMs, nowMs };
  const { created } = await ctx.store.createSignInLink(link);
  return created ? ok({ token, expiresAtMs }) : refuse(accountMissing(linkFor.accountId));
}
