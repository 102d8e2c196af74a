/** Chat assistants: the list, the Integrations tab with Save, removal and test, and their conversations. */
import type { AccountView } from "../../accounts/account-view.ts";
import {
  assistantMissing,
  removeAssistantWebhook,
  saveAssistantWebhook,
} from "../../accounts/save-assistant-webhook.ts";
import { type Result, ok, refuse } from "../../domain/problem.ts";
import { chatConversationCompleted } from "../../events/chat-conversation-completed.ts";
import { belowWebhook, freshView } from "../call/fresh-view.ts";
import { EVENT_FORM_BYTES_MAX, type Route, type RouteGroup } from "../call/operation.ts";
import type { DashboardContext } from "../call/context.ts";
import type { AssistantDetail } from "../contract/alerts.ts";
import { destinationViews } from "../destinations/destinations.ts";
import { eventPage } from "../deliveries/events.ts";
import { assistantForm, testForm } from "../forms/form-schemas.ts";
import { findSampleBody } from "../tests/samples.ts";
import type { Session } from "../guard/session.ts";
import { runTest } from "../tests/tests.ts";
import { toWebhookSettings } from "./webhook-settings.ts";

type StoredAssistant = NonNullable<ReturnType<AccountView["assistants"]["get"]>>;

const listAssistants: Route<"GET /assistants">["handle"] = async (ctx, { session }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const destinations = await destinationViews(ctx, session, { withDeleted: false });
  const assistants = [...view.value.assistants].map(([id, { name, destination }]) => ({
    id,
    name,
    destination: destinations.find((each) => each.id === destination?.id) ?? null,
  }));
  return ok({ assistants });
};

const getAssistant: Route<"GET /assistants/:id">["handle"] = async (ctx, { session, params }) => {
  const found = await findAssistant(ctx, session, params.id);
  if (!found.ok) return found;
  const { name, destination, conditions, revision, changed } = found.value.assistant;
  const destinationId = destination?.id;
  const [view = null] =
    destinationId === undefined ? [] : await destinationViews(ctx, session, { destinationId, withDeleted: false });
  const webhook = toWebhookSettings(destination);
  const detail: AssistantDetail = { id: params.id, name, destination: view, revision, webhook, conditions, changed };
  return ok(detail);
};

const putAssistantWebhook: Route<"PUT /assistants/:id/webhook">["handle"] = async (ctx, call) => {
  const { session, params, body, ifMatch } = call;
  const found = await findAssistant(ctx, session, params.id);
  if (!found.ok) return found;
  const decision = {
    accountId: session.accountId,
    assistantId: params.id,
    revision: ifMatch,
    by: session.by,
  };
  if (body.webhook === null) {
    const removed = await removeAssistantWebhook(ctx.accounts, decision);
    return removed.ok ? ok({ id: params.id, revision: removed.value.revision }) : removed;
  }
  const saved = await saveAssistantWebhook(ctx.accounts, { ...decision, ...body, webhook: body.webhook });
  if (!saved.ok) return refuse(belowWebhook(saved.error));
  // If the URL has changed, deliveries that wait are due.
  ctx.engine.nudge();
  return ok({ id: params.id, revision: saved.value.revision });
};

const getAssistantSample: Route<"GET /assistants/:id/sample">["handle"] = async (ctx, { session, params }) => {
  const found = await findAssistant(ctx, session, params.id);
  if (!found.ok) return found;
  const { appUrl } = found.value.view.account;
  const wanted = { accountId: session.accountId, appUrl, owner: "assistant", assistantId: params.id } as const;
  return ok(await findSampleBody(ctx.accounts, wanted));
};

const testAssistant: Route<"POST /assistants/:id/test">["handle"] = async (ctx, { session, params, body }) => {
  const found = await findAssistant(ctx, session, params.id);
  if (!found.ok) return found;
  const { view, assistant } = found.value;
  return await runTest(ctx, session, {
    owner: "assistant",
    form: body.webhook,
    saved: assistant.destination,
    body: body.body,
    appUrl: view.account.appUrl,
    assistantId: params.id,
    subject: assistant.name,
  });
};

const listAssistantConversations: Route<"GET /assistants/:id/conversations">["handle"] = async (ctx, call) => {
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

export const assistantRoutes: RouteGroup<
  | "GET /assistants"
  | "GET /assistants/:id"
  | "PUT /assistants/:id/webhook"
  | "GET /assistants/:id/sample"
  | "POST /assistants/:id/test"
  | "GET /assistants/:id/conversations"
> = {
  "GET /assistants": { role: "viewer", handle: listAssistants },
  "GET /assistants/:id": { role: "viewer", handle: getAssistant },
  "PUT /assistants/:id/webhook": {
    role: "owner",
    bodySchema: assistantForm,
    needsRevision: true,
    handle: putAssistantWebhook,
  },
  "GET /assistants/:id/sample": { role: "viewer", handle: getAssistantSample },
  "POST /assistants/:id/test": {
    role: "owner",
    bodySchema: testForm,
    bodyBytesMax: EVENT_FORM_BYTES_MAX,
    handle: testAssistant,
  },
  "GET /assistants/:id/conversations": { role: "viewer", handle: listAssistantConversations },
};
