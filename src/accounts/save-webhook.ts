/**
 * Saves a webhook of its own: the verb behind Settings → Webhooks → Save; and deletes one. A type that is newly wanted
 * must be declared and in the account's plan. One that was wanted before stays, also on a lower plan, and also when it
 * is not declared any more: nothing comes of it then.
 */
import type { Actor, Plan } from "../domain/account.ts";
import { newId } from "../domain/id.ts";
import { LIMITS } from "../domain/limits.ts";
import { type FieldError, type Problem, type Result, problem } from "../domain/problem.ts";
import { nearestName } from "../lib/nearest-name.ts";
import { ok, refuse } from "../lib/result.ts";
import type { EventTypes } from "../events/event-types.ts";
import { groupOf, isGroup, isInGroup } from "../domain/event.ts";
import type { WantedEvents, WantedType, Webhook } from "../domain/webhook.ts";
import type { ConditionsForm } from "../domain/conditions-form.ts";
import type { WebhookForm } from "../domain/webhook-form.ts";
import { type AccountsContext, accountMissing, typePlanGate } from "./context.ts";
import { checkConditionsForm, checkDestination, type CheckedDestination, idFor, sealFor } from "./destination-draft.ts";
import {
  type CheckedOwner,
  deleteOwner,
  type Made,
  type OwnerDeletion,
  refuseSave,
  type SavedRevision,
} from "./owners.ts";

export interface WebhookSettings {
  readonly name: string;
  readonly events: WantedEventsForm;
}

export type WantedEventsForm = "all" | readonly WantedTypeForm[];

export interface WantedTypeForm {
  readonly type: string;
  /** `null` for none; left out, those that are saved for the type stay. */
  readonly conditions?: ConditionsForm | null | undefined;
}

export interface WebhookDraft extends Made {
  readonly accountId: string;
  /** `null` creates a webhook; otherwise the one to change, and the revision that the editor saw. */
  readonly existing: { readonly id: string; readonly revision: number } | null;
  readonly settings: WebhookSettings;
  readonly webhook: WebhookForm;
  /** Of one that is asked: when it goes by itself; never when left out. */
  readonly endsAtMs?: number;
  readonly by: Actor;
}

/** Refuses what `checkWebhook` refuses, `edited_meanwhile`, and one over the limit. */
export async function saveWebhook(ctx: AccountsContext, draft: WebhookDraft): Promise<Result<SavedRevision>> {
  const checked = await checkWebhook(ctx, draft);
  return checked.ok ? await checked.value.save() : checked;
}

/** Refuses what is wrong with types, plan, conditions, URL or headers. */
export async function checkWebhook(
  ctx: AccountsContext,
  draft: WebhookDraft,
): Promise<Result<CheckedOwner<Omit<Webhook, "id">>>> {
  const { accountId, existing, settings, webhook } = draft;
  const view = await ctx.accounts.load(accountId);
  if (view === null) return refuse(accountMissing(accountId));
  const saved = view.webhooks.find((each) => each.webhook.id === existing?.id);
  const events = checkEvents(ctx, settings.events, { saved: saved?.webhook ?? null, plan: view.account.plan });
  if (!events.ok) return events;
  const former = saved?.destination ?? null;
  const checked = await checkDestination(ctx, webhook, former);
  if (!checked.ok) return checked;
  const ready = {
    settings: { name: settings.name, events: events.value },
    destination: checked.value,
    destinationId: idFor(ctx, former),
  };
  return ok({ ...ready, save: () => write(ctx, draft, ready) });
}

interface Ready {
  readonly settings: Omit<Webhook, "id">;
  readonly destination: CheckedDestination;
  readonly destinationId: string;
}

async function write(
  ctx: AccountsContext,
  { accountId, existing, made, endsAtMs, isDryRun = false, by }: WebhookDraft,
  { settings, destination, destinationId }: Ready,
): Promise<Result<SavedRevision>> {
  const id = existing?.id ?? newId("whk", ctx.clock.nowMs(), ctx.random);
  const answer = await ctx.store.saveWebhook({
    accountId,
    webhook: { id, ...settings },
    destination: { ...sealFor(ctx, destinationId, destination), ...made, endsAtMs: endsAtMs ?? null },
    expectedRevision: existing?.revision ?? null,
    webhooksMax: LIMITS.webhooksPerAccountMax,
    isDryRun,
    by,
    nowMs: ctx.clock.nowMs(),
  });
  if (!isDryRun) ctx.accounts.forget(accountId);
  if (answer.kind === "saved") return ok({ id, revision: answer.revision });
  return refuse(await refuseSave(ctx, answer, { accountId, kind: "webhook", id }));
}

