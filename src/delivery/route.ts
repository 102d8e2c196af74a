/**
 * Finds the destinations of an event, and says of the others why not. Pure: the same account and facts give the same
 * answer.
 *
 * An alert takes part when its Webhooks toggle is on, the plan allows it, the session meets what it demands, and its
 * conditions on fields of the payload hold. An assistant's webhook has such conditions too. A webhook of its own takes
 * part in the types that it wants, each with its plan and its conditions; what it does not want is not meant for it and
 * needs no reason. A destination that is paused or off still gets its delivery: it waits there.
 *
 * Routings of sessions are cached. Without conditions on fields a routing depends on type and four facts of the
 * session, and an account's sessions have few combinations of them. A view never changes, and its cached routings go
 * with it.
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
import { hasPlan } from "../domain/account.ts";
import { findWanted } from "../domain/webhook.ts";
import type { RoutingFacts } from "../events/event-type.ts";
import { createFieldReader } from "../events/payload.ts";

export interface Routing {
  readonly destinations: readonly DestinationView[];
  readonly notSent: NotSentList;
  /** The same as the event's row keeps it. */
  readonly notSentText: string | null;
}

export function route(view: AccountView, facts: RoutingFacts): Routing {
  const { session } = facts;
  if (session === null) return decide(view, facts);
  const cached = cachedRoutings.find(view, facts.type, session);
  if (cached !== null) return cached;
  const routing = decide(view, facts);
  cachedRoutings.put(view, facts.type, { session, routing });
  return routing;
}

/** Anew: a question of a person's about old events takes no room among the cached routings. */
export function decide(view: AccountView, facts: RoutingFacts): Routing {
  const draft = newRouting();
  const event = { facts, isInPlan: hasPlan(view.account.plan, facts.plan), readField: readerOf(view, facts) };
  addAlerts(draft, view, event);
  addAssistant(draft, view, event);
  addWebhooks(draft, view, event);
  return { ...draft, notSentText: writeNotSent(draft.notSent) };
}

interface EventToRoute {
  readonly facts: RoutingFacts;
  readonly isInPlan: boolean;
  readonly readField: ReadField;
}

function addAlerts(draft: DraftRouting, { alerts }: AccountView, { facts, isInPlan, readField }: EventToRoute): void {
  const { session } = facts;
  if (session === null) return;
  for (const { alert, destination } of alerts) {
    if (destination !== null) add(draft, destination, isInPlan ? findAlertReason(alert, session, readField) : PLAN);
  }
}

function addAssistant(draft: DraftRouting, { assistants }: AccountView, { facts, readField }: EventToRoute): void {
  const assistant = facts.assistantId === null ? undefined : assistants.get(facts.assistantId);
  const { destination = null, conditions = null } = assistant ?? {};
  if (destination !== null) add(draft, destination, findConditionsReason(conditions, readField));
}

function addWebhooks(draft: DraftRouting, view: AccountView, { facts, isInPlan, readField }: EventToRoute): void {
  for (const { destination, conditions } of listWanting(view, facts.type)) {
    add(draft, destination, isInPlan ? findConditionsReason(conditions, readField) : PLAN);
  }
}

interface Wanting {
  readonly destination: DestinationView;
  readonly conditions: Conditions | null;
}

/** By type, of each view: a list of a hundred webhooks, groups among them, is looked through once and not per event. */
const wantingByView = new WeakMap<AccountView, Map<string, readonly Wanting[]>>();

/** Types are declared ones, so a view's lists are as many at most. */
function listWanting(view: AccountView, type: string): readonly Wanting[] {
  return wantingByView
    .getOrInsertComputed(view, () => new Map())
    .getOrInsertComputed(type, () =>
      view.webhooks.flatMap(({ webhook, destination }) => {
        const wanted = findWanted(webhook, type);
        return wanted === null ? [] : [{ destination, conditions: wanted.conditions }];
      }),
    );
}

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

interface DraftRouting {
  readonly destinations: DestinationView[];
  readonly notSent: { readonly webhooks: NotSent[]; more: number };
}

const newRouting = (): DraftRouting => ({ destinations: [], notSent: { webhooks: [], more: 0 } });

function add(
  { destinations, notSent }: DraftRouting,
  destination: DestinationView,
  reason: NotSentReason | null,
): void {
  if (reason === null) destinations.push(destination);
  else if (notSent.webhooks.length < NOT_SENT_WEBHOOKS_MAX) {
    notSent.webhooks.push({ destinationId: destination.id, reason });
  } else notSent.more += 1;
}

/** Guess, at one to five kilobytes each. Beyond it all routings are dropped, and decided anew when they are needed. */
const ROUTINGS_MAX = 1_000;

/** By demo, by intent level, and by what is known of the visitor. */
type ByFacts = Map<string, Map<string, Routing[]>>;

class CachedRoutings {
  /** By type. `null`: a webhook of its events has conditions on fields, so each event is routed by itself. */
  #byView = new WeakMap<AccountView, Map<string, ByFacts | null>>();
  #count = 0;

  find(view: AccountView, type: string, session: SessionFacts): Routing | null {
    return this.#of(view, type)?.get(session.demoName)?.get(session.intentLevel)?.[visitorOf(session)] ?? null;
  }

  /** Caches this session's routing, if it holds for all sessions with the same facts. */
  put(view: AccountView, type: string, { session, routing }: RoutedSession): void {
    if (this.#count === ROUTINGS_MAX) {
      this.#byView = new WeakMap();
      this.#count = 0;
    }
    const ofDemo = this.#of(view, type)?.getOrInsertComputed(session.demoName, () => new Map());
    if (ofDemo === undefined) return;
    ofDemo.getOrInsertComputed(session.intentLevel, () => [])[visitorOf(session)] = routing;
    this.#count += 1;
  }

  #of(view: AccountView, type: string): ByFacts | null {
    const ofView = this.#byView.get(view);
    const known = ofView?.get(type);
    if (known !== undefined) return known;
    const cached: ByFacts | null = hasConditions(view, type) ? null : new Map();
    if (ofView === undefined) this.#byView.set(view, new Map([[type, cached]]));
    else ofView.set(type, cached);
    return cached;
  }
}

interface RoutedSession {
  readonly session: SessionFacts;
  readonly routing: Routing;
}

const hasConditions = (view: AccountView, type: string): boolean =>
  view.alerts.some(({ alert }) => alert.conditions !== null) ||
  listWanting(view, type).some(({ conditions }) => conditions !== null);

const cachedRoutings = new CachedRoutings();

const visitorOf = ({ hasLead, hasCompany }: SessionFacts): number => (hasLead ? 1 : 0) + (hasCompany ? 2 : 0);
