/**
 * One-time sign-in links, each for one person in one role. Each is a token (see `domain/token.ts`), of which
 * the database has a hash.
 */
import { LIMITS } from "../domain/limits.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Role } from "../domain/account.ts";
import { invalidRecord } from "../events/validate.ts";
import { OUR_ACCENT } from "../domain/brand.ts";
import { type Look, makeLookColors, type Theme } from "../domain/look.ts";
import type { PlaceAddress } from "../domain/places.ts";
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

/** Pages of the dashboard without what stands around them, for a frame in the product's own. */
export interface Embed {
  /** The address of the page that is opened, such as "/settings/alerts". */
  readonly page: string;
  /** Those that the frame shows as tabs. */
  readonly tabs?: readonly PlaceAddress[] | undefined;
  readonly theme?: Theme | undefined;
  readonly look?: Look | undefined;
}

/** Refuses with `account_not_found`, and with `invalid_record` a look in which text could not be read. */
export async function createDashboardLink(
  ctx: AccountsContext,
  linkFor: LinkFor,
  embed: Embed | null = null,
): Promise<Result<{ readonly url: string; readonly expiresAtMs: number }>> {
  const query = toQuery(embed);
  if (!query.ok) return query;
  const made = await createToken(ctx, linkFor);
  if (!made.ok) return made;
  const { token, expiresAtMs } = made.value;
  return ok({ url: `${ctx.publicUrl()}/sign-in/${token}${query.value}`, expiresAtMs });
}

/** For the page alone (web/public/start.js): it is a way of looking and no right. */
function toQuery(embed: Embed | null): Result<string> {
  if (embed === null) return ok("");
  const { page, tabs = [], theme = null, look = {} } = embed;
  const colors = makeLookColors(look, { theme, accent: OUR_ACCENT });
  if (!colors.ok) {
    const { path, message } = colors.error;
    return refuse(invalidRecord([{ path: path === "theme" ? "embed.theme" : `embed.look.${path}`, message }]));
  }
  const { scheme } = colors.value;
  const query = [
    ["embed", page],
    ...tabs.map((tab) => ["tab", tab]),
    ...(scheme === null ? [] : [["theme", scheme]]),
    ...Object.entries(look).map(([token, value]) => [token, String(value)]),
  ];
  return ok(`?${new URLSearchParams(query).toString()}`);
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
