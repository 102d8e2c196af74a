/** Follows a call of intake from its headers to the end of its answer, and reports it to metrics and traces. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RequestTrace } from "../delivery/accept.ts";
import type { IntakeReport, IntakeTrace } from "./report.ts";

export interface ObservedCalls {
  begin(request: FastifyRequest): void;
  traceOf(request: FastifyRequest): RequestTrace | null;
  /** Ignores a call that never began. */
  end(request: FastifyRequest, reply: FastifyReply): void;
}

export function observeCalls(report: IntakeReport): ObservedCalls {
  const underWay = new WeakMap<FastifyRequest, { readonly trace: IntakeTrace | null }>();
  return {
    begin: (request) => void underWay.set(request, { trace: report.begin(request.headers) }),
    traceOf: (request) => underWay.get(request)?.trace ?? null,
    end(request, reply) {
      const call = underWay.get(request);
      if (call === undefined) return;
      const { method, routeOptions } = request;
      const route = routeOptions.url ?? "";
      const fact = { method, route, status: reply.statusCode, durationMs: reply.elapsedTime };
      report.answered(fact);
      call.trace?.answered(fact);
    },
  };
}
