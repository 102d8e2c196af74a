/**
 * Refusals to a caller, as RFC 9457 problem documents. The `code` is stable and meant for programs; the words may
 * improve. One table maps each code to its HTTP status and title.
 */
import type { Result as ResultOf } from "../lib/result.ts";

export const PROBLEMS = {
  invalid_json: { status: 400, title: "The body is not valid JSON" },
  invalid_record: { status: 422, title: "The record has fields that cannot be accepted" },
  invalid_parameter: { status: 400, title: "A part of the address cannot be accepted" },
  unauthorized: { status: 401, title: "The key is missing or wrong" },
  too_many_bad_keys: { status: 429, title: "Too many requests with a wrong key" },
  key_not_allowed: { status: 403, title: "The key does not open this" },
  too_many_reads: { status: 429, title: "The key reads too much at once" },
  read_key_not_found: { status: 404, title: "There is no such key" },
  read_key_limit_reached: { status: 422, title: "There are as many keys as there can be" },
  event_not_found: { status: 404, title: "There is no such event" },
  precondition_failed: { status: 412, title: "The webhook is not as the call has seen it" },
  not_signed_in: { status: 401, title: "Not signed in" },
  forward_gone: { status: 410, title: "Forwarding has gone" },
  not_allowed: { status: 403, title: "This person may not do that" },
  foreign_origin: { status: 403, title: "The call did not come from the dashboard's own page" },
  link_unknown: { status: 404, title: "There is no such sign-in link" },
  link_used: { status: 410, title: "The sign-in link has been used" },
  link_expired: { status: 410, title: "The sign-in link has expired" },
  too_many_bad_links: { status: 429, title: "Too many sign-in links that do not exist" },
  pull_token_unknown: { status: 401, title: "No webhook is asked with this token" },
  too_many_bad_tokens: { status: 429, title: "Too many requests with a token that no webhook has" },
  too_many_pulls: { status: 429, title: "Too many questions wait with this token" },
  pull_claim_lost: { status: 409, title: "The claim holds nothing" },
  too_many_streams: { status: 429, title: "Too many live streams" },
  invalid_form: { status: 422, title: "There are fields that cannot be accepted" },
  revision_missing: { status: 428, title: "The call does not say which revision it changes" },
  unknown_event_type: { status: 404, title: "There is no such event type" },
  account_not_found: { status: 404, title: "There is no such account" },
  account_suspended: { status: 403, title: "The account is suspended" },
  account_deleted: { status: 410, title: "The account was deleted" },
  not_found: { status: 404, title: "There is nothing at this address" },
  method_not_allowed: { status: 405, title: "This address does not take this method" },
  unsupported_media_type: { status: 415, title: "The content type is not supported" },
  body_too_large: { status: 413, title: "The body is too large" },
  batch_too_large: { status: 413, title: "The batch has too many records" },
  headers_too_large: { status: 431, title: "The request's headers are too large" },
  request_timeout: { status: 408, title: "The request did not end in time" },
  invalid_request: { status: 400, title: "The request cannot be read" },
  invalid_webhook_url: { status: 422, title: "The Webhook URL cannot be used" },
  invalid_custom_headers: { status: 422, title: "The custom headers cannot be used" },
  invalid_authentication: { status: 422, title: "The authentication cannot be used" },
  invalid_conditions: { status: 422, title: "The conditions cannot be used" },
  invalid_rate_limit: { status: 422, title: "The rate limit cannot be used" },
  invalid_body: { status: 422, title: "The body cannot be used" },
  plan_too_low: { status: 403, title: "The account's plan does not include this" },
  alert_limit_reached: { status: 422, title: "The account has as many alerts as it can have" },
  alert_not_found: { status: 404, title: "There is no such alert" },
  invalid_event_types: { status: 422, title: "The event types cannot be used" },
  webhook_limit_reached: { status: 422, title: "The account has as many webhooks as it can have" },
  webhook_not_found: { status: 404, title: "There is no such webhook" },
  assistant_not_found: { status: 404, title: "There is no such chat assistant" },
  destination_not_found: { status: 404, title: "There is no such destination" },
  destination_not_on: { status: 409, title: "The webhook is paused or off" },
  delivery_not_found: { status: 404, title: "There is no such delivery" },
  session_not_found: { status: 404, title: "There is no such session" },
  replay_not_found: { status: 404, title: "There is no such replay" },
  replay_too_large: { status: 422, title: "The replay would have too many deliveries" },
  not_skippable: { status: 409, title: "The delivery cannot be skipped" },
  not_resendable: { status: 409, title: "The delivery cannot be sent again" },
  rotating_already: { status: 409, title: "A rotation is under way already" },
  not_rotating: { status: 409, title: "Nothing is being rotated" },
  signing_key_not_found: { status: 404, title: "There is no public key" },
  too_many_tests: { status: 429, title: "Too many tests" },
  too_many_checks: { status: 429, title: "Too many checks of a signature" },
  too_many_exports: { status: 429, title: "Too many exports" },
  mail_address_not_found: { status: 404, title: "There is no such e-mail address" },
  mail_address_known: { status: 409, title: "The account has this e-mail address already" },
  mail_address_limit_reached: { status: 422, title: "The account has as many e-mail addresses as it can have" },
  mail_address_stopped: { status: 409, title: "The reader of this address has stopped e-mails" },
  mail_address_confirmed: { status: 409, title: "The e-mail address is confirmed already" },
  too_many_emails: { status: 429, title: "Too many confirmation e-mails" },
  news_channel_not_found: { status: 404, title: "There is no such channel" },
  news_channel_known: { status: 409, title: "The account has a channel of this name already" },
  news_channel_limit_reached: { status: 422, title: "The account has as many channels as it can have" },
  mail_link_unknown: { status: 404, title: "There is no such link" },
  mail_link_used: { status: 410, title: "The link has been used" },
  mail_link_expired: { status: 410, title: "The link has expired" },
  edited_meanwhile: { status: 409, title: "Another person has saved a change" },
  older_nodes: { status: 409, title: "Nodes of an older version are running" },
  store_unavailable: { status: 503, title: "The store cannot take this now" },
  held: { status: 503, title: "This installation is held" },
  shutting_down: { status: 503, title: "This node is stopping" },
  internal_error: { status: 500, title: "Something went wrong on our side" },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** A refused field: its path, the mistake, and what would be right. */
export interface FieldError {
  /** Dotted path from the record's root, such as `lead.email` or `referers[2]`; empty for the record itself. */
  readonly path: string;
  readonly message: string;
}

export interface Problem {
  readonly code: ProblemCode;
  /** One or two sentences about this very case, without secrets. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/** A problem for the caller, where no other failure is named. */
export type Result<Value, Failure = Problem> = ResultOf<Value, Failure>;

export function problem(code: ProblemCode, detail: string, errors?: readonly FieldError[]): Problem {
  return errors === undefined ? { code, detail } : { code, detail, errors };
}
