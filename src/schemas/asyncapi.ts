/**
 * The webhooks as AsyncAPI 3.0, at `/asyncapi.json`: what the service sends, to whom, and how it is signed. OpenAPI
 * describes the calls that the service takes; this document describes the other direction, for generators and event
 * catalogs.
 */
import type { TSchema } from "typebox";
import { TEST_HEADER } from "../domain/delivery.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { EventType } from "../events/event-type.ts";
import { VERSION } from "../lib/version.ts";
import { NOTIFICATION_NAME, publishSchema, schemaAddress } from "./json-schemas.ts";
import { NOTIFICATION_SCHEMA } from "./notification-body.ts";

/** What the contract's documents are made of. */
export interface DocumentOptions {
  readonly types: EventTypes;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly signatureHeader: string;
}

export function asyncApiDocument({ types, publicUrl, signatureHeader }: DocumentOptions): Record<string, unknown> {
  const sent: readonly Sent[] = [...types.all.map(toSent), NEWS];
  const each = <Part>(part: (webhook: Sent) => Part): Record<string, Part> =>
    Object.fromEntries(sent.map((webhook) => [webhook.type, part(webhook)]));
  return {
    asyncapi: "3.0.0",
    info: { title: "Bellwire webhooks", version: VERSION, description: ABOUT, license: { name: "MIT" } },
    defaultContentType: "application/json",
    channels: each(channel),
    operations: each(operation),
    components: {
      messages: each((webhook) => message(webhook, publicUrl)),
      messageTraits: { signed: { headers: headersSchema(signatureHeader) } },
    },
  };
}

const ABOUT =
  "Webhooks that an account's owner receives. Each is delivered at least once, in no promised order: `webhook-id` is " +
  "the key against duplicates. What is not answered with a status from 200 to 299 is tried again for about three " +
  "days, after `Retry-After` where that is given. 410 turns the webhook off. `failure_news` alone is dropped after a " +
  "day, and no answer turns it off.";

/** A kind of webhook. */
interface Sent {
  readonly type: string;
  readonly summary: string;
  readonly bodySchema: TSchema;
  /** Where an owner enters its URL. */
  readonly enteredAt: string;
}

const toSent = ({ type, description, bodySchema }: EventType): Sent => ({
  type,
  summary: description,
  bodySchema,
  enteredAt: "The Webhook URL that the account's owner has entered in the dashboard.",
});

const NEWS: Sent = {
  type: NOTIFICATION_NAME,
  summary: "Webhooks of the account fail, are turned off, still fail a day later, or work again.",
  bodySchema: NOTIFICATION_SCHEMA,
  enteredAt: "A webhook that the account's owner has added under Settings → Account, to be told of failures.",
};

/** The channel's address is the owner's URL, which no document can know. */
const channel = ({ type, summary, enteredAt }: Sent) => ({
  address: null,
  title: type,
  summary,
  description: enteredAt,
  messages: { [type]: reference(`components/messages/${type}`) },
});

const operation = ({ type, summary }: Sent) => ({
  action: "send",
  channel: reference(`channels/${type}`),
  summary,
  bindings: { http: { method: "POST", bindingVersion: "0.3.0" } },
  messages: [reference(`channels/${type}/messages/${type}`)],
});

const message = ({ type, summary, bodySchema }: Sent, publicUrl: string) => ({
  name: type,
  summary,
  contentType: "application/json",
  traits: [reference("components/messageTraits/signed")],
  payload: publishSchema(bodySchema, { at: `/components/messages/${type}/payload`, isStrict: true }),
  externalDocs: {
    description: "The body as JSON Schema 2020-12.",
    url: schemaAddress(type, publicUrl),
  },
});

function headersSchema(signatureHeader: string) {
  const header = (description: string) => ({ type: "string", description });
  const properties = {
    [signatureHeader]: header(
      "Base64 of HMAC-SHA256 over the raw body, keyed with the Webhook Verification Secret exactly as it is shown.",
    ),
    "webhook-id": header(
      "The same on every attempt of a delivery: the key against duplicates. Begins with `test_` when a person sent a " +
        "test from the dashboard, and never otherwise.",
    ),
    "webhook-timestamp": { ...header("Seconds since the Unix epoch, of this attempt."), pattern: "^\\d+$" },
    "webhook-signature": header(
      "Standard Webhooks: `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes behind " +
        "`whsec_`. Two of them, with a space between, while the secret is being rotated. Behind them, where the " +
        "account signs with a public key too, `v1a,` and base64 of Ed25519 over the same text, for each key.",
    ),
    "user-agent": header("`Bellwire/<version>`"),
    accept: header("`*/*`, unless a custom header says something else."),
  };
  const ofTests = {
    [TEST_HEADER]: { ...header("Only on tests. No signature covers it; go by `webhook-id`."), const: "1" },
  };
  return { type: "object", required: Object.keys(properties), properties: { ...properties, ...ofTests } };
}

const reference = (path: string) => ({ $ref: `#/${path}` });
