/**
 * Intake: every call of the product's back end, in one list. The routes and their OpenAPI document come from the same
 * list, so neither can have a call that the other lacks.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type AuthHook, OPERATOR } from "../http/auth-hook.ts";
import { noteMethods } from "../http/other-methods.ts";
import { accountStateRoutes } from "./account-states.ts";
import { putAccountRoute, putChatAssistantRoute } from "./accounts.ts";
import { createAuthenticator } from "./authenticate.ts";
import { registerBodyParsers } from "./read-call.ts";
import type { IntakeContext, IntakeRoute, MoreRoutes } from "./context.ts";
import { dashboardLinksRoute } from "./dashboard-links.ts";
import { registerOpenDocuments } from "./open-documents.ts";
import { erasePersonRoute } from "./people.ts";
import { recordsRoutes } from "./records.ts";
import { refusedRecordsRoute } from "./refused-records.ts";
import { endSessionsRoute, listSessionsRoute } from "./sessions.ts";
import type { RequestTrace } from "../delivery/accept.ts";
import type { IntakeReport, IntakeTrace } from "./report.ts";

export const intakeRoutes = (ctx: IntakeContext): readonly IntakeRoute[] => [
  putAccountRoute(ctx),
  ...accountStateRoutes(ctx),
  putChatAssistantRoute(ctx),
  ...recordsRoutes(ctx),
  refusedRecordsRoute(ctx),
  dashboardLinksRoute(ctx),
  listSessionsRoute(ctx),
  endSessionsRoute(ctx),
  erasePersonRoute(ctx),
];

export async function registerIntake(server: FastifyInstance, ctx: IntakeContext, more: MoreRoutes): Promise<void> {
  const own = intakeRoutes(ctx);
  registerOpenDocuments(server, ctx.accounts, { routes: own, groups: more.groups });
  const routes = [...own, ...more.routes];
  const authenticator = createAuthenticator(ctx.keys, ctx.clock);
  // In a scope of its own: its auth hooks and body parsers are not the dashboard's.
  await server.register(async (scope) => {
    registerBodyParsers(scope);
    const calls = observeCalls(scope, ctx.report);
    const authHookAt =
      (route: string): AuthHook =>
      (request) => {
        const refusal = authenticator.findRefusal(request);
        if (refusal !== null) return refusal;
        const { problem } = ctx.hold;
        if (problem !== null && !isOperators(route)) return problem;
        // Only now: a caller without a key must not fill metrics and traces.
        calls.begin(request, route);
        return OPERATOR;
      };
    scope.addHook("onResponse", (request, reply, done) => {
      calls.end(request, reply);
      done();
    });
    const methods = noteMethods(scope);
    for (const { method, path, handle, bodyBytesMax, authHook = authHookAt(path) } of routes) {
      scope.route({
        method,
        url: path,
        ...(bodyBytesMax === undefined ? {} : { bodyLimit: bodyBytesMax }),
        config: { authHook },
        handler: (request, reply) => handle(request, reply, calls.traceOf(request)),
      });
    }
    methods.refuseOthers((url) => routes.find(({ path }) => path === url)?.authHook ?? authHookAt(url));
  });
}

/** Operators look at a copy before they adopt it. */
const isOperators = (route: string): boolean => /\/(?:dashboard-links|sessions|people|refused-records)$/.test(route);

/** On the request itself: a `WeakMap` of requests costs each call 0.5 µs, most of it when garbage is collected. */
declare module "fastify" {
  interface FastifyRequest {
    /** `null` until intake has let the call in. */
    observed: { readonly trace: IntakeTrace | null; readonly route: string } | null;
  }
}

/** Follows a call from its headers to the end of its answer, and reports it to metrics and traces. */
interface ObservedCalls {
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
