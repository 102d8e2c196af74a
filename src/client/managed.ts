/** What programs that manage ask and are answered. Written by `npm run docs` from src/programs and src/pull. */
import type { ShownAnswer, ShownTimings } from "./shown.ts";

export interface ShownManaged {
  /** The id that a program gave it; null where a person made it. */
  id: string | null;
  /** Its id in lists and deliveries, which names it here too; null while it is not made. */
  webhook_id: string | null;
  /** `bellwire apply` has made it, so its `--prune` may take it away. */
  is_applied: boolean;
  state: "on" | "paused" | "off";
  /** For `If-Match`, as the header `ETag` has it; null while it is not made. */
  etag: string | null;
  /** Of a webhook of its own, of a demo alert, or of a chat assistant. What is left out is as it is in a form that nobody touched. A secret value is null in answers; null in a call keeps it. */
  settings: WebhookSettings;
}

export interface ShownPut {
  /** The id that a program gave it; null where a person made it. */
  id: string | null;
  /** Its id in lists and deliveries, which names it here too; null while it is not made. */
  webhook_id: string | null;
  /** `bellwire apply` has made it, so its `--prune` may take it away. */
  is_applied: boolean;
  state: "on" | "paused" | "off";
  /** For `If-Match`, as the header `ETag` has it; null while it is not made. */
  etag: string | null;
  /** Of a webhook of its own, of a demo alert, or of a chat assistant. What is left out is as it is in a form that nobody touched. A secret value is null in answers; null in a call keeps it. */
  settings: WebhookSettings;
  /** With `dry_run`, what it would be. */
  outcome: "created" | "changed" | "unchanged";
  /** The fields that differ from what was saved. */
  changed: string[];
}

export interface ShownWebhookIds {
  webhooks: {
    /** The id that a program gave it. */
    id: string;
    webhook_id: string;
    kind: "alert" | "assistant" | "webhook";
    /** Its owner's. */
    name: string;
    /** `bellwire apply` has made it, so its `--prune` may take it away. */
    is_applied: boolean;
    etag: string;
  }[];
}

export interface ShownTest {
  delivery_id: string;
  /** Null where none came. */
  answer: ShownAnswer | null;
  class: string;
  /** `503 Service Unavailable`, `Timed out`, … */
  status: string;
  /** What happened, in words. */
  sentence: string;
  /** What to do; empty when there is nothing. */
  advice: string;
  /** The technical words behind the sentence; empty when there are none. */
  technical: string;
  /** The step that was under way at the deadline. */
  phase: string | null;
  /** The address that was connected to. */
  address: string | null;
  timings: ShownTimings;
  /** As sent; secret values are masked. */
  request: {
    url: string;
    headers: {
      [name: string]: string;
    };
    body: string;
  };
}

export interface ShownPullToken {
  /** With which a program asks at `/pull`. Shown this once. */
  token: string;
}

/** Of a webhook of its own, of a demo alert, or of a chat assistant. What is left out is as it is in a form that nobody touched. A secret value is null in answers; null in a call keeps it. */
export type WebhookSettings = {
  readonly kind: "webhook";
  readonly name: string;
  readonly events: "all" | readonly {
    readonly type: string;
    readonly conditions?: WebhookConditions | null | undefined;
  }[];
  readonly webhook: WebhookForm;
} | {
  readonly kind: "alert";
  readonly name: string;
  readonly audience?: "all" | "known_lead" | "known_lead_or_company" | undefined;
  readonly demos?: readonly string[] | undefined;
  readonly intent_levels?: readonly string[] | undefined;
  readonly conditions?: WebhookConditions | null | undefined;
  readonly webhooks_on?: boolean | undefined;
  readonly webhook: WebhookForm;
} | {
  readonly kind: "assistant";
  /** The product's own id of the chat assistant. */
  readonly assistant_id: string;
  readonly webhook: WebhookForm;
  readonly conditions?: WebhookConditions | null | undefined;
};

export interface WebhookForm {
  readonly url: string;
  readonly headers?: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly secret: boolean;
  }[] | undefined;
  readonly authentication?: {
    readonly oauth: {
      readonly token_url: string;
      readonly client_id: string;
      readonly client_secret: string | null;
      readonly scope: string;
      readonly audience: string;
      readonly client_authentication: "basic" | "post";
    } | null;
    readonly certificate: {
      readonly chain: string;
      readonly key: string | null;
    } | null;
  } | null | undefined;
  readonly rate_per_second?: number | null | undefined;
  readonly one_at_a_time?: boolean | undefined;
  readonly body?: "event" | "slack" | "teams" | "discord" | "google_chat" | "template" | undefined;
  readonly template?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
}

export interface WebhookConditions {
  readonly join: "all" | "any";
  readonly list: readonly {
    readonly field: string;
    readonly operator: "is" | "is_not" | "contains" | "contains_not" | "begins_with" | "begins_not" | "at_least" | "at_most" | "one_of" | "none_of" | "known" | "not_known";
    readonly value?: string | undefined;
    readonly values?: readonly string[] | undefined;
  }[];
}

export interface WebhookState {
  readonly state: "on" | "paused";
  readonly backlog?: "send" | "cancel" | undefined;
}
