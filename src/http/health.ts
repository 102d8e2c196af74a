/**
 * The questions of machines to this node: is it alive, is it ready for work, and its metrics. They are open to every
 * caller that reaches the port, so a proxy in front must keep outsiders away from the last two. Each answers at one
 * spelling of one address: below the base path, or with a letter written as %6d, a proxy's rule for `/metrics` would
 * not match.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Problem, problem } from "../domain/problem.ts";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { type Store, StoreUnavailable } from "../store/contract/store.ts";
import { sendProblem } from "./problem-response.ts";

export interface HealthOptions {
  readonly store: Pick<Store, "probe">;
  /** The home shard first; empty where accounts lie in one. */
  readonly listShards: () => readonly ShardHealth[];
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  readonly hold: { readonly problem: Problem | null };
  /** The metrics in Prometheus' text format, and its content type. */
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

export interface ShardHealth {
  readonly name: string;
  readonly isAway: boolean;
}

/** Whoever asks, and however often, costs events one commit in this time. */
const PROBED_EVERY_MS = secondsMs(1);

export function registerHealth(server: FastifyInstance, options: HealthOptions): void {
  server.get("/healthz", (_request, reply) => reply.send({ status: "alive" }));

  const probe = shareProbe(options);
  server.get("/readyz", { onRequest: onlyAsWritten }, async (_request, reply) => {
    if (options.isStopping()) return sendProblem(reply, problem("shutting_down", "This node is being stopped."));
    if (options.hold.problem !== null) return sendProblem(reply, options.hold.problem);
    const takesWrites = await probe();
    const shards = options.listShards();
    const isAway = (shard: ShardHealth, place: number): boolean => shard.isAway || (place === 0 && !takesWrites);
    const away = shards.filter(isAway).map(({ name }) => name);
    // Accounts of the shards that are there need this node, and another node has no more of them.
    if (shards.length === 0 ? takesWrites : away.length < shards.length) {
      return reply.send({ status: "ready", ...(away.length === 0 ? {} : { away }) });
    }
    return sendProblem(reply, problem("store_unavailable", "The store cannot commit a write at the moment."));
  });

  // They grow with the declared types: those who ask while they are written get the same text.
  let writing: ReturnType<HealthOptions["metrics"]> | null = null;
  server.get("/metrics", { onRequest: onlyAsWritten }, async (_request, reply) => {
    writing ??= options.metrics().finally(() => (writing = null));
    const { text, contentType } = await writing;
    return reply.type(contentType).send(text);
  });
}

function onlyAsWritten({ originalUrl, routeOptions }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const [path] = originalUrl.split("?", 1);
  if (path === routeOptions.url) done();
  else reply.callNotFound();
}

/**
 * A real commit: a store that can be read but not written is not ready to accept events. Who asks while one runs, or
 * within `PROBED_EVERY_MS` of its start, gets its answer.
 */
function shareProbe({ store, clock }: HealthOptions): () => Promise<boolean> {
  let last: Promise<boolean> | null = null;
  let mayProbeAtMs = 0;
  let isRunning = false;
  return () => {
    if (last !== null && (isRunning || clock.monotonicMs() < mayProbeAtMs)) return last;
    mayProbeAtMs = clock.monotonicMs() + PROBED_EVERY_MS;
    isRunning = true;
    last = takesWrite(store, clock.nowMs()).finally(() => (isRunning = false));
    return last;
  };
}

const takesWrite = (store: HealthOptions["store"], nowMs: number): Promise<boolean> =>
  store.probe({ nowMs }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof StoreUnavailable) return false;
      throw error;
    },
  );
