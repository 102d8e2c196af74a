/**
 * `bellwire/receiver/fastify`: a plugin with one route.
 *
 *     await app.register(fastifyWebhooks({ path: "/webhooks", secrets, onEvent }));
 *
 * Only this route keeps the body as bytes: a plugin has content type parsers of its own.
 */
import type { WebhookEvent } from "./events.ts";
import { BODY_BYTES_MAX, type ReceiveOptions, createTakeWebhook } from "./take-webhook.ts";
import type { NamedEvent } from "./verify-event.ts";

/** The used part of Fastify, so that its types are not needed. */
export interface FastifyScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parse: (request: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyCall, reply: FastifyAnswer) => Promise<unknown>): unknown;
}

export interface FastifyCall {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface FastifyAnswer {
  code(status: number): FastifyAnswer;
  headers(headers: Record<string, string>): FastifyAnswer;
  send(text: string): FastifyAnswer;
}

export type FastifyWebhooksOptions<Event extends NamedEvent = WebhookEvent> = ReceiveOptions<Event> & {
  /** The route, below the plugin's prefix; `/webhooks` when left out. */
  readonly path?: string;
};

/** An error of `onEvent` goes to the application's error handler, which answers 500 unless it decides otherwise. */
export function fastifyWebhooks<Event extends NamedEvent = WebhookEvent>(
  options: FastifyWebhooksOptions<Event>,
): (scope: FastifyScope) => Promise<void> {
  const { path = "/webhooks", ...receive } = options;
  const take = createTakeWebhook(receive);
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    const limits = { parseAs: "buffer", bodyLimit: BODY_BYTES_MAX } as const;
    scope.addContentTypeParser("*", limits, (_request, body, done) => done(null, body));
    scope.post(path, async ({ body, headers: received }, reply) => {
      // Fastify calls no parser for an empty body.
      const { status, text, headers } = await take(Buffer.isBuffer(body) ? body : "", received);
      return reply
        .code(status)
        .headers({ ...headers })
        .send(text);
    });
  };
}
