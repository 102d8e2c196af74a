/**
 * The manage routes, each said once, as the read routes are (`../routes.ts`). They are registered only where the
 * operator has opened managing (`BELLWIRE_MANAGEMENT`): the specification has no calls that manage webhooks (its §4),
 * so a default installation has none of these addresses, and no document has a word of them.
 */
import Type, { type TSchema } from "typebox";
import { CLOSED } from "../../domain/form.ts";
import type { ProblemCode } from "../../domain/problem.ts";
import { destinationStateForm } from "../../dashboard/forms/bodies.ts";
import type { ProgramRow } from "../routes.ts";
import * as answers from "./answers.ts";
import { settingsForm } from "./forms.ts";

export interface ManageRow extends ProgramRow {
  /** Left out where the answer has no body (204). */
  readonly answer?: TSchema;
  readonly body?: TSchema;
  /** Takes `If-Match`. */
  readonly ifMatch?: true;
  readonly example: {
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly answer?: unknown;
  };
}

const flag = (description: string) => Type.Optional(Type.Enum(["0", "1"], { description }));

const putQuery = Type.Object(
  {
    dry_run: flag("`1` answers what would be done, or the same refusal, and saves nothing."),
    applied: flag("`1` notes of a webhook that is made now that `bellwire apply` made it."),
  },
  CLOSED,
);

/** As `head` in the list of webhooks has it, so that a repeat skips no other one. */
export const skipBody = Type.Object(
  { delivery_id: Type.String({ maxLength: 128, description: "The delivery that holds the others." }) },
  CLOSED,
);

/** What reading a body may refuse. */
const BODY_REFUSALS = [
  "invalid_json",
  "invalid_form",
  "unsupported_media_type",
  "body_too_large",
] as const satisfies ProblemCode[];

/** What a form's check may refuse. */
const FORM_REFUSALS = [
  ...BODY_REFUSALS,
  "invalid_webhook_url",
  "invalid_custom_headers",
  "invalid_authentication",
  "invalid_conditions",
  "invalid_event_types",
  "invalid_rate_limit",
  "invalid_body",
  "plan_too_low",
  "alert_limit_reached",
  "webhook_limit_reached",
  "assistant_not_found",
  "older_nodes",
  "edited_meanwhile",
  "precondition_failed",
] as const satisfies ProblemCode[];

const FOUND = ["invalid_parameter", "account_not_found", "webhook_not_found"] as const satisfies ProblemCode[];

/** The same of a call that changes something. */
const CHANGED = [...FOUND, "account_suspended"] as const satisfies ProblemCode[];

export const MANAGE_ROUTES = {
  "GET /v1/accounts/:account_id/webhook-ids": {
    operationId: "listWebhookIds",
    summary: "List the webhooks that programs made",
    opensFor: "account",
    answer: answers.idsAnswer,
    refusals: ["invalid_parameter", "account_not_found"],
    example: { answer: answers.idsExample },
  },
  "GET /v1/accounts/:account_id/webhooks/:webhook_id": {
    operationId: "getWebhook",
    summary: "Show a webhook's settings",
    description: "By the id that a program gave it, or its own. Its `settings` can be put again: secrets stay.",
    opensFor: "account",
    answer: answers.managedAnswer,
    refusals: FOUND,
    example: { answer: answers.managedExample },
  },
  "PUT /v1/accounts/:account_id/webhooks/:webhook_id": {
    operationId: "putWebhook",
    summary: "Make or change a webhook, under an id of yours",
    description:
      "The same call twice changes nothing the second time. With `If-Match` only what you have seen is changed, with " +
      "`If-None-Match: *` only one is made. A webhook that a person made is put by its own id.",
    opensFor: "account",
    ifMatch: true,
    query: putQuery,
    body: settingsForm,
    answer: answers.putAnswer,
    refusals: [...FOUND, ...FORM_REFUSALS],
    example: { query: { dry_run: "0" }, body: answers.settingsExample, answer: answers.putExample },
  },
  "DELETE /v1/accounts/:account_id/webhooks/:webhook_id": {
    operationId: "deleteWebhook",
    summary: "Delete a webhook",
    description: "With its alert, if it is one's. What waits for it is cancelled.",
    opensFor: "account",
    ifMatch: true,
    refusals: [...CHANGED, "edited_meanwhile", "precondition_failed"],
    example: {},
  },
  "PUT /v1/accounts/:account_id/webhooks/:webhook_id/state": {
    operationId: "setWebhookState",
    summary: "Pause a webhook or turn it on",
    description: "Turning on sends what waited, or cancels it.",
    opensFor: "account",
    body: destinationStateForm,
    refusals: [...CHANGED, ...BODY_REFUSALS],
    example: { body: { state: "on", backlog: "send" } },
  },
  "POST /v1/accounts/:account_id/webhooks/:webhook_id/skip": {
    operationId: "skipDelivery",
    summary: "Skip the delivery that holds a webhook that gets one at a time",
    description:
      "It is cancelled, and the next one goes out. Where another one holds the webhook by now, nothing is skipped.",
    opensFor: "account",
    body: skipBody,
    refusals: [...CHANGED, ...BODY_REFUSALS, "destination_not_found", "not_skippable"],
    example: { body: { delivery_id: "dlv_06f1x9s3k0a1b2c3d4e5f6g7h8" } },
  },
  "POST /v1/accounts/:account_id/webhooks/:webhook_id/test": {
    operationId: "testWebhook",
    summary: "Send a test now",
    description: "With the saved settings. A success is a 2xx that this service has received, and nothing else.",
    opensFor: "account",
    answer: answers.testAnswer,
    refusals: [...CHANGED, "destination_not_on", "unknown_event_type", "plan_too_low", "too_many_tests"],
    example: { answer: answers.testExample },
  },
  "POST /v1/accounts/:account_id/webhooks/:webhook_id/pull-token": {
    operationId: "makePullToken",
    summary: "Make the token of a webhook that is asked",
    description: "The one before ends at once. A webhook is asked when its URL is `pull:`.",
    opensFor: "account",
    answer: answers.tokenAnswer,
    refusals: [...CHANGED, "destination_not_found"],
    example: { answer: answers.tokenExample },
  },
  "POST /v1/accounts/:account_id/deliveries/:delivery_id/resend": {
    operationId: "resendDelivery",
    summary: "Send a delivery again",
    description: "One that has ended is sent again, one that waits goes now.",
    opensFor: "account",
    refusals: ["invalid_parameter", "account_not_found", "account_suspended", "delivery_not_found", "not_resendable"],
    example: {},
  },
} as const satisfies Readonly<Record<string, ManageRow>>;

export type ManageRouteName = keyof typeof MANAGE_ROUTES;

export const manageRoutes = Object.entries(MANAGE_ROUTES) as readonly (readonly [ManageRouteName, ManageRow])[];
