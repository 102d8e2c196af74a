/**
 * The cookie that says who somebody is: 256 random bits that mean nothing by themselves. Scripts cannot read it, other
 * sites cannot make a browser send it, and it is only ever sent below the path under which this service is shown.
 *
 * Over https its name begins with a prefix that browsers enforce: no neighbour's host and no page without https can
 * put a session of its own into somebody's browser under that name. `__Host-` says the most, but takes the whole host.
 */
import { hash } from "node:crypto";
import { readBasePath } from "../../http/base-path.ts";
import type { Random } from "../../lib/random.ts";

const NAME = "bellwire_session";
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export const newSessionToken = (random: Random): string => Buffer.from(random.bytes(TOKEN_BYTES)).toString("base64url");

/** The store keeps this instead of the token: a reader of the database cannot sign in with it. */
export const hashToken = (token: string): string => hash("sha256", token, "hex");

/** Whether a text has the form of our tokens: what has not is unknown without asking the store. */
export const isToken = (text: string): boolean => TOKEN.test(text);

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
