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
 * read it, and it is only ever sent below the path under which this service is shown. Other sites cannot make a browser
 * send it; where the operator lets a site frame our page, that site can, and the guard refuses its calls.
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

/** Where the session's cookie is to be kept. */
export interface CookiePlace {
  readonly publicUrl: string;
  /** Pages of other origins may frame ours. */
  readonly mayBeFramed: boolean;
  /** Its page stands in a frame. */
  readonly isFramed: boolean;
}

/**
 * One cookie, or two where a page may be framed: browsers keep that of a frame apart, by the site around it
 * (`Partitioned`), and in the window of a page of our own site both would be there. A sign-in leaves one of them.
 */
export function sessionCookies(token: string, maxAgeMs: number, place: CookiePlace): readonly string[] {
  const { publicUrl, mayBeFramed, isFramed } = place;
  const ours = `${cookieName(publicUrl)}=${token}; ${attributes(publicUrl, maxAgeMs)}`;
  if (!isSecure(publicUrl)) return [`${ours}; SameSite=Strict`];
  if (!mayBeFramed) return [`${ours}; SameSite=Strict; Secure`];
  const gone = `${cookieName(publicUrl)}=; ${attributes(publicUrl, 0)}`;
  // A browser that does not know `Partitioned` keeps one cookie for both, so the one that is set comes last.
  return isFramed ? [`${gone}; ${OWN_PAGE}`, `${ours}; ${FRAME}`] : [`${gone}; ${FRAME}`, `${ours}; ${OWN_PAGE}`];
}

const OWN_PAGE = "SameSite=Strict; Secure";
const FRAME = "SameSite=None; Secure; Partitioned";

const attributes = (publicUrl: string, maxAgeMs: number): string =>
  `Path=${readBasePath(publicUrl) || "/"}; Max-Age=${Math.floor(maxAgeMs / 1000)}; HttpOnly`;

export const clearedSessionCookies = (place: Omit<CookiePlace, "isFramed">): readonly string[] =>
  sessionCookies("", 0, { ...place, isFramed: false });
