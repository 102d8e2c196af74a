/**
 * The webhooks as AsyncAPI 3.0, at `/asyncapi.json`: what the service sends, to whom, and how it is signed. OpenAPI
 * describes the calls that the service takes; this document describes the other direction, for generators and event
 * catalogs.
 */
import { TEST_HEADER } from "../domain/test-mark.ts";
import { EVENT_FAMILIES } from "../events/catalog.ts";
import type { EventFamily } from "../events/family.ts";
import { VERSION } from "../lib/version.ts";
import { jsonSchemaDocument, plainSchema } from "./json-schemas.ts";

export interface AsyncApiOptions {
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly signatureHeader: string;
}

export function asyncApiDocument({ publicUrl, signatureHeader }: AsyncApiOptions): Record<string, unknown> {
  const families = Object.values(EVENT_FAMILIES);
  const each = <Part>(part: (family: EventFamily) => Part): Record<string, Part> =>
    Object.fromEntries(families.map((family) => [family.type, part(family)]));
  return {
    asyncapi: "3.0.0",
    info: { title: "Bellwire webhooks", version: VERSION, description: ABOUT, license: { name: "MIT" } },
    defaultContentType: "application/json",
    channels: each(channel),
    operations: each(operation),
    components: {
      messages: each((family) => message(family, publicUrl)),
      messageTraits: { signed: { headers: headersSchema(signatureHeader) } },
    },
  };
}

const ABOUT =
  "Webhooks that an account's owner receives. Each is delivered at least once, in no promised order: `webhook-id` is " +
  "the key against duplicates. What is not answered with a status from 200 to 299 is tried again for about three " +
  "days, after `Retry-After` where that is given. 410 turns the webhook off.";

/** The channel's address is the owner's Webhook URL, which no document can know. */
const channel = ({ type, summary }: EventFamily) => ({
  address: null,
  title: type,
  summary,
  description: "The Webhook URL that the account's owner has entered in the dashboard.",
  messages: { [type]: reference(`components/messages/${type}`) },
});

const operation = ({ type, summary }: EventFamily) => ({
  action: "send",
  channel: reference(`channels/${type}`),
  summary,
  bindings: { http: { method: "POST", bindingVersion: "0.3.0" } },
  messages: [reference(`channels/${type}/messages/${type}`)],
});

const message = (family: EventFamily, publicUrl: string) => ({
  name: family.type,
  summary: family.summary,
  contentType: "application/json",
  traits: [reference("components/messageTraits/signed")],
  payload: plainSchema(family.bodySchema),
  externalDocs: {
    description: "The body as JSON Schema 2020-12.",
    url: String(jsonSchemaDocument(family.type, publicUrl)?.$id),
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
        "`whsec_`. Two of them, with a space between, while the secret is being rotated.",
    ),
    "user-agent": header("`Bellwire/<version>`"),
  };
  const ofTests = {
    [TEST_HEADER]: { ...header("Only on tests. No signature covers it; go by `webhook-id`."), const: "1" },
  };
  return { type: "object", required: Object.keys(properties), properties: { ...properties, ...ofTests } };
}

const reference = (path: string) => ({ $ref: `#/${path}` });
