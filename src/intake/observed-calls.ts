/** Follows a call of intake from its headers to the end of its answer, and reports it to metrics and traces. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RequestTrace } from "../delivery/accept.ts";
import type { IntakeReport, IntakeTrace } from "./report.ts";

/** On the request itself: a `WeakMap` of requests costs each call 0.5 µs, most of it when garbage is collected. */
declare module "fastify" {
  interface FastifyRequest {
    /** `null` until intake has let the call in. */
    observed: { readonly trace: IntakeTrace | null; readonly route: string } | null;
  }
}

export interface ObservedCalls {
  /** `route` is its address with parameters as `:account_id`; Fastify makes an object to say it. */
  begin(request: FastifyRequest, route: string): void;
  traceOf(request: FastifyRequest): RequestTrace | null;
  /** Ignores a call that never began. */
  end(request: FastifyRequest, reply: FastifyReply): void;
}

/** For the calls of this scope. */
export function observeCalls(scope: FastifyInstance, report: IntakeReport): ObservedCalls {
  scope.decorateRequest("observed", null);
  return {
    begin: (request, route) => void (request.observed = { trace: report.begin(request.headers), route }),
    traceOf: ({ observed }) => observed?.trace ?? null,
    end(request, reply) {
      const { observed, method } = request;
      if (observed === null) return;
      const { trace, route } = observed;
      const fact = { method, route, status: reply.statusCode, durationMs: reply.elapsedTime };
      report.answered(fact);
      trace?.answered(fact);
    },
  };
}
