/** An example of each answer, for the OpenAPI document. A test holds them to their schemas, and the service to both. */
import type { Static } from "typebox";
import type * as answers from "./answers.ts";

const WEBHOOK = {
  id: "dst_06f1x9s3k0a1b2c3d4e5f6g7h8",
  owner: { kind: "alert" as const, id: "alr_06f1x9s3k0a1b2c3d4e5f6g7h8", name: "Enterprise leads", is_deleted: false },
};
const URL = "https://crm.example.com/hooks/bellwire";

const DELIVERY = {
  id: "dlv_06f1x9s3k0a1b2c3d4e5f6g7h8",
  status: "retrying" as const,
  is_test: false,
  event: "order.paid",
  about: { who: "Jane Doe", what: "Product tour" },
  webhook: { ...WEBHOOK, url: URL },
  last: { code: "503", class: "server_error", total_ms: 112 },
  attempts_made: 1,
  attempts_in_schedule: 1,
  attempts_max: 10,
  next_attempt_at: "2026-11-20T12:05:10.000Z",
  created_at: "2026-11-20T12:00:00.000Z",
};

const BODY = '{"event":"order.paid","id":"A-1001"}';

export const deliveryListExample: Static<typeof answers.deliveryListAnswer> = {
  deliveries: [DELIVERY],
  next: "https://hooks.example.com/v1/accounts/acme/deliveries?status=retrying&cursor=WzE3OTUxODk2MDBd",
  searched_back_to: null,
  missing_from: null,
};

export const deliveryExample: Static<typeof answers.deliveryAnswer> = {
  ...DELIVERY,
  event_id: "evt_06f1x9s3k0a1b2c3d4e5f6g7h8",
  webhook_id: DELIVERY.id,
  source_id: "A-1001",
  sentence: "Your endpoint had an error of its own.",
  body: BODY,
  attempts: [
    {
      number: 1,
      started_at: "2026-11-20T12:00:00.120Z",
      request: { url: URL, headers: { "content-type": "application/json", authorization: "••••••••" } },
      sent: null,
      answer: {
        status: 503,
        headers: { "content-type": "text/plain" },
        body: "upstream is down",
        encoding: "utf-8",
        is_cut: false,
        is_purged: false,
      },
      class: "server_error",
      status: "503 Service Unavailable",
      sentence: "Your endpoint had an error of its own.",
      advice: "Look into its log at the time of the attempt.",
      technical: "",
      phase: null,
      address: "203.0.113.9",
      timings: { dns_ms: 1, connect_ms: 20, tls_ms: 31, first_byte_ms: 111, total_ms: 112 },
    },
  ],
  last_attempt_at: "2026-11-23T13:00:00.000Z",
  settled_at: null,
  resent: null,
  not_resendable: null,
};

const EVENT = {
  id: deliveryExample.event_id,
  type: "order.paid",
  source_id: "A-1001",
  about: DELIVERY.about,
  accepted_at: DELIVERY.created_at,
};

export const eventListExample: Static<typeof answers.eventListAnswer> = {
  events: [{ ...EVENT, deliveries: { total: 1, delivered: 0, failed: 0 } }],
  next: null,
  searched_back_to: null,
  missing_from: null,
};

export const eventExample: Static<typeof answers.eventAnswer> = {
  ...EVENT,
  assistant: null,
  body: BODY,
  deliveries: [DELIVERY],
  not_sent: [
    {
      webhook: { ...WEBHOOK, id: "dst_06f1x9s3k0a1b2c3d4e5f6g7h9" },
      why: "its conditions want utm_params.utm_source to be linkedin",
    },
  ],
  not_sent_more: 0,
};

const WAITING = { count: 12, is_capped: false };

export const webhookListExample: Static<typeof answers.webhookListAnswer> = {
  webhooks: [
    {
      ...WEBHOOK,
      url: URL,
      tags: ["crm"],
      state: "on",
      health: {
        word: "failing",
        failing_since: "2026-11-20T11:02:00.000Z",
        last_failure: { at: "2026-11-20T12:00:00.120Z", code: "503" },
        waiting: WAITING,
        next_attempt_at: "2026-11-20T12:05:10.000Z",
        held_until: null,
        turns_off_at: "2026-11-25T11:02:00.000Z",
        off_reason: null,
        changed: null,
        success_rate: 0.62,
      },
      certificate_ends_at: null,
      one_at_a_time: true,
      head: {
        delivery_id: "dlv_06f1x9s3k0a1b2c3d4e5f6g7h8",
        attempts_made: 3,
        held_since: "2026-11-20T11:02:00.000Z",
        next_attempt_at: "2026-11-20T12:05:10.000Z",
      },
    },
  ],
  next: "https://hooks.example.com/v1/accounts/acme/webhooks?cursor=dst_06f1x9s3k0a1b2c3d4e5f6g7h9",
};

export const accountExample: Static<typeof answers.accountAnswer> = {
  id: "acme",
  name: "Acme",
  plan: "growth",
  app_url: "https://app.example.com",
  state: "active",
  created_at: "2026-09-01T08:00:00.000Z",
  webhooks: 3,
  waiting: WAITING,
};

export const accountListExample: Static<typeof answers.accountListAnswer> = {
  accounts: [accountExample],
  next: "https://hooks.example.com/v1/accounts?cursor=beta",
};
