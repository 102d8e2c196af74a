/** Settings → Webhooks: webhooks of their own, each with the event types that it wants. */
import type { WantedEvents } from "../../domain/webhook.ts";
import type { ConditionsForm } from "./conditions.ts";
import type { DestinationView, WebhookForm, WebhookSettings } from "./destinations.ts";

export interface WebhookSummary {
  readonly id: string;
  readonly name: string;
  readonly events: WantedEvents;
  readonly destination: DestinationView | null;
}

export interface WebhookList {
  readonly webhooks: readonly WebhookSummary[];
}

export interface WebhookDetail extends WebhookSummary {
  /** Goes back in `If-Match`. */
  readonly revision: number;
  readonly webhook: WebhookSettings | null;
  /** Who saved it last, and when. */
  readonly changed: { readonly by: string; readonly atMs: number } | null;
}

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
