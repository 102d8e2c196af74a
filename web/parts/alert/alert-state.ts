/** Alerts in words: what a form sends, what state one is in, and whom it is for. Pure. */
import type { AlertDetail, AlertForm, AlertSummary } from "../../../src/dashboard/contract/alerts.ts";
import {
  type ConditionsDraft,
  conditionsField,
  sendsConditions,
  toConditionsDraft,
  toConditionsForm,
} from "../conditions/draft.ts";
import { type FormField, LINE, propertyField } from "../form-fields.ts";
import { listWebhookParts } from "../webhook/webhook-parts.ts";
import { sends, toDraft, toForm, type WebhookDraft } from "../webhook/draft.ts";

export interface AlertState {
  readonly name: string;
  readonly audience: AlertForm["audience"];
  readonly demos: readonly string[];
  readonly intentLevels: readonly string[];
  readonly conditions: ConditionsDraft;
  readonly webhooksOn: boolean;
  readonly webhook: WebhookDraft;
}

/** `null` is an alert that was never saved: it is for a webhook, where the plan has them. */
export function toState(saved: AlertDetail | null, isGated: boolean): AlertState {
  return {
    name: saved?.name ?? "",
    audience: saved?.audience ?? "all",
    demos: saved?.demos ?? [],
    intentLevels: saved?.intentLevels ?? [],
    conditions: toConditionsDraft(saved?.conditions ?? null),
    webhooksOn: saved?.webhooksOn ?? !isGated,
    webhook: toDraft(saved?.webhook ?? null),
  };
}

/** Two states are the same when they would send the same. */
export function sendsAlert({ webhook, conditions, ...rest }: AlertState): string {
  return JSON.stringify([{ ...rest, name: rest.name.trim() }, sendsConditions(conditions), sends(webhook)]);
}

export function listAlertFields(drafts: readonly AlertState[]): readonly FormField<AlertState>[] {
  return [
    propertyField<AlertState, "name">("name", "Name", LINE),
    propertyField<AlertState, "audience">("audience", "Send when", {
      show: (audience) => AUDIENCES.find(({ value }) => value === audience)?.label ?? audience,
    }),
    propertyField<AlertState, "demos">("demos", "Demos", listed("Every demo")),
    propertyField<AlertState, "intentLevels">("intentLevels", "Intent levels", listed("Every level")),
    propertyField<AlertState, "conditions">("conditions", "More conditions", conditionsField),
    propertyField<AlertState, "webhooksOn">("webhooksOn", "Webhooks", { show: (isOn) => (isOn ? "On" : "Off") }),
    ...listWebhookParts(drafts),
  ];
}

const listed = (none: string) => ({ show: (words: readonly string[]) => words.join(", ") || none });

/**
 * The body of a Save. The webhook goes along only where it was changed and may be: on a plan without webhooks the saved
 * one stays, and a form in which no URL was ever entered has none to send.
 */
export function toBody(state: AlertState, saved: AlertDetail | null, isGated: boolean): AlertForm {
  const { name, audience, demos, intentLevels, conditions, webhooksOn, webhook } = state;
  const isUntouched = sends(webhook) === sends(toDraft(saved?.webhook ?? null));
  const isLeft = isGated || isUntouched || (!webhooksOn && webhook.url.trim() === "");
  return {
    name: name.trim(),
    audience,
    demos,
    intentLevels,
    conditions: toConditionsForm(conditions),
    webhooksOn: isGated ? (saved?.webhooksOn ?? false) : webhooksOn,
    webhook: isLeft ? null : toForm(webhook).form,
  };
}

/* The word for an alert that sends nothing. Pure. */

/** `null` when it sends, and its destination's health is the word to say. */
export function idleWord({ webhooksOn, destination }: AlertSummary, isGated: boolean): string | null {
  if (destination === null) return "No webhook";
  if (!webhooksOn) return "Webhooks off";
  return isGated ? "Paused by the plan" : null;
}

/* Which sessions fire an alert, for the form's choices. */

export const AUDIENCES: readonly {
  readonly value: AlertSummary["audience"];
  readonly label: string;
  readonly help: string;
}[] = [
  { value: "all", label: "All sessions", help: "Every session that somebody has finished, known or not." },
  { value: "known_lead", label: "Known leads", help: "Only when the visitor is a lead with an e-mail address." },
  {
    value: "known_lead_or_company",
    label: "Known leads or companies",
    help: "When the visitor is a known lead, or their company is known.",
  },
];

/** Whether it is sent for some sessions only. */
export const isNarrowed = ({ audience, demos, intentLevels, conditions }: AlertState): boolean =>
  audience !== "all" || demos.length + intentLevels.length + conditions.rows.length > 0;
