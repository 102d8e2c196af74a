/** The event catalog: what each webhook's body holds, from the very schemas that build and document it. */
import type { TSchema } from "typebox";
import type { AccountView } from "../../accounts/account-view.ts";
import { ok, refuse } from "../../lib/result.ts";
import { findWanted } from "../../domain/webhook.ts";
import type { EventType } from "../../events/event-type.ts";
import { parseExactJson } from "../../events/exact-json.ts";
import type { EventTypeView, FieldView } from "../contract/catalog.ts";
import { findMembers } from "../../events/payload.ts";
import { listFields } from "../../events/schema/fields.ts";
import { printSchema, toTypeName } from "../../events/schema/typescript.ts";
import { freshView } from "../call/fresh-view.ts";
import type { Handlers } from "../call/operation.ts";
import { builtInBody } from "../tests/samples.ts";

export const catalogHandlers = {
  async "GET /event-types/:type"(ctx, { session, params }) {
    const { types } = ctx.accounts;
    const type = types.find(params.type);
    if (type === undefined) return refuse(types.refuse(params.type));
    const view = await freshView(ctx, session);
    return view.ok ? ok(toEventTypeView(type, view.value)) : view;
  },
} satisfies Handlers;

export function toEventTypeView(eventType: EventType, view: AccountView): EventTypeView {
  const { type, title, description, bodySchema } = eventType;
  const sample = parseExactJson(builtInBody(eventType, view.account.appUrl));
  // Through JSON, which leaves out what only our own checks read.
  const jsonSchema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...(parseExactJson(JSON.stringify(bodySchema)) as object),
  };
  return {
    type,
    title,
    description,
    fields: toFieldViews(bodySchema, sample),
    jsonSchema,
    sample: JSON.stringify(sample, null, 2),
    typescript: printSchema(bodySchema, toTypeName(type)),
    usedBy: usedBy(eventType, view),
  };
}

/** In the body's order; of what is in a list the first item of the sample is the example. */
const toFieldViews = (schema: TSchema, sample: unknown): FieldView[] =>
  listFields(schema).map(({ path, words, isRequired, description }) => {
    const [value] = findMembers(sample, path);
    const example = value === undefined ? "" : JSON.stringify(value);
    return { path, type: isRequired ? words : `${words}, optional`, description, example };
  });

/** The owners of webhooks that it would call; their own pages say whether they are on just now. */
function usedBy({ type, owners }: EventType, { alerts, assistants, webhooks }: AccountView): EventTypeView["usedBy"] {
  const ofAlerts = alerts
    .filter(({ alert, destination }) => alert.webhooksOn && destination !== null)
    .map(({ alert: { id, name } }) => ({ kind: "alert", id, name }) as const);
  const ofAssistants = [...assistants]
    .filter(([, { destination }]) => destination !== null)
    .map(([id, { name }]) => ({ kind: "assistant", id, name }) as const);
  const ofWebhooks = webhooks
    .filter(({ webhook }) => findWanted(webhook, type) !== null)
    .map(({ webhook: { id, name } }) => ({ kind: "webhook", id, name }) as const);
  return [...ofAlerts, ...ofAssistants, ...ofWebhooks].filter(({ kind }) => owners.includes(kind));
}
