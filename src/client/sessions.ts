/** Lists the people who are signed in to an account's dashboard, and signs them out when they leave. */
import { type CallResult, isObject, parse, readRefusal } from "./answers.ts";
import type { MakeCall } from "./call.ts";
import { accountPath } from "./set-up.ts";

/** A browser in which a person is signed in. */
export interface Session {
  readonly id: string;
  /** The name from the sign-in link. */
  readonly person: string;
  readonly role: "owner" | "viewer";
  readonly since: string;
  /** The last use, to within a minute. */
  readonly lastSeen: string;
  readonly expiresAt: string;
}

/**
 * One person, written as in their sign-in links, or everybody of the account. Everybody must be said in words, never by
 * leaving out.
 */
export type SignedOut = { readonly person: string } | "everybody";

export interface EndedSessions {
  readonly sessionsEnded: number;
  /** The number of unused sign-in links that were ended. */
  readonly linksEnded: number;
}

/** An account has at most 500 sessions and a page has 100, so more pages than this are not an answer of Bellwire. */
const PAGES_MAX = 20;

export function createSessions(call: MakeCall) {
  return {
    async listSessions(
      accountId: string,
      { person }: { readonly person?: string } = {},
    ): Promise<CallResult<readonly Session[]>> {
      const sessions: Session[] = [];
      for (let page = 1, before = ""; ; page += 1) {
        const query = [
          ...(person === undefined ? [] : [is("person", person)]),
          ...(before === "" ? [] : [is("before", before)]),
        ];
        const path = sessionsPath(accountId, query);
        const outcome = await call({ method: "GET", path, signal: undefined });
        if (outcome.kind === "unavailable") return outcome;
        const answer = outcome.status === 200 ? parsePage(parse(outcome.text)) : undefined;
        if (answer === undefined || page > PAGES_MAX) return readRefusal(outcome);
        sessions.push(...answer.sessions);
        before = answer.sessions.at(-1)?.id ?? "";
        if (!answer.hasMore || before === "") return { kind: "done", value: sessions };
      }
    },
    async endSessions(accountId: string, who: SignedOut): Promise<CallResult<EndedSessions>> {
      const path = sessionsPath(accountId, who === "everybody" ? [] : [is("person", who.person)]);
      const outcome = await call({ method: "DELETE", path, signal: undefined });
      if (outcome.kind === "unavailable") return outcome;
      const value = outcome.status === 200 ? parseEnded(parse(outcome.text)) : undefined;
      return value === undefined ? readRefusal(outcome) : { kind: "done", value };
    },
  };
}

const sessionsPath = (accountId: string, query: readonly string[]): string =>
  `${accountPath(accountId)}/sessions${query.length === 0 ? "" : `?${query.join("&")}`}`;

/** Where no compiler checks, a missing value becomes a name that no person has, and never "everybody". */
const is = (name: "person" | "before", value: string): string => `${name}=${encodeURIComponent(value)}`;

function parsePage(answer: unknown): { readonly sessions: readonly Session[]; readonly hasMore: boolean } | undefined {
  if (!isObject(answer) || !Array.isArray(answer.sessions)) return undefined;
  const sessions = answer.sessions.map(parseSession).filter((each) => each !== undefined);
  if (sessions.length !== answer.sessions.length) return undefined;
  return { sessions, hasMore: answer.has_more === true };
}

function parseSession(answer: unknown): Session | undefined {
  if (!isObject(answer)) return undefined;
  const { id, person, role, since, last_seen: lastSeen, expires_at: expiresAt } = answer;
  if (role !== "owner" && role !== "viewer") return undefined;
  if (typeof id !== "string" || typeof person !== "string" || typeof since !== "string") return undefined;
  if (typeof lastSeen !== "string" || typeof expiresAt !== "string") return undefined;
  return { id, person, role, since, lastSeen, expiresAt };
}

function parseEnded(answer: unknown): EndedSessions | undefined {
  if (!isObject(answer)) return undefined;
  const { sessions_ended: sessionsEnded, links_ended: linksEnded } = answer;
  return typeof sessionsEnded === "number" && typeof linksEnded === "number"
    ? { sessionsEnded, linksEnded }
    : undefined;
}