interface Before {
  /** `null`: the webhook is new. */
  readonly saved: Webhook | null;
  /** The account's. */
  readonly plan: Plan;
}

/** Every mistake of every type, or the first type that the plan has not. */
function checkEvents(ctx: AccountsContext, form: WantedEventsForm, before: Before): Result<WantedEvents> {
  if (form === "all") return ok(form);
  const checked = form.map((wanted) => checkType(ctx, wanted, before.saved));
  const errors = [...findFaults(form), ...checked.flatMap((each, row) => (each.ok ? [] : below(row, each.error)))];
  if (errors.length > 0) return refuse(problem("invalid_event_types", "Some event types cannot be used.", errors));
  const gate = form.map((wanted) => planGate(ctx, wanted, before)).find((each) => each !== null);
  return gate === undefined ? ok(checked.flatMap((each) => (each.ok ? [each.value] : []))) : refuse(gate);
}

function findFaults(form: readonly WantedTypeForm[]): FieldError[] {
  if (form.length === 0) return [{ path: "events", message: "must have at least one event type, or be all" }];
  const names = form.map(({ type }) => type);
  return names.flatMap((name, row) =>
    names.indexOf(name) === row ? [] : [{ path: `events[${row}].type`, message: `has ${name} twice: leave one out` }],
  );
}

const below = (row: number, errors: readonly FieldError[]): FieldError[] =>
  errors.map(({ path, message }) => ({ path: `events[${row}].${path}`, message }));

function checkType(
  { types }: AccountsContext,
  { type, conditions }: WantedTypeForm,
  saved: Webhook | null,
): Result<WantedType, readonly FieldError[]> {
  const before = findListed(saved, type);
  if (isGroup(type)) return checkGroup(types, { type, conditions }, before);
  const known = types.find(type);
  if (known !== undefined) {
    const checked = checkConditionsForm([known], conditions, before?.conditions ?? null);
    return checked.ok ? ok({ type, conditions: checked.value }) : refuse(checked.error.errors ?? []);
  }
  if (before === null) return refuse([{ path: "type", message: types.refuse(type).detail }]);
  return ok(conditions === null ? { type, conditions } : before);
}

/** No plan is asked: an event of a type that the plan has not is not sent, as with all types. */
function checkGroup(
  types: EventTypes,
  { type, conditions = null }: WantedTypeForm,
  before: WantedType | null,
): Result<WantedType, readonly FieldError[]> {
  if (conditions !== null) {
    const message =
      "must be left out for a group: its types have different fields. List a type beside it to give it some";
    return refuse([{ path: "conditions", message }]);
  }
  const isKnown = before !== null || types.all.some((each) => isInGroup(each.type, type));
  return isKnown ? ok({ type, conditions }) : refuse([{ path: "type", message: refuseGroup(types, type) }]);
}

function refuseGroup({ all }: EventTypes, group: string): string {
  const groups = [...new Set(all.flatMap((each) => groupOf(each.type) ?? []))];
  const nearest = nearestName(group, groups);
  const hint = nearest === undefined ? "" : `: did you mean ${nearest}?`;
  return `No event type begins with ${JSON.stringify(group.slice(0, 64).replace(/\*$/, ""))}${hint}`;
}

function planGate({ types }: AccountsContext, { type }: WantedTypeForm, { saved, plan }: Before): Problem | null {
  const known = types.find(type);
  return known === undefined || findListed(saved, type) !== null ? null : typePlanGate(known, plan);
}

/** A webhook that wants all types names none. */
const findListed = (saved: Webhook | null, type: string): WantedType | null =>
  saved === null || saved.events === "all" ? null : (saved.events.find((each) => each.type === type) ?? null);

export const deleteWebhook = (ctx: AccountsContext, deletion: OwnerDeletion) => deleteOwner(ctx, "webhook", deletion);
