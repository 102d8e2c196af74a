/** What the manage routes answer, and an example of each. */
import Type, { type Static } from "typebox";
import { DESTINATION_STATES } from "../../domain/destination.ts";
import { OWNER_KINDS } from "../../domain/event.ts";
import { attemptOutcome, headers, text, textOrNull } from "../answers.ts";
import { settingsForm } from "./forms.ts";

const isApplied = Type.Boolean({ description: "`bellwire apply` has made it, so its `--prune` may take it away." });

const managed = {
  id: textOrNull("The id that a program gave it; null where a person made it."),
  webhook_id: textOrNull("Its id in lists and deliveries, which names it here too; null while it is not made."),
  is_applied: isApplied,
  state: Type.Enum([...DESTINATION_STATES]),
  etag: textOrNull("For `If-Match`, as the header `ETag` has it; null while it is not made."),
  settings: settingsForm,
};

export const managedAnswer = Type.Object(managed);

export const putAnswer = Type.Object({
  ...managed,
  outcome: Type.Enum(["created", "changed", "unchanged"], { description: "With `dry_run`, what it would be." }),
  changed: Type.Array(Type.String(), { description: "The fields that differ from what was saved." }),
});

export const idsAnswer = Type.Object({
  webhooks: Type.Array(
    Type.Object({
      id: text("The id that a program gave it."),
      webhook_id: Type.String(),
      kind: Type.Enum([...OWNER_KINDS]),
      name: text("Its owner's."),
      is_applied: isApplied,
      etag: Type.String(),
    }),
  ),
});

export const testAnswer = Type.Object({
  delivery_id: Type.String(),
  ...attemptOutcome,
  request: Type.Object(
    { url: Type.String(), headers, body: Type.String() },
    { description: "As sent; secret values are masked." },
  ),
});

export const tokenAnswer = Type.Object({ token: text("With which a program asks at `/pull`. Shown this once.") });

const ETAG = '"1.dst_06f1x9s3k0a1b2c3d4e5f6g7h8.n4bQo0hYr7fPjZ2gHkW9sL1tXe5u"';
const URL = "https://crm.example.com/hooks/bellwire";

/** In words of the account that the tests have too. */
export const settingsExample = {
  kind: "webhook",
  name: "CRM",
  events: "all",
  webhook: {
    url: URL,
    headers: [{ name: "Authorization", value: "Bearer 4f1c0de5", secret: true }],
    rate_per_second: 5,
  },
} as const;

export const managedExample: Static<typeof managedAnswer> = {
  id: "crm",
  webhook_id: "dst_06f1x9s3k0a1b2c3d4e5f6g7h8",
  is_applied: false,
  state: "on",
  etag: ETAG,
  settings: {
    ...settingsExample,
    webhook: {
      url: URL,
      headers: [{ name: "Authorization", value: null, secret: true }],
      authentication: null,
      rate_per_second: 5,
      body: "event",
      template: null,
    },
  },
};

export const putExample: Static<typeof putAnswer> = { ...managedExample, outcome: "created", changed: [] };

export const idsExample: Static<typeof idsAnswer> = {
  webhooks: [
    {
      id: "crm",
      webhook_id: "dst_06f1x9s3k0a1b2c3d4e5f6g7h8",
      kind: "webhook",
      name: "CRM",
      is_applied: true,
      etag: ETAG,
    },
  ],
};

export const testExample: Static<typeof testAnswer> = {
  delivery_id: "dlv_06f1x9s3k0a1b2c3d4e5f6g7h8",
  answer: {
    status: 200,
    headers: { "content-type": "text/plain" },
    body: "ok",
    encoding: "utf-8",
    is_cut: false,
    is_purged: false,
  },
  class: "success",
  status: "200 OK",
  sentence: "Your endpoint received it.",
  advice: "",
  technical: "",
  phase: null,
  address: "203.0.113.9",
  timings: { dns_ms: 1, connect_ms: 20, tls_ms: 31, first_byte_ms: 111, total_ms: 112 },
  request: { url: URL, headers: { "content-type": "application/json" }, body: '{"event":"order.paid"}' },
};

export const tokenExample: Static<typeof tokenAnswer> = { token: "bwp_…" };
