/**
 * Conditions while somebody edits them: the fields to choose from, and "would have fired for 14 of the last 50". It
 * tries what the form has, saved or not, by the code that decides when an event is accepted.
 */
import { checkConditionsForm } from "../../accounts/destination-draft.ts";
import { assistantMissing } from "../../accounts/save-assistant-webhook.ts";
import { findConditionsReason, findWantReason } from "../../delivery/route.ts";
import { createSteps } from "../../domain/conditions.ts";
import type { Steps } from "../../lib/steps.ts";
import type { OwnerKind } from "../../domain/event.ts";
import type { NotSentReason } from "../../domain/not-sent.ts";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { type ConditionField, listConditionFields } from "../../events/condition-fields.ts";
import { writtenNumber } from "../../events/exact-json.ts";
import { findMembers, type Payload } from "../../events/payload.ts";
import { asMembers } from "../../events/summary.ts";
import { assert } from "../../lib/assert.ts";
import type { DashboardContext } from "../call/context.ts";
import { freshView } from "../call/fresh-view.ts";
import type { Handler, Handlers } from "../call/operation.ts";
import type {
  ConditionFields,
  ConditionFieldView,
  ConditionsPreview,
  PreviewBody,
  PreviewExample,
} from "../contract/conditions.ts";
import { explainNotSent } from "../explain/not-sent.ts";
import type { Session } from "../guard/session.ts";
import { type LatestEvent, mapLatest, type WantedLatest } from "./latest-events.ts";

/** This number of those that fire, and of those that do not. */
const EXAMPLES_EACH = 3;

const previewAlert: Handler<"POST /alerts/preview"> = async (ctx, { session, body }) => {
  const { audience, demos, intentLevels } = body;
  const types = ctx.accounts.types.of("alert");
  const checked = checkConditionsForm(types, body.conditions, null);
  if (!checked.ok) return checked;
  const alert = { audience, demos, intentLevels, conditions: checked.value };
  const wanted = { accountId: session.accountId, types };
  return ok(
    await toPreview(ctx, wanted, {
      owner: "alert",
      findReason({ event, payload, readField }) {
        const facts = ctx.accounts.types.read(event.type).readSession?.(payload) ?? null;
        assert(facts !== null, `${event.type} goes to alerts and has no facts for them`);
        return findWantReason(alert, facts, readField);
      },
    }),
  );
};

const previewAssistant: Handler<"POST /assistants/:id/preview"> = async (ctx, { session, params, body }) =>
  await previewConditions(ctx, await findWanted(ctx, session, params.id), body);

const previewType: Handler<"POST /event-types/:type/preview"> = async (ctx, { session, params, body }) =>
  await previewConditions(ctx, findType(ctx, session, params.type), body);

/** For a webhook that wants all events but those which its conditions keep away. */
async function previewConditions(
  ctx: DashboardContext,
  wanted: Result<WantedLatest>,
  { conditions }: PreviewBody,
): Promise<Result<ConditionsPreview>> {
  if (!wanted.ok) return wanted;
  const checked = checkConditionsForm(wanted.value.types, conditions, null);
  if (!checked.ok) return checked;
  const findReason: Deciding["findReason"] = ({ readField }) => findConditionsReason(checked.value, readField);
  return ok(await toPreview(ctx, wanted.value, { owner: "webhook", findReason }));
}

interface Deciding {
  readonly owner: OwnerKind;
  readonly findReason: (event: LatestEvent) => NotSentReason | null;
}

async function toPreview(
  ctx: DashboardContext,
  wanted: WantedLatest,
  { owner, findReason }: Deciding,
): Promise<ConditionsPreview> {
  const decided = await mapLatest(ctx, wanted, (each) => ({ each, reason: findReason(each) }));
  const isShown = (fires: boolean) =>
    decided.filter(({ reason }) => (reason === null) === fires).slice(0, EXAMPLES_EACH);
  const shown = [...isShown(true), ...isShown(false)].toSorted(
    (one, other) => other.each.event.seq - one.each.event.seq,
  );
  return {
    events: decided.length,
    fired: decided.filter(({ reason }) => reason === null).length,
    examples: shown.map(({ each: { event, payload }, reason }): PreviewExample => {
      const { type, sourceId, acceptedAtMs, about } = event;
      const why = reason === null ? "" : explainNotSent(reason, { payload, owner, steps: createSteps() });
      return { type, sourceId, acceptedAtMs, about, fires: reason === null, why };
    }),
  };
}

const getAlertFields: Handler<"GET /alerts/fields"> = async (ctx, { session: { accountId } }) =>
  await listFields(ctx, ok({ accountId, types: ctx.accounts.types.of("alert") }));

const getAssistantFields: Handler<"GET /assistants/:id/fields"> = async (ctx, { session, params }) =>
  await listFields(ctx, await findWanted(ctx, session, params.id));

const getTypeFields: Handler<"GET /event-types/:type/fields"> = async (ctx, { session, params }) =>
  await listFields(ctx, findType(ctx, session, params.type), { withChoices: true });

