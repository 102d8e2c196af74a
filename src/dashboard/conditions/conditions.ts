/**
 * Conditions while somebody edits them: the fields to choose from, and "would have fired for 14 of the last 50". It
 * tries what the form has, saved or not, by the code that decides when an event is accepted.
 */
import { assistantMissing } from "../../accounts/save-assistant-webhook.ts";
import { checkConditionsForm } from "../../accounts/conditions-draft.ts";
import type { NotSentReason } from "../../domain/not-sent.ts";
import { type Result, ok, refuse } from "../../domain/problem.ts";
import { findConditionsReason, findWantReason } from "../../delivery/route.ts";
import { type SessionBody, sessionFacts } from "../../events/demo-viewed.ts";
import { freshView } from "../call/fresh-view.ts";
import type { DashboardContext } from "../call/context.ts";
import type { Route, RouteGroup } from "../call/operation.ts";
import type { ConditionFields, ConditionsPreview, PreviewExample } from "../contract/conditions.ts";
import { explainNotSent } from "../explain/not-sent.ts";
import type { Session } from "../guard/session.ts";
import { alertPreviewForm, assistantPreviewForm } from "../forms/form-schemas.ts";
import { type LatestEvent, type WantedLatest, listLatest } from "./latest-events.ts";
import { suggestFields } from "./seen-fields.ts";

const CHAT = "chat_conversation_completed";

/** This number of those that fire, and of those that do not. */
const EXAMPLES_EACH = 3;

const previewAlert: Route<"POST /alerts/preview">["handle"] = async (ctx, { session, body }) => {
  const { audience, demos, intentLevels } = body;
  const checked = checkConditionsForm("demo_viewed", body.conditions, null);
  if (!checked.ok) return checked;
  const alert = { audience, demos, intentLevels, conditions: checked.value };
  const wanted = { accountId: session.accountId, type: "demo_viewed" } as const;
  return ok(
    toPreview(await listLatest(ctx, wanted), {
      wanter: "the alert",
      findReason: ({ payload, readField }) =>
        findWantReason(alert, sessionFacts(payload as unknown as SessionBody), readField),
    }),
  );
};

const previewAssistant: Route<"POST /assistants/:id/preview">["handle"] = async (ctx, { session, params, body }) => {
  const wanted = await findWanted(ctx, session, params.id);
  if (!wanted.ok) return wanted;
  const checked = checkConditionsForm(CHAT, body.conditions, null);
  if (!checked.ok) return checked;
  return ok(
    toPreview(await listLatest(ctx, wanted.value), {
      wanter: "the webhook",
      findReason: ({ readField }) => findConditionsReason(checked.value, readField),
    }),
  );
};

interface Deciding {
  readonly wanter: "the alert" | "the webhook";
  readonly findReason: (event: LatestEvent) => NotSentReason | null;
}

function toPreview(events: readonly LatestEvent[], { wanter, findReason }: Deciding): ConditionsPreview {
  const decided = events.map((each) => ({ each, reason: findReason(each) }));
  const isShown = (fires: boolean) =>
    decided.filter(({ reason }) => (reason === null) === fires).slice(0, EXAMPLES_EACH);
  const shown = [...isShown(true), ...isShown(false)].toSorted(
    (one, other) => other.each.event.seq - one.each.event.seq,
  );
  return {
    events: events.length,
    fired: decided.filter(({ reason }) => reason === null).length,
    examples: shown.map(({ each: { event, payload }, reason }): PreviewExample => {
      const { sourceId, acceptedAtMs, about } = event;
      const why = reason === null ? "" : explainNotSent(reason, { payload, wanter });
      return { sourceId, acceptedAtMs, about, fires: reason === null, why };
    }),
  };
}

const getAlertFields: Route<"GET /alerts/fields">["handle"] = async (ctx, { session: { accountId } }) =>
  ok(await listFields(ctx, { accountId, type: "demo_viewed" }));

const getAssistantFields: Route<"GET /assistants/:id/fields">["handle"] = async (ctx, { session, params }) => {
  const wanted = await findWanted(ctx, session, params.id);
  return wanted.ok ? ok(await listFields(ctx, wanted.value)) : wanted;
};

async function listFields(ctx: DashboardContext, wanted: WantedLatest): Promise<ConditionFields> {
  const latest = await listLatest(ctx, wanted);
  const payloads = latest.map(({ payload }) => payload);
  return { fields: suggestFields(wanted.type, payloads) };
}

/** The assistant's own conversations; `assistant_not_found` also for those of others. */
async function findWanted(ctx: DashboardContext, session: Session, id: string): Promise<Result<WantedLatest>> {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  if (!view.value.assistants.has(id)) return refuse(assistantMissing(id));
  return ok({ accountId: session.accountId, type: CHAT, assistantId: id });
}

export const conditionRoutes: RouteGroup<
  "GET /alerts/fields" | "POST /alerts/preview" | "GET /assistants/:id/fields" | "POST /assistants/:id/preview"
> = {
  "GET /alerts/fields": { role: "viewer", handle: getAlertFields },
  "POST /alerts/preview": { role: "viewer", bodySchema: alertPreviewForm, handle: previewAlert },
  "GET /assistants/:id/fields": { role: "viewer", handle: getAssistantFields },
  "POST /assistants/:id/preview": { role: "viewer", bodySchema: assistantPreviewForm, handle: previewAssistant },
};
