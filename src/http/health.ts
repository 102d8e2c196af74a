/**
 * The questions of machines to this node: is it alive, is it ready for work, and its metrics. They are open to every
 * caller that reaches the port, so a proxy in front must keep outsiders away from the last two. Each answers at one
 * spelling of one address: below the base path, or with a letter written as %6d, a proxy's rule for `/metrics` would
 * not match.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { problem } from "../domain/problem.ts";
import type { Clock } from "../lib/clock.ts";
import { type Store, StoreUnavailable } from "../store/contract/store.ts";
import { sendProblem } from "./problem-response.ts";

export interface HealthOptions {
  readonly store: Pick<Store, "probe">;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  /** The metrics in Prometheus' text format, and its content type. */
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

export function registerHealth(server: FastifyInstance, options: HealthOptions): void {
  server.get("/healthz", (_request, reply) => reply.send({ status: "alive" }));

  server.get("/readyz", { onRequest: onlyAsWritten }, async (_request, reply) => {
    if (options.isStopping()) return sendProblem(reply, problem("shutting_down", "This node is being stopped."));
    const failure = await probe(options);
    if (failure !== null) return sendProblem(reply, problem("store_unavailable", failure));
    return reply.send({ status: "ready" });
  });

  server.get("/metrics", { onRequest: onlyAsWritten }, async (_request, reply) => {
    const { text, contentType } = await options.metrics();
    return reply.type(contentType).send(text);
  });
}

function onlyAsWritten({ originalUrl, routeOptions }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const [path] = originalUrl.split("?", 1);
  if (path === routeOptions.url) done();
  else reply.callNotFound();
}

/** A real commit: a store that can be read but not written is not ready to accept events. */
async function probe({ store, clock }: HealthOptions): Promise<string | null> {
  return await store.probe({ nowMs: clock.nowMs() }).then(
    () => null,
    (error: unknown) => {
      if (error instanceof StoreUnavailable) return "The store cannot commit a write at the moment.";
      throw error;
    },
  );
}
