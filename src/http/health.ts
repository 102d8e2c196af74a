/** What machines ask about this node: alive, ready for work, and its metrics. Open to whoever reaches the port. */
import type { FastifyInstance } from "fastify";
import { problem } from "../domain/problem.ts";
import type { Clock } from "../lib/clock.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";
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

  server.get("/readyz", async (_request, reply) => {
    if (options.isStopping()) return sendProblem(reply, problem("shutting_down", "This node is being stopped."));
    const failure = await probe(options);
    if (failure !== null) return sendProblem(reply, problem("store_unavailable", failure));
    return reply.send({ status: "ready" });
  });

  server.get("/metrics", async (_request, reply) => {
    const { text, contentType } = await options.metrics();
    return reply.type(contentType).send(text);
  });
}

/** A real commit: a store that can be read but not written to is not ready to accept anything. */
async function probe({ store, clock }: HealthOptions): Promise<string | null> {
  return await store.probe({ nowMs: clock.nowMs() }).then(
    () => null,
    (error: unknown) => {
      if (error instanceof StoreUnavailable) return "The store cannot commit a write at the moment.";
      throw error;
    },
  );
}
