/**
 * `bellwire/receiver/express`: a handler for Express, and for `node:http` as it is.
 *
 *     app.post("/webhooks", expressWebhooks({ secrets, onEvent }));   // before app.use(express.json())
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookEvent } from "./events.ts";
import { isRawBody } from "./raw-body.ts";
import { readBody } from "./read-body.ts";
import {
  POST_ONLY,
  type ReceiveOptions,
  TOO_LARGE,
  type TakeWebhook,
  type WebhookAnswer,
  createTakeWebhook,
} from "./take-webhook.ts";
import type { NamedEvent } from "./verify-event.ts";

/** What `express.raw()` and hosts of functions put there; other parsers put a value there that cannot be verified. */
type ExpressRequest = IncomingMessage & { readonly body?: unknown };

const PARSED =
  "the raw body is gone: mount expressWebhooks before express.json(), or use express.raw({ type: '*/*' }) on its route";

/** `next` gets the error of `onEvent`; without a `next` the answer is 500 and the error becomes a warning. */
export function expressWebhooks<Event extends NamedEvent = WebhookEvent>(
  options: ReceiveOptions<Event>,
): (request: ExpressRequest, response: ServerResponse, next?: (error: unknown) => void) => void {
  const take = createTakeWebhook(options);
  return (request, response, next = (error) => fail(response, error)) => {
    if (request.method !== "POST") return write(response, POST_ONLY);
    receive(request, response, take).catch(next);
  };
}

async function receive(request: ExpressRequest, response: ServerResponse, take: TakeWebhook): Promise<void> {
  if (isRawBody(request.body)) return write(response, await take(request.body, request.headers));
  if (request.readableEnded) throw new Error(PARSED);
  const body = await new Promise<Buffer | null>((done) => {
    readBody(request, done);
  });
  if (body !== null) return write(response, await take(body, request.headers));
  // The rest of the body is not waited for.
  response.once("finish", () => request.destroy());
  write(response, { ...TOO_LARGE, headers: { ...TOO_LARGE.headers, connection: "close" } });
}

function write(response: ServerResponse, { status, headers, text }: WebhookAnswer): void {
  response.writeHead(status, headers).end(text);
}

function fail(response: ServerResponse, error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
  if (!response.headersSent) response.writeHead(500);
  response.end();
}
