/**
 * Conditions while somebody edits them: the fields to choose from, and "would have fired for 14 of the last 50". It
 * tries what the form has, saved or not, by the code that decides when an event is accepted.
 */
import { assistantMissing } from "../../accounts/save-assistant-webhook.ts";
import { checkConditionsForm } from "../../accounts/conditions-draft.ts";
import { type OwnerKind, typesOf } from "../../domain/event.ts";
import type { NotSentReason } from "../../domain/not-sent.ts";
import { type Result, ok, refuse } from "../../domain/problem.ts";
import { findConditionsReason, findWantReason } from "../../delivery/route.ts";
import { EVENT_FAMILIES } from "../../events/catalog.ts";
import { assert } from "../../lib/assert.ts";
import { freshView } from "../call/fresh-view.ts";
import type { DashboardContext } from "../call/context.ts";
import type { Route, RouteGroup } from "../call/operation.ts";
import type { ConditionFields, ConditionsPreview, PreviewExample } from "../contract/conditions.ts";
import { explainNotSent } from "../explain/not-sent.ts";
import type { Session } from "../guard/session.ts";
import { alertPreviewForm, assistantPreviewForm } from "../forms/form-schemas.ts";
import { type LatestEvent, type WantedLatest, listLatest } from "./latest-events.ts";
import { suggestFields } from "./seen-fields.ts";

/** This number of those that fire, and of those that do not. */
const EXAMPLES_EACH = 3;

const previewAlert: Route<"POST /alerts/preview">["handle"] = async (ctx, { session, body }) => {
  const { audience, demos, intentLevels } = body;
  const checked = checkConditionsForm(typesOf("alert"), body.conditions, null);
  if (!checked.ok) return checked;
  const alert = { audience, demos, intentLevels, conditions: checked.value };
  const wanted = { accountId: session.accountId, types: typesOf("alert") };
  return ok(
    toPreview(await listLatest(ctx, wanted), {
      owner: "alert",
      findReason({ event, payload, readField }) {
        const facts = EVENT_FAMILIES[event.type].readSession?.(payload) ?? null;
        assert(facts !== null, `${event.type} goes to alerts and has no facts for them`);
        return findWantReason(alert, facts, readField);
      },
    }),
  );
};

const previewAssistant: Route<"POST /assistants/:id/preview">["handle"] = async (ctx, { session, params, body }) => {
  const wanted = await findWanted(ctx, session, params.id);
  if (!wanted.ok) return wanted;
  const checked = checkConditionsForm(typesOf("assistant"), body.conditions, null);
  if (!checked.ok) return checked;
  return ok(
    toPreview(await listLatest(ctx, wanted.value), {
      owner: "assistant",
      findReason: ({ readField }) => findConditionsReason(checked.value, readField),
    }),
  );
};

interface Deciding {
  readonly owner: OwnerKind;
  readonly findReason: (event: LatestEvent) => NotSentReason | null;
}

function toPreview(events: readonly LatestEvent[], { owner, findReason }: Deciding): ConditionsPreview {
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
      const why = reason === null ? "" : explainNotSent(reason, { payload, owner });
      return { sourceId, acceptedAtMs, about, fires: reason === null, why };
    }),
  };
}

const getAlertFields: Route<"GET /alerts/fields">["handle"] = async (ctx, { session: { accountId } }) =>
  ok(await listFields(ctx, { accountId, types: typesOf("alert") }));

const getAssistantFields: Route<"GET /assistants/:id/fields">["handle"] = async (ctx, { session, params }) => {
  const wanted = await findWanted(ctx, session, params.id);
  return wanted.ok ? ok(await listFields(ctx, wanted.value)) : wanted;
};

async function listFields(ctx: DashboardContext, wanted: WantedLatest): Promise<ConditionFields> {
  const latest = await listLatest(ctx, wanted);
  const payloads = latest.map(({ payload }) => payload);
  return { fields: suggestFields(wanted.types, payloads) };
}

/** The assistant's own events; `assistant_not_found` also for those of others. */
async function findWanted(ctx: DashboardContext, session: Session, id: string): Promise<Result<WantedLatest>> {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  if (!view.value.assistants.has(id)) return refuse(assistantMissing(id));
  return ok({ accountId: session.accountId, types: typesOf("assistant"), assistantId: id });
}

export const conditionRoutes: RouteGroup<
  "GET /alerts/fields" | "POST /alerts/preview" | "GET /assistants/:id/fields" | "POST /assistants/:id/preview"
> = {
  "GET /alerts/fields": { role: "viewer", handle: getAlertFields },
  "POST /alerts/preview": { role: "viewer", bodySchema: alertPreviewForm, handle: previewAlert },
  "GET /assistants/:id/fields": { role: "viewer", handle: getAssistantFields },
  "POST /assistants/:id/preview": { role: "viewer", bodySchema: assistantPreviewForm, handle: previewAssistant },
};
