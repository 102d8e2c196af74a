/** Who calls the dashboard: the session as routes see it, and the cookie that names it. */
import type { Actor, Role } from "../../domain/account.ts";
import { isToken } from "../../domain/token.ts";
import { readBasePath } from "../../http/base-path.ts";

export interface Session {
  /** The only account that this session may reach. */
  readonly accountId: string;
  /** For the audit, as the store's verbs take it. */
  readonly by: Actor & { readonly role: Role };
  readonly expiresAtMs: number;
  /** Must come with every call that changes something. */
  readonly csrfToken: string;
  /** Names the session to people; it opens nothing. */
  readonly id: string;
  /** Under which the store finds the session. */
  readonly hash: string;
}

/*
 * The cookie that says who somebody is: a token that means nothing by itself (see `domain/token.ts`). Scripts cannot
 * read it, other sites cannot make a browser send it, and it is only ever sent below the path under which this service
 * is shown.
 *
 * Over https its name begins with a prefix that browsers enforce: no neighbour's host and no page without https can
 * put a session of its own into somebody's browser under that name. `__Host-` says the most, but takes the whole host.
 */

const NAME = "bellwire_session";

/** The token in a `Cookie` header, or `null`. */
export function readSessionCookie(header: string | undefined, publicUrl: string): string | null {
  const ours = cookieName(publicUrl);
  for (const pair of header?.split(";") ?? []) {
    const [name = "", value = ""] = pair.split("=", 2);
    if (name.trim() === ours && isToken(value.trim())) return value.trim();
  }
  return null;
}

function cookieName(publicUrl: string): string {
  if (!isSecure(publicUrl)) return NAME;
  return readBasePath(publicUrl) === "" ? `__Host-${NAME}` : `__Secure-${NAME}`;
}

const isSecure = (publicUrl: string): boolean => new URL(publicUrl).protocol === "https:";

export function sessionCookie(token: string, publicUrl: string, maxAgeMs: number): string {
  const parts = [
    `${cookieName(publicUrl)}=${token}`,
    `Path=${readBasePath(publicUrl) || "/"}`,
    `Max-Age=${Math.floor(maxAgeMs / 1000)}`,
  ];
  return [...parts, "HttpOnly", "SameSite=Strict", ...(isSecure(publicUrl) ? ["Secure"] : [])].join("; ");
}

export const clearedSessionCookie = (publicUrl: string): string => sessionCookie("", publicUrl, 0);