/** Of the types that the address names, or of all. */
const getWebhookFields: Handler<"GET /webhooks/fields"> = async (ctx, { session: { accountId }, query }) => {
  const names = query.types?.split(",");
  const types = ctx.accounts.types.all.filter(({ type }) => names === undefined || names.includes(type));
  return await listFields(ctx, ok({ accountId, types }));
};

async function listFields(
  ctx: DashboardContext,
  wanted: Result<WantedLatest>,
  { withChoices = false } = {},
): Promise<Result<ConditionFields>> {
  if (!wanted.ok) return wanted;
  const fields = listConditionFields(wanted.value.types);
  const suggested = createSuggestions(withChoices ? fields : fields.map(withoutChoices));
  await mapLatest(ctx, wanted.value, ({ payload }) => suggested.add(payload));
  return ok({ fields: suggested.list() });
}

function findType(ctx: DashboardContext, { accountId }: Session, name: string): Result<WantedLatest> {
  const type = ctx.accounts.types.find(name);
  return type === undefined ? refuse(ctx.accounts.types.refuse(name)) : ok({ accountId, types: [type] });
}

/** The assistant's own events; `assistant_not_found` also for those of others. */
export async function findWanted(ctx: DashboardContext, session: Session, id: string): Promise<Result<WantedLatest>> {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  if (!view.value.assistants.has(id)) return refuse(assistantMissing(id));
  return ok({ accountId: session.accountId, types: ctx.accounts.types.of("assistant"), assistantId: id });
}

export const conditionHandlers = {
  "GET /alerts/fields": getAlertFields,
  "POST /alerts/preview": previewAlert,
  "GET /assistants/:id/fields": getAssistantFields,
  "POST /assistants/:id/preview": previewAssistant,
  "GET /webhooks/fields": getWebhookFields,
  "GET /event-types/:type/fields": getTypeFields,
  "POST /event-types/:type/preview": previewType,
} satisfies Handlers;

/*
 * The fields that a form suggests for conditions: those of the payload, and the account's own below `utm_params` and
 * `extracted_variables` as its latest events have them, each with values that it had. Pure.
 */

/** Guesses: more than people look through. */
const OWN_FIELDS_MAX = 100;
const VALUES_MAX = 8;
/** A value of this length is no choice, but a text. */
const VALUE_CHARS_MAX = 60;
/** Of a value that is counted (measured: 0.3 µs, and its part of the sorting). */
const SEEN_STEPS = 256;

/** The forms of alerts and assistants suggest what was seen and nothing else. */
const withoutChoices = (field: ConditionField): ConditionField => ({ ...field, choices: [] });

function createSuggestions(fields: readonly ConditionField[]) {
  const fixed = new Set(fields.map(({ path }) => path));
  /** Names below an open field, or in an open list's items, that no schema knows: by the field's path. */
  const own = new Map<string, Set<string>>();
  /** How often each value was seen, by path. */
  const counts = new Map<string, Map<string, number>>();

  function findOwn(path: string, payload: Payload, steps: Steps): Set<string> {
    const names = own.getOrInsertComputed(path, () => new Set());
    for (const each of findMembers(payload, path, steps)) {
      for (const object of Array.isArray(each) ? each : [each]) {
        if (names.size >= OWN_FIELDS_MAX || !steps.take(SEEN_STEPS)) return names;
        for (const name of Object.keys(asMembers(object)).slice(0, OWN_FIELDS_MAX)) {
          const ownPath = `${path}${Array.isArray(each) ? "[]" : ""}.${name}`;
          if (names.size < OWN_FIELDS_MAX && !fixed.has(ownPath)) names.add(ownPath);
        }
      }
    }
    return names;
  }

  function count(path: string, payload: Payload, steps: Steps): void {
    const seen = counts.getOrInsertComputed(path, () => new Map());
    for (const value of findMembers(payload, path, steps).flat()) {
      if (!steps.take(SEEN_STEPS)) return;
      const text = toChoice(value);
      if (text !== null) seen.set(text, (seen.get(text) ?? 0) + 1);
    }
  }

  function listSeen(path: string): string[] {
    const frequent = [...(counts.get(path) ?? [])].toSorted(([, one], [, other]) => other - one);
    return frequent.slice(0, VALUES_MAX).map(([text]) => text);
  }

  return {
    /** Of each payload no more is looked at than conditions may look at. */
    add(payload: Payload): void {
      const steps = createSteps();
      for (const { path, isOpen } of fields) {
        count(path, payload, steps);
        if (isOpen) for (const ownPath of findOwn(path, payload, steps)) count(ownPath, payload, steps);
      }
    },
    list: (): ConditionFieldView[] =>
      fields.flatMap(({ path, description: about, isOpen, choices }) => {
        const values = choices.flatMap((choice) => toChoice(choice) ?? []);
        const names = [...(own.get(path) ?? [])].toSorted((one, other) => one.localeCompare(other, "en"));
        return [
          { path, about, isOpen, seen: [...new Set([...listSeen(path), ...values])] },
          ...names.map((name) => ({ path: name, about: "", isOpen: false, seen: listSeen(name) })),
        ];
      }),
  };
}

function toChoice(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return writtenNumber(value) ?? null;
  const text = value.trim();
  return text === "" || text.length > VALUE_CHARS_MAX || /\p{Cc}/u.test(text) ? null : text;
}
