/** A webhook of its own while somebody edits it: the event types that it wants, in the form and in words. Pure. */
import { isGroup, isInGroup } from "../../../src/domain/event.ts";
import type { EventTypeWords } from "../../../src/dashboard/contract/session.ts";
import type { SaveWebhookBody, WebhookDetail, WebhookSummary } from "../../../src/dashboard/contract/webhooks.ts";
import {
  checkConditions,
  conditionsField,
  type ConditionsDraft,
  sendsConditions,
  toConditionsDraft,
  toConditionsForm,
} from "../conditions/draft.ts";
import { type FormField, LINE, propertyField } from "../form-fields.ts";
import type { FieldErrors } from "../field-errors.ts";
import { listWebhookParts } from "../webhook/webhook-parts.ts";
import { sends, toDraft, toForm, type WebhookDraft } from "../webhook/draft.ts";

export interface WantedDraft {
  readonly type: string;
  readonly conditions: ConditionsDraft;
}

export interface WebhookState {
  readonly name: string;
  readonly wantsAll: boolean;
  /** The chosen types; they stay while all are wanted. */
  readonly wanted: readonly WantedDraft[];
  readonly webhook: WebhookDraft;
  /** The type that a test sends; `null` until somebody chooses one. Belongs to no stored value. */
  readonly tested: string | null;
}

export function toState(saved: WebhookDetail | null, before: WebhookState | null): WebhookState {
  const events = saved?.events ?? [];
  return {
    name: saved?.name ?? "",
    wantsAll: events === "all",
    wanted: events === "all" ? [] : events.map(({ type, conditions }) => wantType(type, conditions)),
    webhook: toDraft(saved?.webhook ?? null),
    tested: before?.tested ?? null,
  };
}

export const wantType = (type: string, conditions: Parameters<typeof toConditionsDraft>[0] = null): WantedDraft => ({
  type,
  conditions: toConditionsDraft(conditions),
});

/** Two states are the same when they would send the same. */
export function sendsWebhook({ name, wantsAll, wanted, webhook }: WebhookState): string {
  const events = wantsAll ? "all" : wanted.map(({ type, conditions }) => [type, sendsConditions(conditions)]);
  return JSON.stringify([name.trim(), events, sends(webhook)]);
}

/** Each event type is a field of its own, so two people may add different ones. */
export function listWebhookFields(drafts: readonly WebhookState[]): readonly FormField<WebhookState>[] {
  const types = new Set(drafts.flatMap(({ wanted }) => wanted.map(({ type }) => type)));
  return [
    propertyField<WebhookState, "name">("name", "Name", LINE),
    propertyField<WebhookState, "wantsAll">("wantsAll", "All events", { show: (isOn) => (isOn ? "Yes" : "No") }),
    ...Array.from(types, wantedField),
    ...listWebhookParts(drafts),
  ];
}

function wantedField(type: string): FormField<WebhookState> {
  const find = ({ wanted }: WebhookState) => wanted.find((each) => each.type === type);
  return {
    key: `event ${type}`,
    label: `Event ${type}`,
    sends(state) {
      const wanted = find(state);
      return wanted === undefined ? "" : sendsConditions(wanted.conditions);
    },
    show(state) {
      const wanted = find(state);
      return wanted === undefined ? "Not sent" : `Sent; conditions: ${conditionsField.show(wanted.conditions)}`;
    },
    take(into, from) {
      const [before, after] = [find(into), find(from)];
      const others = into.wanted.filter((each) => each !== before);
      if (after === undefined) return { ...into, wanted: others };
      if (before === undefined) return { ...into, wanted: [...into.wanted, after] };
      return { ...into, wanted: into.wanted.with(into.wanted.indexOf(before), after) };
    },
  };
}

export function toBody({ name, wantsAll, wanted, webhook }: WebhookState): SaveWebhookBody {
  return {
    name: name.trim(),
    events: wantsAll
      ? "all"
      : wanted.map(({ type, conditions }) => ({ type, conditions: toConditionsForm(conditions) })),
    webhook: toForm(webhook).form,
  };
}

/* What is wrong with the chosen types; the errors of one type's conditions stand under its place in the body. */

export function checkWanted({ wantsAll, wanted }: WebhookState): FieldErrors {
  if (wantsAll) return {};
  if (wanted.length === 0) return { events: "Choose at least one event type, or all events." };
  return Object.fromEntries(
    wanted.flatMap(({ conditions }, place) =>
      Object.entries(checkConditions(conditions)).map(([key, error]) => [inWanted(place, key), error]),
    ),
  );
}

/** As the service's paths become keys (`../webhook/refusals.ts`). */
export const inWanted = (place: number, key: string): string => `events[${place}].${key}`;

/** Those of one type, by the keys that its conditions know. */
export function errorsInWanted(errors: FieldErrors, place: number): FieldErrors {
  const start = inWanted(place, "");
  const own = Object.entries(errors).filter(([key]) => key.startsWith(start));
  return Object.fromEntries(own.map(([key, error]) => [key.slice(start.length), error]));
}

/* The types by what can be done with them, and in words. */

type Types = readonly EventTypeWords[];

/** Those whose sample a test can send: the wanted ones, or any while none of them can be sent. */
export function listTestable({ wantsAll, wanted }: WebhookState, types: Types): Types {
  const sent = types.filter(({ planGate }) => planGate === null);
  const chosen = [...new Set(wanted.flatMap((each) => sent.filter(({ type }) => meets(each, type))))];
  return wantsAll || chosen.length === 0 ? sent : chosen;
}

/** Those whose events a body is shown on; before any is chosen, all. A group is its types of now. */
export const findWantedTypes = ({ wantsAll, wanted }: WebhookState, types: Types): readonly string[] | "all" =>
  wantsAll || wanted.length === 0 ? "all" : wanted.flatMap((each) => listMet(each, types));

const meets = (wanted: { readonly type: string }, type: string): boolean =>
  wanted.type === type || isInGroup(type, wanted.type);

const listMet = (wanted: WantedDraft, types: Types): readonly string[] =>
  isGroup(wanted.type) ? types.flatMap(({ type }) => (meets(wanted, type) ? [type] : [])) : [wanted.type];

/** Every word typed is in its title, its name or its description. */
export function findTypes(types: Types, typed: string): Types {
  const words = typed.toLowerCase().split(/\s+/);
  return types.filter(({ title, type, hint }) => {
    const text = `${title} ${type} ${hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** `null` when it sends, and its destination's health is the word to say. */
export function idleWord({ events }: WebhookSummary, types: Types): string | null {
  if (events === "all") return null;
  const declared = types.filter(({ type }) => events.some((wanted) => meets(wanted, type)));
  if (declared.length === 0) return "Events not declared";
  return declared.every(({ planGate }) => planGate !== null) ? "Paused by the plan" : null;
}
