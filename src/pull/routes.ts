/**
 * `GET /pull`: a program of an owner's asks for what waits for its webhook. The token goes in `Authorization` alone,
 * and where no webhook of the installation is asked the address is as good as not there.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AuthHook } from "../http/auth-hook.ts";
import { readBearer } from "../http/bearer.ts";
import { createCallLimits } from "../http/call-limits.ts";
import { callerAddress } from "../http/client-address.ts";
import { notServed } from "../http/not-served.ts";
import type { Opening } from "../http/opening.ts";
import { sendProblem } from "../http/problem-response.ts";
import { createTryCounter } from "../http/try-counter.ts";
import { LIMITS } from "../domain/limits.ts";
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
import { createTurns } from "./turns.ts";

const BAD_TOKENS_MAX = 20;
const BAD_TOKENS_WINDOW_MS = minutesMs(1);

export async function registerPull(server: FastifyInstance, ctx: PullContext, opening: Opening): Promise<void> {
  const limits = createCallLimits({
    clock: ctx.clock,
    atOnceMax: LIMITS.pullCallsAtOnceMax,
    perSecondMax: LIMITS.pullCallsPerSecondMax,
  });
  const beginTurn = createTurns(limits, ctx.clock);
  await server.register(async (scope) => {
    const { authHook, getAsked } = createPullAuth(ctx, opening);
    // Before the sockets are waited for: a question that waits would keep the stop from ending.
    scope.addHook("preClose", async () => ctx.waits.stop());
    // A HEAD would hand out what it does not show.
    scope.get("/pull", { exposeHeadRoute: false, config: { authHook } }, async (request, reply) => {
      const question = readQuestion(request.query);
      if (!question.ok) return sendProblem(reply, question.error);
      const { asked, tokenHash } = getAsked(request);
      if (!server.hasCapacityForAnswer(asked.accountId)) return sendProblem(reply, UNREAD);
      const asking = { destinationId: asked.destinationId, isWaiting: question.value.waitMs > 0 };
      const refusal = await beginTurn(asking);
      if (refusal !== null) return sendProblem(reply, REFUSALS[refusal]);
      const end = (): void => limits.end(asked.destinationId);
      // Those that wait are counted where they wait (`waits.ts`).
      if (asking.isWaiting) end();
      const answering = answerQuestion(ctx, asked, { question: question.value, tokenHash, gone: signalOf(reply) });
      const answered = await (asking.isWaiting ? answering : answering.finally(end));
      if (!answered.ok) return sendProblem(reply, answered.error);
      return await reply.header("cache-control", "no-store").send(answered.value);
    });
  });
}

/** Aborts when the answer has gone out, or the caller leaves before that. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once("close", () => controller.abort());
  if (raw.destroyed) controller.abort();
  return controller.signal;
}

interface LetIn {
  readonly asked: PulledDestination;
  readonly tokenHash: string;
}

interface PullAuth {
  readonly authHook: AuthHook;
  /** Of a call that the auth hook has let in. */
  getAsked(request: FastifyRequest): LetIn;
}

function createPullAuth(
  { store, clock, hold }: Pick<PullContext, "store" | "clock" | "hold">,
  opening: Opening,
): PullAuth {
  const letIn = new WeakMap<FastifyRequest, LetIn>();
  const isTooMany = createTryCounter({ clock, triesMax: BAD_TOKENS_MAX, windowMs: BAD_TOKENS_WINDOW_MS });

  async function refuseOthers(request: FastifyRequest): Promise<Problem> {
    if (!(await opening.isOpen())) return notServed(request);
    return isTooMany(callerAddress(request)) ? TOO_MANY_BAD : PULL_UNKNOWN;
  }

  return {
    async authHook(request) {
      const token = readBearer(request.headers.authorization);
      if (token === null || !isPullToken(token)) return await refuseOthers(request);
      const tokenHash = hashToken(token);
      const asked = await store.findPulled({ tokenHash, nowMs: clock.nowMs() });
      if (asked === null) return await refuseOthers(request);
      if (hold.problem !== null) return hold.problem;
      letIn.set(request, { asked, tokenHash });
      return { knownAs: asked.accountId };
    },
    getAsked(request) {
      const found = letIn.get(request);
      assert(found !== undefined, "the auth hook lets in only those who show a token");
      return found;
    },
  };
}

const TOO_MANY_BAD = problem("too_many_bad_tokens", "Wait a minute, then ask with the right token.");

const UNREAD = problem(
  "too_many_pulls",
  "This node holds answers that have not been read, too many of them this account's. Read them, then ask again.",
);

const TOO_MANY_AT_ONCE = problem(
  "too_many_pulls",
  `A token can have ${LIMITS.pullCallsAtOnceMax} questions under way that do not wait. Wait for their answers.`,
);
const TOO_MANY_A_SECOND = problem(
  "too_many_pulls",
  `A token can ask ${LIMITS.pullCallsPerSecondMax} times a second. Ask with wait=20 instead of in a loop.`,
);

const REFUSALS = { at_once: TOO_MANY_AT_ONCE, per_second: TOO_MANY_A_SECOND } as const;
