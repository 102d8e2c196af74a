/** The calls beside records: accounts, assistants, and the link behind a product's own "Open webhooks" button. */
import { type CallResult, isObject, parse, readRefusal } from "./answers.ts";
import type { MakeCall, SendOptions } from "./call.ts";
import type { LinkFor } from "./link-for.ts";

export interface Account {
  readonly name: string;
  /** Webhooks on demo alerts need `starter` or higher. */
  readonly plan: "free" | "starter" | "growth" | "premium" | "enterprise";
  /** Base address of the product's web application; links in payloads start with it. */
  readonly app_url: string;
}

export interface DashboardLink {
  readonly url: string;
  readonly expiresAt: string;
}

export function createSetUp(call: MakeCall) {
  const send = async <Value>(
    method: "PUT" | "POST",
    request: { readonly path: string; readonly body: object; readonly signal?: AbortSignal | undefined },
    read: (answer: unknown) => Value | undefined,
  ): Promise<CallResult<Value>> => {
    const { path, body, signal } = request;
    const outcome = await call({
      method,
      path,
      content: { type: "application/json", body: JSON.stringify(body) },
      signal,
    });
    if (outcome.kind === "unavailable") return outcome;
    const value = outcome.status < 300 ? read(parse(outcome.text)) : undefined;
    return value === undefined ? readRefusal(outcome) : { kind: "done", value };
  };
  return {
    putAccount: (accountId: string, body: Account, { signal }: SendOptions = {}) =>
      send("PUT", { path: accountPath(accountId), body, signal }, (answer) => (isObject(answer) ? null : undefined)),
    putChatAssistant: (accountId: string, assistantId: string, name: string) =>
      send(
        "PUT",
        { path: `${accountPath(accountId)}/chat-assistants/${encodeURIComponent(assistantId)}`, body: { name } },
        (answer) => (isObject(answer) ? null : undefined),
      ),
    createDashboardLink: (accountId: string, person: LinkFor = {}) =>
      send("POST", { path: `${accountPath(accountId)}/dashboard-links`, body: person }, parseLink),
  };
}

export const accountPath = (accountId: string): string => `/v1/accounts/${encodeURIComponent(accountId)}`;

function parseLink(answer: unknown): DashboardLink | undefined {
  if (!isObject(answer) || typeof answer.url !== "string" || typeof answer.expires_at !== "string") return undefined;
  return { url: answer.url, expiresAt: answer.expires_at };
}
