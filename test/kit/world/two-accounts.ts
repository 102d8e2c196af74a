/**
 * Two accounts that both have everything: an alert and a webhook with secret headers, an assistant with conversations,
 * deliveries that arrived, a test, a replay, addresses for e-mails. What carries `toCanary(account)` belongs to that
 * account, and nobody else may ever see it.
 */
import { putAccount, putChatAssistant } from "../../../src/accounts/put-account.ts";
import { accept } from "../../../src/delivery/accept.ts";
import type { App } from "../../../src/app.ts";
import { makeAccount } from "../make.ts";
import type { Receiver } from "../servers/receiver.ts";
import { createAlert, createWebhook, giveWebhook } from "./alerts.ts";
import { type SignedIn, signIn } from "./signed-in.ts";
import { conversation, session, toValue } from "./world.ts";

export interface AccountThings {
  readonly accountId: string;
  readonly owner: SignedIn;
  readonly viewer: SignedIn;
  /** Real ids, by the route's first part: `alerts`, `deliveries`, … */
  readonly ids: Readonly<Record<string, string>>;
  /** The verification secret and a header's secret value: only Reveal shows the first, nothing the second. */
  readonly secrets: readonly string[];
}

export const toCanary = (accountId: string): string => `canary-${accountId}`;

/** `number` makes the ids of its session and conversation. */
export async function setUpWithEverything(
  app: App,
  receiver: Pick<Receiver, "url">,
  { accountId, number }: { readonly accountId: string; readonly number: number },
): Promise<AccountThings> {
  const canary = toCanary(accountId);
  const secretValue = `secret-of-${accountId}`;
  const by = { person: `owner@${canary}.example`, role: "owner" } as const;
  const assistantId = `assistant-of-${accountId}`;
  await putAccount(
    app.accounts,
    makeAccount({ id: accountId, name: canary, plan: "growth", appUrl: `https://${canary}.example` }),
  );
  toValue(await putChatAssistant(app.accounts, accountId, { id: assistantId, name: canary }));
  const webhook = {
    accountId,
    url: `${receiver.url}/${canary}`,
    headers: [{ name: "x-token", value: secretValue, secret: true }],
    by,
  };
  const alert = await createAlert(app.accounts, { ...webhook, name: canary });
  await giveWebhook(app.accounts, { ...webhook, assistantId });
  const records = [session(number, { name: canary }), conversation(number, { assistant_id: assistantId })];
  toValue(await accept({ ctx: app.delivery, engine: app.engine }, accountId, records));
  await app.engine.lanes.load.idle();
  // Behind the records: a third webhook of a session is no other test's business.
  const webhooks = await createWebhook(app.accounts, { ...webhook, name: canary, events: "all" });
  const owner = await signIn(app, { accountId, person: by.person });
  const viewer = await signIn(app, { accountId, person: `viewer@${canary}.example`, role: "viewer" });
  await owner.call("POST /failure-mail", { body: { address: `${canary}@example.com` } });
  const slack = { kind: "slack", name: canary, url: `${receiver.url}/${canary}/${secretPath(accountId)}` };
  await owner.call("POST /news-channels", { body: slack });
  await owner.call("POST /read-keys", { body: { name: canary } });
  const ids = await readIds(owner, {
    alerts: alert.id,
    webhooks,
    assistants: assistantId,
    sessions: toId(number),
  });
  const { secret } = (await owner.call("POST /verification/reveal", { body: { which: "current" } })).answer as {
    secret: string;
  };
  return { accountId, owner, viewer, ids, secrets: [secret, secretValue, secretPath(accountId)] };
}

/** The secret part of a channel's address. */
const secretPath = (accountId: string): string => `hook-of-${accountId}`;

const toId = (number: number): string => session(number).sourceId;

async function readIds(
  owner: SignedIn,
  known: Readonly<Record<"alerts" | "webhooks" | "assistants" | "sessions", string>>,
) {
  const { answer } = await owner.call("GET /deliveries");
  const { deliveries } = answer as { deliveries: { id: string; destination: { id: string } }[] };
  const [delivery] = deliveries;
  const destination = delivery?.destination.id ?? "";
  const body = { filter: { destinationId: destination, states: ["delivered"] }, ratePerSecond: 1 };
  const replay = (await owner.call("POST /replays", { body })).answer as { id: string };
  const { sessions } = (await owner.call("GET /signed-in")).answer as { sessions: { id: string; isYou: boolean }[] };
  const { channels } = (await owner.call("GET /news-channels")).answer as { channels: { id: string }[] };
  const { keys } = (await owner.call("GET /read-keys")).answer as { keys: { id: string }[] };
  const mail = (await owner.call("GET /failure-mail")).answer as { addresses: { id: string }[] };
  return {
    ...known,
    "failure-mail": mail.addresses[0]?.id ?? "",
    "news-channels": channels[0]?.id ?? "",
    "read-keys": keys[0]?.id ?? "",
    conversations: known.sessions,
    events: known.sessions,
    deliveries: delivery?.id ?? "",
    destinations: destination,
    replays: replay.id,
    "signed-in": sessions.find(({ isYou }) => !isYou)?.id ?? "",
  };
}
