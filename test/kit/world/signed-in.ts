/**
 * The dashboard as a browser reaches it: a person who signed in by a link, with cookie, CSRF token and the headers that
 * browsers send by themselves.
 *
 *     await using test = await createTestApp();
 *     const ana = await signIn(test.app, { accountId: "acme" });
 *     const { status, answer } = await ana.call("GET /alerts");
 */
import assert from "node:assert/strict";
import { createDashboardLink } from "../../../src/accounts/dashboard-link.ts";
import type { App } from "../../../src/app.ts";
import type { RouteName } from "../../../src/dashboard/contract/routes.ts";
import type { SessionAnswer } from "../../../src/dashboard/contract/session.ts";
import type { Role } from "../../../src/domain/account.ts";
import { toValue } from "./world.ts";

/** Headers that browsers send with a call of the page's own. */
export const SAME_ORIGIN = { "sec-fetch-site": "same-origin" } as const;

export interface Who {
  readonly accountId: string;
  readonly person?: string;
  readonly role?: Role;
}

export interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly ifMatch?: number;
  /** In place of, or beside, those that a browser sends; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export type SignedIn = Awaited<ReturnType<typeof signIn>>;

/** The token at the end of a fresh link. */
export async function linkToken(app: App, { accountId, person = "ana@example.com", role = "owner" }: Who) {
  const { url } = toValue(await createDashboardLink(app.accounts, { accountId, person, role }));
  return new URL(url).pathname.split("/").at(-1) ?? "";
}

export async function signIn(app: App, who: Who) {
  const token = await linkToken(app, who);
  const headers = { ...SAME_ORIGIN, "content-type": "application/json" };
  const answer = await app.server.inject({ method: "POST", url: "/dashboard/sign-in", headers, payload: { token } });
  assert.equal(answer.statusCode, 200, answer.body);
  const session = answer.json<SessionAnswer>();
  const cookie = String(answer.headers["set-cookie"]).split(";", 1)[0] ?? "";
  return {
    session,
    cookie,
    call: (name: RouteName, parts: Parts = {}) =>
      callRoute(app, name, {
        ...parts,
        headers: { ...SAME_ORIGIN, cookie, "x-bellwire-csrf": session.csrfToken, ...parts.headers },
      }),
  };
}

/** A call with exactly these headers, and those that its body and revision need. */
export async function callRoute(app: App, name: RouteName, { params = {}, query = {}, ...parts }: Parts) {
  const [method = "", path = ""] = name.split(" ");
  const url = `/dashboard${path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ""))}`;
  const given = {
    ...(parts.body === undefined ? {} : { "content-type": "application/json" }),
    ...(parts.ifMatch === undefined ? {} : { "if-match": `"${parts.ifMatch}"` }),
    ...parts.headers,
  };
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const payload = parts.body === undefined ? {} : { payload: JSON.stringify(parts.body) };
  const answer = await app.server.inject({ method: method as "GET", url, headers, query, ...payload });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    code: findCode(answer.body),
    answer: answer.body === "" ? null : answer.json<unknown>(),
  };
}

/** The code of a problem document; `null` when the answer is none. */
function findCode(text: string): string | null {
  const { code = null } = text.startsWith("{") ? (JSON.parse(text) as { code?: string }) : {};
  return code;
}
