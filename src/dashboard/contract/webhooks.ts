/** Settings → Webhooks: webhooks of their own, each with the event types that it wants. */
import type { Webhook } from "../../domain/webhook.ts";
import type { FormOf } from "../../domain/form.ts";
import type { ownWebhookForm } from "../forms/bodies.ts";
import type { SavedWebhook } from "./alerts.ts";
import type { DestinationView, PullTokenAnswer } from "./destinations.ts";

export interface WebhookSummary extends Webhook {
  readonly destination: DestinationView | null;
}

export interface WebhookList {
  readonly webhooks: readonly WebhookSummary[];
}

export interface WebhookDetail extends WebhookSummary, SavedWebhook {}

export interface TrialWebhook extends PullTokenAnswer {
  readonly id: string;
  readonly endsAtMs: number;
}

export type SaveWebhookBody = FormOf<typeof ownWebhookForm>;
