/**
 * Both halves of the package around the real service: records that the client sends reach the receiver's handler,
 * typed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { makeAlertSettings, makeWebhookForm } from "../../test/kit/make.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { createWebhook } from "../../test/kit/world/alerts.ts";
import { DECLARED_TYPES } from "../../test/kit/declared-types.ts";
import { uuid, toValue } from "../../test/kit/world/world.ts";
import { saveAlert } from "../accounts/save-alert.ts";
import { saveAssistantWebhook } from "../accounts/save-assistant-webhook.ts";
import type { WebhookEvent } from "../receiver/events.ts";
import { fastifyWebhooks } from "../receiver/fastify.ts";
import { type ChatConversation, type DemoSession, createClient } from "./client.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";

const ACCOUNT = "acct-1";
const BY = { person: "ana@example.com", role: "owner" } as const;

interface LeadRecord {
  readonly id: string;
  readonly identified_at: string;
  readonly lead: { readonly email: string };
}

type LeadBody = LeadRecord & { readonly event: "lead_identified" };

test("a record of a declared type does so too, typed by its declaration", { timeout: 30_000 }, async () => {
  const { promise: received, resolve: receive } = Promise.withResolvers<LeadBody>();
  let secret = "";
  await using started = new AsyncDisposableStack();
  const receiver = started.adopt(Fastify(), (app) => app.close());
  await receiver.register(fastifyWebhooks<LeadBody>({ secrets: () => secret, onEvent: (event) => receive(event) }));
  const url = `${await receiver.listen({ host: "127.0.0.1", port: 0 })}/webhooks`;
  const env = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" };
  const service = started.use(await createTestApp(env, { types: DECLARED_TYPES }));
  const { port } = await service.app.start();
  const client = createClient<{ lead_identified: LeadRecord }>({ url: `http://127.0.0.1:${port}`, key: API_KEY });
  await client.putAccount(ACCOUNT, { name: "Acme", plan: "free", app_url: "https://app.example.com" });
  const { accounts } = service.app;
  secret = (await accounts.accounts.load(ACCOUNT))?.secrets.current.secret ?? "";
  await createWebhook(accounts, { accountId: ACCOUNT, url, events: "all" });
  const record = { id: uuid(1), identified_at: "2026-11-20T12:00:00Z", lead: { email: "ada@example.com" } };
  const sent = await client.sendEvent(ACCOUNT, "lead_identified", record);
  assert.equal(sent.kind === "accepted" && sent.deliveries, 1, JSON.stringify(sent));
  assert.deepEqual(await received, { ...record, event: "lead_identified" });
});

test("a session and a conversation go through client, service and receiver", { timeout: 30_000 }, async () => {
  const events: WebhookEvent[] = [];
  const { promise: both, resolve: haveBoth } = Promise.withResolvers<void>();
  let secret = "";
  await using started = new AsyncDisposableStack();
  const receiver = started.adopt(Fastify(), (app) => app.close());
  await receiver.register(
    fastifyWebhooks({
      secrets: () => secret,
      onEvent(event) {
        events.push(event);
        if (events.length === 2) haveBoth();
      },
    }),
  );
  const url = `${await receiver.listen({ host: "127.0.0.1", port: 0 })}/webhooks`;
  const service = started.use(await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" }));
  const { port } = await service.app.start();
  const client = createClient({ url: `http://127.0.0.1:${port}`, key: API_KEY });
  await client.putAccount(ACCOUNT, { name: "Acme", plan: "starter", app_url: "https://app.example.com" });
  const { accounts } = service.app;
  secret = (await accounts.accounts.load(ACCOUNT))?.secrets.current.secret ?? "";
  const webhook = makeWebhookForm({ url });
  const settings = makeAlertSettings({ name: "All" });
  toValue(await saveAlert(accounts, { accountId: ACCOUNT, existing: null, settings, webhook, by: BY }));
  const chat = chatConversationCompleted.example as unknown as ChatConversation;
  const assistantId = chat.assistant_id;
  await client.putChatAssistant(ACCOUNT, assistantId, "Website");
  toValue(await saveAssistantWebhook(accounts, { accountId: ACCOUNT, assistantId, revision: null, webhook, by: BY }));

  const session = { ...(demoViewed.example as unknown as DemoSession), id: uuid(1) };
  const sent = [await client.sendDemoSession(ACCOUNT, session), await client.sendChatConversation(ACCOUNT, chat)];
  assert.deepEqual(
    sent.map((result) => (result.kind === "accepted" ? result.deliveries : result)),
    [1, 1],
  );
  await both;
  const viewed = events.find((event) => event.event === "demo_viewed");
  const completed = events.find((event) => event.event === "chat_conversation_completed");
  assert.deepEqual([viewed?.id, viewed?.link], [session.id, `https://app.example.com/share/${session.share_code}`]);
  assert.deepEqual([completed?.id, completed?.message_count], [chat.id, chat.messages?.length]);
});
