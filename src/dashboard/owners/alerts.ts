/** Settings → Alerts: the list, the form with its suggestions, Save, Delete, and Test webhook. */
import type { AccountView } from "../../accounts/account-view.ts";
import { MADE_OWNERS } from "../../accounts/owners.ts";
import { deleteAlert, saveAlert } from "../../accounts/save-alert.ts";
import { ok, refuse } from "../../lib/result.ts";
import { freshView } from "../call/fresh-view.ts";
import { listNewest } from "../conditions/latest-events.ts";
import { type Handler, type Handlers } from "../call/operation.ts";
import type { AlertForm } from "../contract/alerts.ts";
import { toEventRow } from "../deliveries/not-sent.ts";
import { findSampleBody } from "../tests/samples.ts";
import { runTest } from "../tests/tests.ts";
import { removeBy, saveBy } from "./change-owner.ts";
import { showList, showOwner } from "./show-owner.ts";

type StoredAlert = AccountView["alerts"][number];

const listAlerts: Handler<"GET /alerts"> = async (ctx, { session }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const rows = view.value.alerts.map(({ alert, destination }) => ({ ...alert, destination }));
  return ok({ alerts: await showList(ctx, session, rows) });
};

const getAlert: Handler<"GET /alerts/:id"> = async (ctx, { session, params }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const found = findAlert(view.value, params.id);
  if (found === undefined) return refuse(MADE_OWNERS.alert.missing);
  return ok({ ...found.alert, ...(await showOwner(ctx, session, found)) });
};

/** The latest sessions suggest demos, so that people need not type a demo's name from memory. */
const SUGGESTED_FROM_MAX = 200;

const getSuggestions: Handler<"GET /alerts/suggestions"> = async (ctx, { session: { accountId } }) => {
  const wanted = { accountId, types: ctx.accounts.types.of("alert") };
  const rows = (await listNewest(ctx.accounts.store, wanted, SUGGESTED_FROM_MAX)).map(toEventRow);
  return ok({
    demos: distinct(rows.map(({ about }) => about.what ?? "")),
    intentLevels: distinct(rows.map(({ intentLevel }) => intentLevel)),
  });
};

const distinct = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => name !== "").toSorted((one, other) => one.localeCompare(other, "en"));

const save = saveBy<AlertForm>(saveAlert);

const getAlertSample: Handler<"GET /alerts/sample"> = async (ctx, { session }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const { appUrl } = view.value.account;
  return ok(
    await findSampleBody(ctx.accounts, { accountId: session.accountId, appUrl, types: ctx.accounts.types.of("alert") }),
  );
};

/** `new` is an alert that was never saved: there is nothing to keep of it. */
const testAlert: Handler<"POST /alerts/:id/test"> = async (ctx, { session, params, body }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const saved = findAlert(view.value, params.id);
  if (saved === undefined && params.id !== "new") return refuse(MADE_OWNERS.alert.missing);
  return await runTest(ctx, session, {
    owner: "alert",
    types: ctx.accounts.types.of("alert"),
    form: body.webhook,
    saved: saved?.destination ?? null,
    body: body.body,
    appUrl: view.value.account.appUrl,
    subject: saved?.alert.name ?? "A new alert",
  });
};

const findAlert = ({ alerts }: AccountView, alertId: string): StoredAlert | undefined =>
  alerts.find(({ alert: { id } }) => id === alertId);

export const alertHandlers = {
  "GET /alerts": listAlerts,
  "GET /alerts/suggestions": getSuggestions,
  "GET /alerts/sample": getAlertSample,
  "GET /alerts/:id": getAlert,
  "POST /alerts": save,
  "PUT /alerts/:id": save,
  "DELETE /alerts/:id": removeBy(deleteAlert),
  "POST /alerts/:id/test": testAlert,
} satisfies Handlers;
