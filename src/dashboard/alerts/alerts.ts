/** Settings → Alerts: the list, the form with its suggestions, Save, Delete, and Test webhook. */
import type { AccountView } from "../../accounts/account-view.ts";
import { MADE_OWNERS } from "../../accounts/owners.ts";
import { deleteAlert, type AlertDraft, saveAlert } from "../../accounts/save-alert.ts";
import { type Result, ok, refuse } from "../../domain/problem.ts";
import { belowWebhook, freshView } from "../call/fresh-view.ts";
import { listNewest } from "../conditions/latest-events.ts";
import { EVENT_FORM_BYTES_MAX, type Route, type RouteGroup } from "../call/operation.ts";
import type { DashboardContext } from "../call/context.ts";
import type { AlertDetail, AlertForm, AlertSummary, SavedAnswer } from "../contract/alerts.ts";
import type { DestinationView } from "../contract/destinations.ts";
import { destinationViews } from "../destinations/destinations.ts";
import { toEventRow } from "../deliveries/not-sent.ts";
import { alertForm, testForm } from "../forms/form-schemas.ts";
import { findSampleBody } from "../tests/samples.ts";
import type { Session } from "../guard/session.ts";
import { runTest } from "../tests/tests.ts";
import { toWebhookSettings } from "./webhook-settings.ts";

type StoredAlert = AccountView["alerts"][number];

const listAlerts: Route<"GET /alerts">["handle"] = async (ctx, { session }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const destinations = await destinationViews(ctx, session, { withDeleted: false });
  return ok({ alerts: view.value.alerts.map((alert) => toSummary(alert, destinations)) });
};

const getAlert: Route<"GET /alerts/:id">["handle"] = async (ctx, { session, params }) => {
  const alert = await findAlert(ctx, session, params.id);
  if (!alert.ok) return alert;
  const { destination, revision, changed } = alert.value;
  const destinationId = destination?.id;
  const views =
    destinationId === undefined ? [] : await destinationViews(ctx, session, { destinationId, withDeleted: false });
  const detail: AlertDetail = {
    ...toSummary(alert.value, views),
    revision,
    webhook: toWebhookSettings(destination),
    changed,
  };
  return ok(detail);
};

function toSummary({ alert, destination }: StoredAlert, views: readonly DestinationView[]): AlertSummary {
  return { ...alert, destination: views.find(({ id }) => id === destination?.id) ?? null };
}

/** The latest sessions suggest demos, so that people need not type a demo's name from memory. */
const SUGGESTED_FROM_MAX = 200;

const getSuggestions: Route<"GET /alerts/suggestions">["handle"] = async (ctx, { session: { accountId } }) => {
  const wanted = { accountId, types: ctx.accounts.types.of("alert") };
  const rows = (await listNewest(ctx.accounts.store, wanted, SUGGESTED_FROM_MAX)).map(toEventRow);
  return ok({
    demos: distinct(rows.map(({ about }) => about.what ?? "")),
    intentLevels: distinct(rows.map(({ intentLevel }) => intentLevel)),
  });
};

const distinct = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => name !== "").toSorted((one, other) => one.localeCompare(other, "en"));

const postAlert: Route<"POST /alerts">["handle"] = async (ctx, { session, body }) =>
  await save(ctx, session, { existing: null, body });

const putAlert: Route<"PUT /alerts/:id">["handle"] = async (ctx, { session, params, body, ifMatch }) =>
  await save(ctx, session, { existing: { id: params.id, revision: ifMatch }, body });

async function save(
  ctx: DashboardContext,
  session: Session,
  { existing, body }: { readonly existing: AlertDraft["existing"]; readonly body: AlertForm },
): Promise<Result<SavedAnswer>> {
  const { webhook, ...settings } = body;
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const { accountId } = session;
  const saved = await saveAlert(ctx.accounts, { accountId, existing, settings, webhook, by: session.by });
  if (!saved.ok) return refuse(belowWebhook(saved.error));
  // If the URL has changed, deliveries that wait are due.
  ctx.engine.nudge();
  return saved;
}

const removeAlert: Route<"DELETE /alerts/:id">["handle"] = async (ctx, { session, params, ifMatch }) => {
  const { accountId } = session;
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const deletion = { accountId, id: params.id, revision: ifMatch, by: session.by };
  const deleted = await deleteAlert(ctx.accounts, deletion);
  return deleted.ok ? ok(null) : deleted;
};

const getAlertSample: Route<"GET /alerts/sample">["handle"] = async (ctx, { session }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const { appUrl } = view.value.account;
  return ok(await findSampleBody(ctx.accounts, { accountId: session.accountId, appUrl, owner: "alert" }));
};

/** `new` is an alert that was never saved: there is nothing to keep of it. */
const testAlert: Route<"POST /alerts/:id/test">["handle"] = async (ctx, { session, params, body }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const alert = view.value.alerts.find(({ alert: { id } }) => id === params.id);
  if (alert === undefined && params.id !== "new") return refuse(MADE_OWNERS.alert.missing);
  return await runTest(ctx, session, {
    owner: "alert",
    form: body.webhook,
    saved: alert?.destination ?? null,
    body: body.body,
    appUrl: view.value.account.appUrl,
    subject: alert?.alert.name ?? "A new alert",
  });
};

async function findAlert(ctx: DashboardContext, session: Session, alertId: string): Promise<Result<StoredAlert>> {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const alert = view.value.alerts.find(({ alert: { id } }) => id === alertId);
  return alert === undefined ? refuse(MADE_OWNERS.alert.missing) : ok(alert);
}

export const alertRoutes: RouteGroup<
  | "GET /alerts"
  | "GET /alerts/suggestions"
  | "GET /alerts/sample"
  | "GET /alerts/:id"
  | "POST /alerts"
  | "PUT /alerts/:id"
  | "DELETE /alerts/:id"
  | "POST /alerts/:id/test"
> = {
  "GET /alerts": { role: "viewer", handle: listAlerts },
  "GET /alerts/suggestions": { role: "viewer", handle: getSuggestions },
  "GET /alerts/sample": { role: "viewer", handle: getAlertSample },
  "GET /alerts/:id": { role: "viewer", handle: getAlert },
  "POST /alerts": { role: "owner", bodySchema: alertForm, handle: postAlert },
  "PUT /alerts/:id": { role: "owner", bodySchema: alertForm, needsRevision: true, handle: putAlert },
  "DELETE /alerts/:id": { role: "owner", needsRevision: true, handle: removeAlert },
  "POST /alerts/:id/test": {
    role: "owner",
    bodySchema: testForm,
    bodyBytesMax: EVENT_FORM_BYTES_MAX,
    handle: testAlert,
  },
};
