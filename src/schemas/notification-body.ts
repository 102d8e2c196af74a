/**
 * The body of news about failures for owners' own webhooks (`domain/notification-body.ts`) as a schema, with a sample.
 * Published beside those of the webhooks, at `/schemas/failure_news.json`.
 */
import Type from "typebox";
import { NOTIFICATION_TYPES, type NotificationBody } from "../domain/notification-body.ts";
import { DESTINATION_OFF_REASONS } from "../domain/destination.ts";
import { bodyTimestamp, nonNegative, nullable } from "../events/fields.ts";
import { ownerSchema } from "./owner.ts";

const INCIDENT = "inc_06f1x9s3k001jd3v9k7q";
const LINK = `https://webhooks.example.com/settings/alerts/alr_01jd3v9k7q?incident=${INCIDENT}`;

const text = (description: string, example: string) => Type.String({ description, examples: [example] });
const closed = { additionalProperties: false } as const;

const account = Type.Object(
  { id: text("The product's id of the account.", "acme"), name: text("Its name.", "Acme Inc") },
  { ...closed, description: "The account whose webhooks these are." },
);

const owner = ownerSchema("Its name, on one line and at most 80 characters.");

const lastFailure = Type.Object(
  {
    at: bodyTimestamp({ description: "When that attempt started." }),
    outcome: text("What it met: response, timeout, dns_error, tls_error, network_error, blocked.", "response"),
    status: nullable(Type.Integer({}), { description: "The answer's status; null when there was no answer." }),
  },
  closed,
);

const waiting = Type.Object(
  {
    count: nonNegative({ description: "Counted up to 1,000.", examples: [252] }),
    is_capped: Type.Boolean({ description: "There are more." }),
  },
  closed,
);

const newsTypes = NOTIFICATION_TYPES.map((type) => Type.Literal(type));

const destination = Type.Object(
  {
    type: Type.Union(newsTypes, {
      description:
        "failing: attempts fail, and deliveries wait; still_failing: the same, told before; turned_off: nothing more " +
        "is sent until a person turns it on; recovered: it accepted a delivery again; certificate_ends: its client " +
        "certificate ends within 30, 7 or 1 days.",
    }),
    occurred_at: bodyTimestamp({ description: "When that became news." }),
    id: text("Bellwire's id of the destination, as in the log.", "dst_01jd3v9k7q"),
    owner,
    host: text("The host of the Webhook URL, without path and query: they may be secrets.", "crm.example.com"),
    failing_since: nullable(bodyTimestamp({}), {
      description: "Start of the unbroken run of failures; null when there is none.",
    }),
    off_reason: nullable(Type.Union(DESTINATION_OFF_REASONS.map((reason) => Type.Literal(reason))), {
      description: "gone: its receiver answered 410; failing: every attempt failed for five days; null: it is on.",
    }),
    last_failure: nullable(lastFailure, { description: "The latest attempt that failed; null when none has." }),
    waiting: nullable(waiting, { description: "Deliveries that wait for it; null when it has recovered." }),
    certificate_ends_at: nullable(bodyTimestamp({}), {
      description: "When its client certificate ends; null unless that is the news.",
    }),
    incident: nullable(Type.String({ examples: [INCIDENT] }), {
      description:
        "The incident, from when to when it was in trouble; null when that is not kept any more, or is not the news.",
    }),
    link: text("The incident, on the page of its owner; that page alone without one.", LINK),
  },
  closed,
);

const count = nonNegative({ examples: [1] });

export const NOTIFICATION_SCHEMA = Type.Object(
  {
    type: Type.Union([...newsTypes, Type.Literal("notice.test")], {
      description:
        "The gravest of what is new: turned_off before failing before certificate_ends before recovered. " +
        "still_failing is a reminder, when nothing is new. notice.test: a person pressed Test.",
    }),
    sent_at: bodyTimestamp({ description: "When this message was made; a repeat may carry a later one." }),
    account,
    summary: text("One sentence for people.", "Webhooks to crm.example.com are failing"),
    destinations: Type.Array(destination, {
      description: "At most 20 of each type, oldest first; empty in a test.",
    }),
    counts: Type.Object(
      { turned_off: count, failing: count, certificate_ends: count, still_failing: count, recovered: count },
      { ...closed, description: "How many destinations there are of each type, those left out of the list included." },
    ),
    link: text("The dashboard.", "https://webhooks.example.com/"),
  },
  { ...closed, description: "News about failing webhooks, of all destinations of an account together." },
);

export const NOTIFICATION_SAMPLE: NotificationBody = {
  type: "destination.failing",
  sent_at: "2026-11-21T11:14:10.000+00:00",
  account: { id: "acme", name: "Acme Inc" },
  summary: "Webhooks to crm.example.com are failing",
  destinations: [
    {
      type: "destination.failing",
      occurred_at: "2026-11-21T11:13:40.000+00:00",
      id: "dst_01jd3v9k7q",
      owner: { kind: "alert", id: "alr_01jd3v9k7q", name: "Leads to CRM" },
      host: "crm.example.com",
      failing_since: "2026-11-21T11:12:00.000+00:00",
      off_reason: null,
      last_failure: { at: "2026-11-21T11:13:30.250+00:00", outcome: "response", status: 503 },
      waiting: { count: 252, is_capped: false },
      certificate_ends_at: null,
      incident: INCIDENT,
      link: LINK,
    },
  ],
  counts: { turned_off: 0, failing: 1, certificate_ends: 0, still_failing: 0, recovered: 0 },
  link: "https://webhooks.example.com/",
};
