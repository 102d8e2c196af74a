/** A person at the dashboard of one node of a real service: signs in by a link, and calls what the page calls. */
import assert from "node:assert/strict";
import { request } from "undici";
import type { SessionAnswer } from "../../../src/dashboard/contract/session.ts";
import { ACCOUNT, type Running } from "./running.ts";

export interface Person {
  /** Of each call: who it is, and that the page itself makes it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Answers what the call answers, and when its answer was there; rejects for a status that is no success. */
  call<Answer>(method: "GET" | "PUT" | "DELETE", path: string, parts?: CallParts): Promise<Answered<Answer>>;
}

export interface CallParts {
  readonly body?: unknown;
  /** The revision that the person saw. */
  readonly ifMatch?: number;
}

export interface Answered<Answer> {
  readonly answer: Answer;
  readonly atMs: number;
}

/** Headers that browsers send with a call of the page's own. */
const OWN_PAGE = { "sec-fetch-site": "same-origin", "content-type": "application/json" } as const;

export async function signIn(node: Running, accountId = ACCOUNT): Promise<Person> {
  const url = `${node.url}/v1/accounts/${accountId}/dashboard-links`;
  const authorization = `Bearer ${node.apiKey}`;
  const link = await request(url, { method: "POST", headers: { ...OWN_PAGE, authorization }, body: "{}" });
  const { url: place } = (await link.body.json()) as { url: string };
  const token = new URL(place).pathname.split("/").at(-1);
  const signedIn = await request(`${node.url}/dashboard/sign-in`, {
    method: "POST",
    headers: OWN_PAGE,
    body: JSON.stringify({ token }),
  });
  assert.equal(signedIn.statusCode, 200);
  const { csrfToken } = (await signedIn.body.json()) as SessionAnswer;
  const cookie = String(signedIn.headers["set-cookie"]).split(";", 1)[0] ?? "";
  const headers = { ...OWN_PAGE, cookie, "x-bellwire-csrf": csrfToken };
  return {
    headers,
    async call<Answer>(method: string, path: string, { body, ifMatch }: CallParts = {}): Promise<Answered<Answer>> {
      const answered = await request(`${node.url}/dashboard${path}`, {
        method,
        headers: { ...headers, ...(ifMatch === undefined ? {} : { "if-match": `"${ifMatch}"` }) },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answered.body.text();
      const atMs = Date.now();
      assert.ok(answered.statusCode < 300, `${method} ${path}: ${answered.statusCode} ${text}`);
      return { answer: (text === "" ? null : JSON.parse(text)) as Answer, atMs };
    },
  };
}
