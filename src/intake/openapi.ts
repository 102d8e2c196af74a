/**
 * The contract at `/openapi.json`: OpenAPI 3.1, made from the same routes and schemas that the program runs. The
 * requests that receivers get stand under `webhooks`, built from the event catalog.
 */
import Type from "typebox";
import { TEST_HEADER } from "../domain/delivery.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { EventType } from "../events/event-type.ts";
import { VERSION } from "../lib/version.ts";
import type { DocumentOptions } from "../schemas/asyncapi.ts";
import { listSchemas, publishDocument } from "../schemas/json-schemas.ts";
import { JSON_TYPE } from "./read-call.ts";
import type { DocumentedRoute } from "./context.ts";

export function openApiDocument(routes: readonly DocumentedRoute[], options: DocumentOptions): unknown {
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Bellwire",
      version: VERSION,
      license: { name: "MIT", identifier: "MIT" },
      description:
        "Intake: a product's back end reports what happened. The resulting webhooks are described under `webhooks`. " +
        (routes.some(needs("manageKey"))
          ? "Webhooks are set up in the dashboard, and by programs with a key that manages."
          : "Webhooks are set up in the dashboard; there are no calls for that."),
    },
    servers: [{ url: options.publicUrl }],
    security: [{ intakeKey: [] }],
    paths: { ...Object.fromEntries(paths(routes)), ...OPEN_PATHS, ...documentPaths(options.types) },
    webhooks: Object.fromEntries(
      options.types.all.map((type) => [type.type, { post: webhook(type, options.signatureHeader) }]),
    ),
    components: {
      securitySchemes: {
        intakeKey: { type: "http", scheme: "bearer", description: "An intake key: `BELLWIRE_API_KEY`." },
        ...(routes.some(needs("manageKey")) && {
          manageKey: { type: "http", scheme: "bearer", description: "A key that manages: of one account, or of all." },
        }),
        ...(routes.some(needs("readKey")) && {
          readKey: { type: "http", scheme: "bearer", description: "A read key: of one account, or of all." },
        }),
        ...(routes.some(needs("pullToken")) && {
          pullToken: { type: "http", scheme: "bearer", description: "The token of a webhook that is asked." },
        }),
      },
    },
  };
  return publishDocument(document);
}

const needs =
  (scheme: string) =>
  ({ operation }: DocumentedRoute): boolean =>
    operation?.security?.some((each) => scheme in each) ?? false;

/** Routes of one address together, with OpenAPI's form of its parameters: `{account_id}`. */
function paths(routes: readonly DocumentedRoute[]): Map<string, Record<string, unknown>> {
  const byPath = new Map<string, Record<string, unknown>>();
  for (const { method, path, operation } of routes) {
    if (operation === null) continue;
    const address = path.replace(/:(\w+)/g, "{$1}");
    byPath.set(address, { ...byPath.get(address), [method.toLowerCase()]: operation });
  }
  return byPath;
}

const open = (operationId: string, summary: string, responses: Record<string, { description: string }>) => ({
  get: { operationId, summary, security: [], responses },
});

const DOCUMENT = { "200": { description: "The document." } };

const describePath = (path: string): string =>
  path === "/asyncapi.json" ? "The webhooks as AsyncAPI" : `JSON Schema: ${path.replace(/^.*\/|\.json$/g, "")}`;

/** `/schemas/demo_viewed.json` → `read_schemas_demo_viewed` */
const toReaderName = (path: string): string =>
  path
    .replace(/\.json$/, "")
    .replaceAll("/", "_")
    .replace(/^/, "read");

const OPEN_PATHS = {
  "/healthz": open("isAlive", "Whether the process is alive", { "200": { description: "It is." } }),
  "/readyz": open("isReady", "Whether this node can take work: a write is committed to find out", {
    "200": { description: "It can. `away`: the shards whose accounts it cannot serve now, if there are any." },
    "503": { description: "No part of the store can commit, or the node is stopping." },
  }),
  "/metrics": open("readMetrics", "Metrics in Prometheus' text format", { "200": { description: "The metrics." } }),
  "/openapi.json": open("readOpenApi", "This document", DOCUMENT),
};

const documentPaths = (types: EventTypes) =>
  Object.fromEntries(
    ["/asyncapi.json", ...Array.from(listSchemas(types).keys(), (name) => `/schemas/${name}.json`)].map((path) => [
      path,
      open(toReaderName(path), describePath(path), DOCUMENT),
    ]),
  );

function webhook({ type, description, bodySchema }: EventType, signatureHeader: string) {
  return {
    operationId: type,
    summary: description,
    description:
      "Sent to the Webhook URL with the owner's custom headers. Delivered at least once: `webhook-id` is the key " +
      "against duplicates. Failures are retried for about three days.",
    security: [],
    parameters: [
      header(signatureHeader, "Base64 of HMAC-SHA256 over the raw body, keyed with the Webhook Verification Secret."),
      header(
        "webhook-id",
        "The same on every attempt of a delivery. Begins with `test_` on tests, and never otherwise.",
      ),
      header("webhook-timestamp", "Seconds since the Unix epoch, of this attempt."),
      header("webhook-signature", "Standard Webhooks: `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`."),
      header("user-agent", "`Bellwire/<version>`"),
      header("accept", "`*/*`, unless a custom header says something else."),
      { ...header(TEST_HEADER, "`1`, only on tests. No signature covers it; go by `webhook-id`."), required: false },
    ],
    requestBody: { required: true, content: { [JSON_TYPE]: { schema: bodySchema } } },
    responses: {
      "2XX": { description: "Received." },
      "410": { description: "Never again: the webhook is turned off until its owner turns it on." },
      default: {
        description: "Not received: tried again later, after `Retry-After` (at most 24 h) where it is given.",
      },
    },
  };
}

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: Type.String(),
});
