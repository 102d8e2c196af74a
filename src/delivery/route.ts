/**
 * Finds the destinations of an event, and says of the others why not. Pure: the same account and facts give the same
 * answer.
 *
 * An alert takes part when its Webhooks toggle is on, the plan allows it, the session meets what it demands, and its
 * conditions on fields of the payload hold. An assistant's webhook has such conditions too. A destination that is
 * paused or off still gets its delivery: it waits there.
 */
import type { AccountView, DestinationView } from "../accounts/account-view.ts";
import type { SessionFacts } from "../domain/alert.ts";
import { type AlertDemands, findUnmetDemand } from "../domain/alert-demands.ts";
import { type Conditions, type ReadField, findUnmet } from "../domain/conditions.ts";
import {
  type NotSent,
  type NotSentList,
  type NotSentReason,
  NOT_SENT_WEBHOOKS_MAX,
  conditionsUnmet,
  writeNotSent,
} from "../domain/not-sent.ts";
import { allowsAlertWebhooks } from "../domain/plan.ts";
import type { RoutingFacts } from "../events/family.ts";
import { createFieldReader } from "../events/payload.ts";
import { KeptRoutings } from "./kept-routings.ts";

export interface Routing {
  readonly destinations: readonly DestinationView[];
  readonly notSent: NotSentList;
  /** The same as the event's row keeps it. */
  readonly notSentText: string | null;
}

const kept = new KeptRoutings<Routing>();

export function route(view: AccountView, facts: RoutingFacts): Routing {
  switch (facts.type) {
    case "demo_viewed":
      return kept.find(view, facts.session) ?? routeSession(view, facts);
    case "chat_conversation_completed":
      return routeConversation(view, facts);
  }
}

function routeSession(view: AccountView, facts: FactsOf<"demo_viewed">): Routing {
  const open = newRouting();
  const readField = readerOf(view, facts);
  const hasPlan = allowsAlertWebhooks(view.account.plan);
  for (const { alert, destination } of view.alerts) {
    if (destination === null) continue;
    add(open, destination, hasPlan ? findAlertReason(alert, facts.session, readField) : PLAN);
  }
  const routing = { ...open, notSentText: writeNotSent(open.notSent) };
  kept.keep(view, facts.session, routing);
  return routing;
}

function routeConversation(view: AccountView, facts: FactsOf<"chat_conversation_completed">): Routing {
  const open = newRouting();
  const { destination = null, conditions = null } = view.assistants.get(facts.assistantId) ?? {};
  if (destination !== null) add(open, destination, findConditionsReason(conditions, readerOf(view, facts)));
  return { ...open, notSentText: writeNotSent(open.notSent) };
}

type FactsOf<Type extends RoutingFacts["type"]> = Extract<RoutingFacts, { readonly type: Type }>;

/** No field is read, and no object made of the record, before the first condition. */
const readerOf = (view: AccountView, facts: RoutingFacts): ReadField =>
  createFieldReader(() => facts.toPayload(view.account));

const PLAN: NotSentReason = { kind: "plan" };
const TOGGLE_OFF: NotSentReason = { kind: "toggle_off" };

type FiringAlert = AlertDemands & { readonly webhooksOn: boolean; readonly conditions: Conditions | null };

/** Why an alert does not fire for the session; `null` when it does. */
function findAlertReason(alert: FiringAlert, session: SessionFacts, readField: ReadField): NotSentReason | null {
  if (!alert.webhooksOn) return TOGGLE_OFF;
  return findWantReason(alert, session, readField);
}

/** The same without the toggle: whether the session is one that the alert is meant for. */
export function findWantReason(
  alert: Omit<FiringAlert, "webhooksOn">,
  session: SessionFacts,
  readField: ReadField,
): NotSentReason | null {
  return findUnmetDemand(alert, session) ?? findConditionsReason(alert.conditions, readField);
}

export function findConditionsReason(conditions: Conditions | null, readField: ReadField): NotSentReason | null {
  if (conditions === null) return null;
  const unmet = findUnmet(conditions, readField);
  return unmet.length === 0 ? null : conditionsUnmet(conditions.join, unmet);
}

interface OpenRouting {
  readonly destinations: DestinationView[];
  readonly notSent: { readonly webhooks: NotSent[]; more: number };
}

const newRouting = (): OpenRouting => ({ destinations: [], notSent: { webhooks: [], more: 0 } });

function add({ destinations, notSent }: OpenRouting, destination: DestinationView, reason: NotSentReason | null): void {
  if (reason === null) destinations.push(destination);
  else if (notSent.webhooks.length < NOT_SENT_WEBHOOKS_MAX) {
    notSent.webhooks.push({ destinationId: destination.id, reason });
  } else notSent.more += 1;
}
