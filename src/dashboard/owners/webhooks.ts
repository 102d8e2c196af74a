/** Settings → Webhooks: the list, the form, Save, Delete, and Test webhook with the sample of a chosen type. */
import type { AccountView } from "../../accounts/account-view.ts";
import { MADE_OWNERS } from "../../accounts/owners.ts";
import { deleteWebhook, saveWebhook } from "../../accounts/save-webhook.ts";
import { makeTrialWebhook } from "../../accounts/trial-webhook.ts";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { EventType } from "../../events/event-type.ts";
import type { DashboardContext } from "../call/context.ts";
import { freshView } from "../call/fresh-view.ts";
import { type Handler, type Handlers } from "../call/operation.ts";
import type { SaveWebhookBody } from "../contract/webhooks.ts";
import { runTest } from "../tests/tests.ts";
import { removeBy, saveBy } from "./change-owner.ts";
import { showList, showOwner } from "./show-owner.ts";

type StoredWebhook = AccountView["webhooks"][number];

const listWebhooks: Handler<"GET /webhooks"> = async (ctx, { session }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const rows = view.value.webhooks.map(({ webhook, destination }) => ({ ...webhook, destination }));
  return ok({ webhooks: await showList(ctx, session, rows) });
};

const getWebhook: Handler<"GET /webhooks/:id"> = async (ctx, { session, params }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const found = findWebhook(view.value, params.id);
  if (found === undefined) return refuse(MADE_OWNERS.webhook.missing);
  return ok({ ...found.webhook, ...(await showOwner(ctx, session, found)) });
};

const save = saveBy<SaveWebhookBody>(saveWebhook);

const makeTrial: Handler<"POST /trial-webhooks"> = async (ctx, { session: { accountId, by } }) => {
  const made = await makeTrialWebhook(ctx.accounts, { accountId, by });
  return made.ok ? ok({ ...made.value, serviceUrl: ctx.accounts.publicUrl() }) : made;
};

/** `new` is a webhook that was never saved: there is nothing to keep of it. */
const testWebhook: Handler<"POST /webhooks/:id/test"> = async (ctx, { session, params, body }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const saved = findWebhook(view.value, params.id);
  if (saved === undefined && params.id !== "new") return refuse(MADE_OWNERS.webhook.missing);
  const type = findType(ctx, body.type);
  if (!type.ok) return type;
  return await runTest(ctx, session, {
    owner: "webhook",
    types: [type.value],
    form: body.webhook,
    saved: saved?.destination ?? null,
    body: body.body,
    appUrl: view.value.account.appUrl,
    subject: saved?.webhook.name ?? "A new webhook",
  });
};

const findWebhook = ({ webhooks }: AccountView, id: string): StoredWebhook | undefined =>
  webhooks.find(({ webhook }) => webhook.id === id);

function findType({ accounts: { types } }: DashboardContext, name: string): Result<EventType> {
  const type = types.find(name);
  return type === undefined ? refuse(types.refuse(name)) : ok(type);
}

export const webhookHandlers = {
  "GET /webhooks": listWebhooks,
  "GET /webhooks/:id": getWebhook,
  "POST /webhooks": save,
  "PUT /webhooks/:id": save,
  "POST /trial-webhooks": makeTrial,
  "DELETE /webhooks/:id": removeBy(deleteWebhook),
  "POST /webhooks/:id/test": testWebhook,
} satisfies Handlers;
