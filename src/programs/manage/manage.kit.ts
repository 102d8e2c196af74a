/** A service whose operator has opened managing, with an account, a chat assistant, and a key that manages them. */
import { putChatAssistant } from "../../accounts/put-account.ts";
import { makeReadKey } from "../../accounts/read-keys.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { toValue } from "../../../test/kit/world/world.ts";

export const BY = { person: "ada@example.com", role: "owner" } as const;
const ACCOUNT = { name: "acme", plan: "growth", app_url: "https://app.example.com" };
const SECRET = "Bearer c4nary-value";
export const AUTHORIZATION = { name: "Authorization", value: SECRET, secret: true };

export async function openService(env: Readonly<Record<string, string>> = {}) {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver({ status: 200 }));
  const open = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_MANAGEMENT: "1", ...env };
  const service = building.use(await createTestApp(open));
  const { app } = service;
  await service.put("/v1/accounts/acme", ACCOUNT);
  toValue(await putChatAssistant(app.accounts, "acme", { id: "asst", name: "Ada" }));
  const { key } = toValue(
    await makeReadKey(app.accounts, { accountId: "acme", name: "platform", kind: "manage", by: BY }),
  );
  const send = async (method: string, path: string, { body, headers = {} }: Sent = {}) => {
    const answer = await app.server.inject({
      method: method as "GET",
      url: `/v1/accounts/acme/${path}`,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const { statusCode: status, headers: answered } = answer;
    return {
      status,
      etag: answered.etag ?? "",
      text: answer.body,
      body: answer.body === "" ? null : answer.json(),
    };
  };
  const put = (id: string, body: object, headers: Sent["headers"] = {}) =>
    send("PUT", `webhooks/${id}`, { body, headers });
  const audit = async () =>
    (await app.store.listAudit({ accountId: "acme", before: null, limit: 200 })).filter(
      ({ action }) => !action.includes("key"),
    );
  const stack = building.move();
  return {
    app,
    receiver,
    post: service.post,
    send,
    put,
    audit,
    key,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface Sent {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Opened = Awaited<ReturnType<typeof openService>>;

export const webhookTo = (url: string, more: object = {}) => ({
  kind: "webhook",
  name: "CRM",
  events: "all",
  webhook: { url, ...more },
});
