/**
 * Alerts to the operator (`domain/operator-alert.ts`) as schemas, with a sample of each. They are published beside
 * those of the webhooks, at `/schemas/<kind>.json`.
 */
import Type from "typebox";
import type { TProperties, TSchema } from "typebox";
import type { AlertedDestination, OperatorAlertFields, OperatorAlertKind } from "../domain/operator-alert.ts";
import { bodyTimestamp, nonNegative, nullable } from "../events/fields.ts";
import { ownerSchema } from "./owner.ts";

const name = (description: string, example: string) => Type.String({ description, examples: [example] });

/** Every body starts with what happened and when. */
function bodySchema<Kind extends OperatorAlertKind, Fields extends TProperties>(
  kind: Kind,
  description: string,
  fields: Fields,
) {
  const event = Type.Literal(kind, { description: `Always ${kind}.` });
  const occurredAt = bodyTimestamp({ description: "When it happened; a repeat carries the same." });
  return Type.Object({ event, occurred_at: occurredAt, ...fields }, { additionalProperties: false, description });
}

const whose = {
  account: Type.Object(
    { id: name("The product's id of the account.", "acme"), name: name("Its name.", "Acme Inc") },
    { additionalProperties: false, description: "The account that the destination belongs to." },
  ),
  destination: Type.Object(
    {
      id: name("Bellwire's id of the destination, as in the log.", "dst_01jd3v9k7q"),
      owner: ownerSchema("Its name."),
      origin: name(
        "The origin of the Webhook URL, without path and query: they may be secrets.",
        "https://crm.example.com",
      ),
      failing_since: nullable(bodyTimestamp({}), {
        description: "Start of the unbroken run of failures; null when there is none.",
      }),
      last_failure: nullable(
        Type.Object(
          {
            at: bodyTimestamp({ description: "When that attempt started." }),
            outcome: name(
              "What it met: response, timeout, dns_error, tls_error, network_error, blocked, token_error.",
              "response",
            ),
            status: nullable(Type.Integer({}), { description: "The answer's status; null when there was no answer." }),
          },
          { additionalProperties: false },
        ),
        { description: "The latest attempt that failed; null when none has." },
      ),
    },
    { additionalProperties: false, description: "Where webhooks go." },
  ),
};

const backlog = {
  oldest_due_seconds: nonNegative({
    description: "How long the delivery that could have gone first has been waiting.",
    examples: [412],
  }),
  limit_seconds: nonNegative({ description: "How long a delivery may wait before this notice.", examples: [300] }),
  deliveries_waiting: nonNegative({
    description: "Pending deliveries, those included that wait for a receiver.",
    examples: [18_230],
  }),
};

const node = { node: name("Host name of the node that sends it, and its process id.", "bellwire-0:7") };

export const OPERATOR_ALERT_SCHEMAS: Readonly<Record<OperatorAlertKind, TSchema>> = {
  destination_failing: bodySchema(
    "destination_failing",
    "A destination's breaker has opened: what waits for it is held back, and one probe goes out now and then.",
    whose,
  ),
  destination_turned_off: bodySchema(
    "destination_turned_off",
    "Nothing more is sent to a destination until a person turns it on.",
    {
      ...whose,
      reason: Type.Union([Type.Literal("gone"), Type.Literal("failing")], {
        description: "gone: its receiver answered 410; failing: every attempt failed for five days.",
      }),
    },
  ),
  destination_recovered: bodySchema(
    "destination_recovered",
    "Ends an earlier destination_failing or destination_turned_off.",
    {
      ...whose,
      reason: Type.Union(
        [Type.Literal("accepted"), Type.Literal("turned_on"), Type.Literal("url_changed"), Type.Literal("deleted")],
        {
          description:
            "accepted: its receiver took a webhook; turned_on: a person turned it on; " +
            "url_changed: a person gave it another URL; deleted: its owner deleted it.",
        },
      ),
    },
  ),
  backlog_late: bodySchema("backlog_late", "Deliveries that could go wait for longer than the limit.", backlog),
  backlog_cleared: bodySchema("backlog_cleared", "They wait for less than half of the limit again.", backlog),
  store_unhealthy: bodySchema("store_unhealthy", "A node cannot commit: it takes no records.", {
    ...node,
    since: bodyTimestamp({ description: "The first write that failed." }),
  }),
  store_healthy: bodySchema("store_healthy", "That node can commit again.", {
    ...node,
    unhealthy_since: bodyTimestamp({ description: "The first write that failed." }),
  }),
  operator_test: bodySchema("operator_test", "A person ran `bellwire notify-test`.", node),
};

const SAMPLE_DESTINATION: AlertedDestination = {
  account: { id: "acme", name: "Acme Inc" },
  destination: {
    id: "dst_01jd3v9k7q",
    owner: { kind: "alert", id: "alr_01jd3v9k7q", name: "Leads to CRM" },
    origin: "https://crm.example.com",
    failing_since: "2026-11-21T11:12:00.000+00:00",
    last_failure: { at: "2026-11-21T11:13:30.250+00:00", outcome: "response", status: 503 },
  },
};
const SAMPLE_BACKLOG = { oldest_due_seconds: 412, limit_seconds: 300, deliveries_waiting: 18_230 };
const SAMPLE_NODE = { node: "bellwire-0:7" };
const SAMPLE_SINCE = "2026-11-21T11:13:30.250+00:00";

/** For documents and tests. */
export const OPERATOR_ALERT_SAMPLES: { readonly [Kind in OperatorAlertKind]: OperatorAlertFields<Kind> } = {
  destination_failing: SAMPLE_DESTINATION,
  destination_turned_off: { ...SAMPLE_DESTINATION, reason: "gone" },
  destination_recovered: { ...SAMPLE_DESTINATION, reason: "accepted" },
  backlog_late: SAMPLE_BACKLOG,
  backlog_cleared: { ...SAMPLE_BACKLOG, oldest_due_seconds: 3, deliveries_waiting: 12 },
  store_unhealthy: { ...SAMPLE_NODE, since: SAMPLE_SINCE },
  store_healthy: { ...SAMPLE_NODE, unhealthy_since: SAMPLE_SINCE },
  operator_test: SAMPLE_NODE,
};
