/** Settings → Webhooks: webhooks of their own, each with the event types that it wants. */
import type { Webhook } from "../../domain/webhook.ts";
import type { ConditionsForm } from "./conditions.ts";
import type { SavedWebhook } from "./alerts.ts";
import type { DestinationView, WebhookForm } from "./destinations.ts";

export interface WebhookSummary extends Webhook {
  readonly destination: DestinationView | null;
}

export interface WebhookList {
  readonly webhooks: readonly WebhookSummary[];
}

export interface WebhookDetail extends WebhookSummary, SavedWebhook {}

export interface SaveWebhookBody {
  readonly name: string;
  /** `all`: every type, also one that is declared later. */
  readonly events: "all" | readonly WantedTypeForm[];
  readonly webhook: WebhookForm;
}

export interface WantedTypeForm {
  readonly type: string;
  /** Left out, those that are saved stay. */
  readonly conditions?: ConditionsForm | null;
}

export interface TestWebhookBody {
  readonly webhook: WebhookForm;
  /** The type whose sample is sent. */
  readonly type: string;
  /** The exact body to send in its place. Must be valid JSON of an object. */
  readonly body?: string;
}
