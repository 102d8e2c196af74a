/**
 * `GET /pull`: a program of an owner's asks for what waits for its webhook. The token goes in `Authorization` alone,
 * and where no webhook of the installation is asked the address is as good as not there.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AuthHook } from "../http/auth-hook.ts";
import { readBearer } from "../http/bearer.ts";
import { callerAddress } from "../http/client-address.ts";
import { sendProblem } from "../http/problem-response.ts";
import { createTryCounter } from "../http/try-counter.ts";
import { type Problem, problem } from "../domain/problem.ts";
import { isPullToken } from "../domain/pull.ts";
import { hashToken } from "../domain/token.ts";
import { assert } from "../lib/assert.ts";
import { minutesMs } from "../lib/duration.ts";
import type { PulledDestination } from "../store/contract/pull.ts";
import type { PullContext } from "./context.ts";
import { PULL_UNKNOWN } from "./messages.ts";
import { answerQuestion } from "./pull.ts";
import { readQuestion } from "./read-question.ts";

const BAD_TOKENS_MAX = 20;
const BAD_TOKENS_WINDOW_MS = minutesMs(1);

export async function registerPull(server: FastifyInstance, ctx: PullContext): Promise<void> {
  await server.register(async (scope) => {
    const { authHook, getAsked } = createPullAuth(ctx);
    // Before the sockets are waited for: a question that waits would keep the stop from ending.
    scope.addHook("preClose", async () => ctx.waits.stop());
    // A HEAD would hand out what it does not show.
    scope.get("/pull", { exposeHeadRoute: false, config: { authHook } }, async (request, reply) => {
      const question = readQuestion(request.query);
      if (!question.ok) return sendProblem(reply, question.error);
      const gone = signalOf(reply);
      const answered = await answerQuestion(ctx, getAsked(request), { question: question.value, gone });
      if (!answered.ok) return sendProblem(reply, answered.error);
      return await reply.header("cache-control", "no-store").send(answered.value);
    });
  });
}

/** Aborts when the caller leaves before its answer. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once("close", () => controller.abort());
  if (raw.destroyed) controller.abort();
  return controller.signal;
}

interface PullAuth {
  readonly authHook: AuthHook;
  /** Of a call that the auth hook has let in. */
  getAsked(request: FastifyRequest): PulledDestination;
}

function createPullAuth({ store, clock, hold }: Pick<PullContext, "store" | "clock" | "hold">): PullAuth {
  const letIn = new WeakMap<FastifyRequest, PulledDestination>();
  const isTooMany = createTryCounter({ clock, triesMax: BAD_TOKENS_MAX, windowMs: BAD_TOKENS_WINDOW_MS });

  async function refuse(request: FastifyRequest): Promise<Problem> {
    if (isTooMany(callerAddress(request))) return TOO_MANY_BAD;
    return (await store.hasPulled({ nowMs: clock.nowMs() })) ? PULL_UNKNOWN : NOT_SERVED;
  }

  return {
    async authHook(request) {
      const token = readBearer(request.headers.authorization);
      if (token === null || !isPullToken(token)) return await refuse(request);
      const asked = await store.findPulled({ tokenHash: hashToken(token), nowMs: clock.nowMs() });
      if (asked === null) return await refuse(request);
      if (hold.problem !== null) return hold.problem;
      letIn.set(request, asked);
      return "known";
    },
    getAsked(request) {
      const asked = letIn.get(request);
      assert(asked !== undefined, "the auth hook lets in only those who show a token");
      return asked;
    },
  };
}

const TOO_MANY_BAD = problem("too_many_bad_tokens", "Wait a minute, then ask with the right token.");

const NOT_SERVED = problem("not_found", "Nothing is served at GET /pull. No webhook of this installation is asked.");
