/** A demo alert while somebody edits it. Pure: from what is saved, to what is sent. */
import type { AlertDetail, AlertForm } from "../../../src/dashboard/contract/alerts.ts";
import { type ConditionsDraft, sendsConditions, toConditionsDraft, toConditionsForm } from "../conditions/draft.ts";
import { type WebhookDraft, toDraft, toForm, sends } from "../webhook/draft.ts";

export interface AlertState {
  readonly name: string;
  readonly audience: AlertForm["audience"];
  readonly demos: readonly string[];
  readonly intentLevels: readonly string[];
  readonly conditions: ConditionsDraft;
  readonly webhooksOn: boolean;
  readonly webhook: WebhookDraft;
}

/** `null` is an alert that was never saved. */
export function toState(saved: AlertDetail | null): AlertState {
  return {
    name: saved?.name ?? "",
    audience: saved?.audience ?? "all",
    demos: saved?.demos ?? [],
    intentLevels: saved?.intentLevels ?? [],
    conditions: toConditionsDraft(saved?.conditions ?? null),
    webhooksOn: saved?.webhooksOn ?? false,
    webhook: toDraft(saved?.webhook ?? null),
  };
}

/** Two states are the same when they would send the same. */
export function sendsAlert({ webhook, conditions, ...rest }: AlertState): string {
  return JSON.stringify([{ ...rest, name: rest.name.trim() }, sendsConditions(conditions), sends(webhook)]);
}

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
