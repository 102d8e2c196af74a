/** The door of the forwarding command's calls: a bearer token of a session that was opened for forwarding. */
import type { FastifyRequest } from "fastify";
import type { AccountsContext } from "../../accounts/context.ts";
import { problem } from "../../domain/problem.ts";
import { hashToken, isToken } from "../../domain/token.ts";
import { readBearer } from "../../http/bearer.ts";
import type { Door } from "../../http/door.ts";
import { assert } from "../../lib/assert.ts";
import type { StoredSession } from "../../store/contract/people.ts";

interface ForwardSession extends StoredSession {
  /** Under which the store finds it. */
  readonly hash: string;
}

export interface ForwardDoor {
  readonly door: Door;
  /** Of a call that the door has let in. */
  getSession(request: FastifyRequest): ForwardSession;
}

export function createForwardDoor({ store, clock }: Pick<AccountsContext, "store" | "clock">): ForwardDoor {
  const letIn = new WeakMap<FastifyRequest, ForwardSession>();
  return {
    async door(request) {
      const token = readBearer(request.headers.authorization);
      if (token === null || !isToken(token)) return ended;
      const hash = hashToken(token);
      const session = await store.loadSession({ sessionHash: hash, isUse: true, nowMs: clock.nowMs() });
      if (session === null || session.purpose !== "forward") return ended;
      letIn.set(request, { ...session, hash });
      return "known";
    },
    getSession(request) {
      const session = letIn.get(request);
      assert(session !== undefined, `${request.method} ${request.routeOptions.url} has no door that knows sessions`);
      return session;
    },
  };
}

const ended = problem(
  "forward_ended",
  "Forwarding has ended: an owner stopped it, or its time is over. Make a new code in the dashboard, under " +
    "Settings → Verification.",
);
