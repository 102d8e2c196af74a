/**
 * What one webhook would do with an event, by its settings of now: decided by the code that decides when an event is
 * accepted, about an account that has nothing but this webhook.
 */
import type { AccountView } from "../../accounts/account-view.ts";
import { decide } from "../../delivery/route.ts";
import { createSteps } from "../../domain/conditions.ts";
import type { NamedOwner } from "../../domain/event.ts";
import { findWanted } from "../../domain/webhook.ts";
import type { StoredEvent } from "../../store/contract/log.ts";
import type { ReadContext } from "../call/context.ts";
import { readPayload } from "../conditions/latest-events.ts";
import type { Decision } from "../contract/webhook-page.ts";
import { explainNotSent } from "../explain/not-sent.ts";

/** A webhook, by its destination. */
export interface Asked {
  readonly id: string;
  readonly owner: NamedOwner;
}

type Decided = Pick<Decision, "fires" | "why">;

export function createDecider(
  { accounts: { types } }: ReadContext,
  view: AccountView,
  asked: Asked,
): (event: Pick<StoredEvent, "type" | "assistantId" | "body">) => Decided {
  const isIts = ({ destination }: { readonly destination: { readonly id: string } | null }): boolean =>
    destination?.id === asked.id;
  const alone: AccountView = {
    ...view,
    alerts: view.alerts.filter(isIts),
    assistants: new Map([...view.assistants].filter(([, assistant]) => isIts(assistant))),
    webhooks: view.webhooks.filter(isIts),
  };
  return ({ type, assistantId, body }) => {
    if (body === null) return { fires: false, why: "its payload is older than the retention time and was deleted" };
    const payload = readPayload(body);
    const session = types.read(type).readSession?.(payload) ?? null;
    const plan = types.find(type)?.plan ?? null;
    const { destinations, notSent } = decide(alone, { type, plan, session, assistantId, toPayload: () => payload });
    const [to] = destinations;
    if (to !== undefined) return { fires: true, why: WAITS[to.state] };
    const reason = notSent.webhooks[0]?.reason;
    if (reason === undefined) return { fires: false, why: MEANT_FOR[asked.owner.kind] };
    return { fires: false, why: explainNotSent(reason, { payload, owner: asked.owner.kind, steps: createSteps() }) };
  };
}

/** Whether the webhook is sent events of this kind at all, whatever its conditions say of one. */
export function createMeant(
  { accounts: { types } }: ReadContext,
  view: AccountView,
  { id, owner }: Asked,
): (event: Pick<StoredEvent, "type" | "assistantId">) => boolean {
  const events = view.webhooks.find(({ destination }) => destination.id === id)?.webhook.events ?? "all";
  if (owner.kind === "webhook") return ({ type }) => findWanted({ events }, type) !== null;
  return ({ type, assistantId }) =>
    types.find(type)?.owners.includes(owner.kind) === true && (owner.kind === "alert" || assistantId === owner.id);
}

const WAITS = {
  on: "",
  paused: "it waits, because the webhook is paused",
  off: "it waits, because the webhook is off",
};

/** No reason is kept of what is not meant for a webhook. */
const MEANT_FOR = {
  alert: "an alert is sent no events of this type",
  assistant: "the webhook is sent this assistant’s own conversations alone",
  webhook: "the webhook does not want events of this type",
};
