/** Settings → Alerts and the chat assistants' Integrations tab. */
import type { DemoAlert } from "../../domain/alert.ts";
import type { Conditions } from "../../domain/conditions.ts";
import type { FormOf } from "../../domain/form.ts";
import type { alertForm } from "../forms/bodies.ts";
import type { DestinationView, WebhookSettings } from "./destinations.ts";
import type { ExplainedOutcome } from "./outcomes.ts";

export interface AlertSummary extends DemoAlert {
  readonly destination: DestinationView | null;
}

export interface AlertList {
  readonly alerts: readonly AlertSummary[];
}

/** A saved owner of a webhook, beside its own fields. */
export interface SavedWebhook {
  /** Goes back in `If-Match`. */
  readonly revision: number;
  readonly webhook: WebhookSettings | null;
  /** Who saved it last, and when. */
  readonly changed: { readonly by: string; readonly atMs: number } | null;
}

export interface AlertDetail extends AlertSummary, SavedWebhook {}

export type AlertForm = FormOf<typeof alertForm>;

export interface SavedAnswer {
  readonly id: string;
  readonly revision: number;
}

/** Suggestions for the form, from the account's latest sessions. */
export type AlertSuggestions = Pick<DemoAlert, "demos" | "intentLevels">;

export interface AssistantSummary {
  readonly id: string;
  readonly name: string;
  readonly destination: DestinationView | null;
}

export interface AssistantList {
  readonly assistants: readonly AssistantSummary[];
}

export interface AssistantDetail extends AssistantSummary, SavedWebhook {
  /** Which conversations the webhook wants; `null` for all. */
  readonly conditions: Conditions | null;
}

/** The body that a test will send unless it is edited. */
export interface SampleBody {
  readonly body: string;
  /** Built from this account's latest conversation or session, or the built-in sample. */
  readonly from: "latest" | "built_in";
}

/** The result of a test. It is a success only with a 2xx that the server received. */
export interface TestAnswer {
  readonly deliveryId: string;
  readonly atMs: number;
  readonly outcome: ExplainedOutcome;
  readonly request: {
    readonly url: string;
    /** As sent, secret values masked. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}
