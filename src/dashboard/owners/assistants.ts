/** Chat assistants: the list, the Integrations tab with Save, removal and test, and their conversations. */
import type { AccountView } from "../../accounts/account-view.ts";
import {
  assistantMissing,
  removeAssistantWebhook,
  saveAssistantWebhook,
} from "../../accounts/save-assistant-webhook.ts";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { chatConversationCompleted } from "../../events/chat-conversation-completed.ts";
import { freshView } from "../call/fresh-view.ts";
import { type Handler, type Handlers } from "../call/operation.ts";
import type { DashboardContext } from "../call/context.ts";
import { eventPage } from "../deliveries/events.ts";
import { findSampleBody } from "../tests/samples.ts";
import type { Session } from "../guard/session.ts";
import { runTest } from "../tests/tests.ts";
import { saveOwner } from "./change-owner.ts";
import { showList, showOwner } from "./show-owner.ts";

type StoredAssistant = NonNullable<ReturnType<AccountView["assistants"]["get"]>>;

const listAssistants: Handler<"GET /assistants"> = async (ctx, { session }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const rows = [...view.value.assistants].map(([id, { name, destination }]) => ({ id, name, destination }));
  return ok({ assistants: await showList(ctx, session, rows) });
};

const getAssistant: Handler<"GET /assistants/:id"> = async (ctx, { session, params }) => {
  const found = await findAssistant(ctx, session, params.id);
  if (!found.ok) return found;
  const { assistant } = found.value;
  const { name, conditions } = assistant;
  return ok({ id: params.id, name, conditions, ...(await showOwner(ctx, session, assistant)) });
};

const putAssistantWebhook: Handler<"PUT /assistants/:id/webhook"> = async (ctx, call) => {
  const { session, params, body, ifMatch } = call;
  const decision = {
    accountId: session.accountId,
    assistantId: params.id,
    revision: ifMatch,
    by: session.by,
  };
  const { webhook, ...settings } = body;
  const saved = await saveOwner<{ readonly revision: number }>(ctx, session, (accounts) =>
    webhook === null
      ? removeAssistantWebhook(accounts, decision)
      : saveAssistantWebhook(accounts, { ...decision, ...settings, webhook }),
  );
  return saved.ok ? ok({ id: params.id, revision: saved.value.revision }) : saved;
};

const getAssistantSample: Handler<"GET /assistants/:id/sample"> = async (ctx, { session, params }) => {
  const found = await findAssistant(ctx, session, params.id);
  if (!found.ok) return found;
  const { appUrl } = found.value.view.account;
  const types = ctx.accounts.types.of("assistant");
  const wanted = { accountId: session.accountId, appUrl, types, assistantId: params.id };
  return ok(await findSampleBody(ctx.accounts, wanted));
};

const testAssistant: Handler<"POST /assistants/:id/test"> = async (ctx, { session, params, body }) => {
  const found = await findAssistant(ctx, session, params.id);
  if (!found.ok) return found;
  const { view, assistant } = found.value;
  return await runTest(ctx, session, {
    owner: "assistant",
    types: ctx.accounts.types.of("assistant"),
    form: body.webhook,
    saved: assistant.destination,
    body: body.body,
    appUrl: view.account.appUrl,
    assistantId: params.id,
    subject: assistant.name,
  });
};

const listAssistantConversations: Handler<"GET /assistants/:id/conversations"> = async (ctx, call) => {
  const { session, params, query } = call;
  const found = await findAssistant(ctx, session, params.id);
  if (!found.ok) return found;
  return await eventPage(ctx, session, { type: chatConversationCompleted.type, assistantId: params.id, query });
};

async function findAssistant(
  ctx: DashboardContext,
  session: Session,
  assistantId: string,
): Promise<Result<{ readonly view: AccountView; readonly assistant: StoredAssistant }>> {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const assistant = view.value.assistants.get(assistantId);
  return assistant === undefined ? refuse(assistantMissing(assistantId)) : ok({ view: view.value, assistant });
}

export const assistantHandlers = {
  "GET /assistants": listAssistants,
  "GET /assistants/:id": getAssistant,
  "PUT /assistants/:id/webhook": putAssistantWebhook,
  "GET /assistants/:id/sample": getAssistantSample,
  "POST /assistants/:id/test": testAssistant,
  "GET /assistants/:id/conversations": listAssistantConversations,
} satisfies Handlers;
