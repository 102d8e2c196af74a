/**
 * `bellwire/receiver/fetch`: a receiver for every framework that maps a `Request` to a `Response`: Hono, Next.js route
 * handlers, Remix, Bun, Deno.
 *
 *     export const POST = fetchWebhooks({ secrets: process.env.WEBHOOK_SECRET, onEvent });
 */
import type { WebhookEvent } from "./events.ts";
import {
  BODY_BYTES_MAX,
  POST_ONLY,
  type ReceiveOptions,
  TOO_LARGE,
  type WebhookAnswer,
  createTakeWebhook,
} from "./take-webhook.ts";
import type { NamedEvent } from "./verify-event.ts";

/** Rejects with the error of `onEvent`, which frameworks answer with 500. */
export function fetchWebhooks<Event extends NamedEvent = WebhookEvent>(
  options: ReceiveOptions<Event>,
): (request: Request) => Promise<Response> {
  const take = createTakeWebhook(options);
  return async (request) => {
    if (request.method !== "POST") return toResponse(POST_ONLY);
    const body = await readBody(request);
    return toResponse(body === null ? TOO_LARGE : await take(body, request.headers));
  };
}

/** The bytes as they came; `null` as soon as there are too many, because the sender is not verified yet. */
async function readBody(request: Request): Promise<Uint8Array | null> {
  if (request.bodyUsed) throw new Error("the request's body was read before: pass the request on untouched");
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    bytes += part.value.length;
    if (bytes > BODY_BYTES_MAX) {
      await reader?.cancel();
      return null;
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}

const toResponse = ({ status, text, headers }: WebhookAnswer): Response => new Response(text, { status, headers });
