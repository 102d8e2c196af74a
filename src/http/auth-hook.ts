/**
 * The auth hook of each route decides from a call's head whether its caller may make it, before a byte of the body is
 * read, so unauthenticated clients cannot make the server buffer bodies. A route that can read a body and has no auth
 * hook is refused when it is registered, so that the service does not start with it.
 *
 *     scope.route({ method: "POST", url: "/things", config: { authHook }, handler });
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions, onRequestHookHandler } from "fastify";
import type { Problem } from "../domain/problem.ts";
import { sendProblem } from "./problem-response.ts";

/** The caller has shown a key or a session of this account. */
interface Known {
  readonly knownAs: string;
}

/** It has shown a key of the operator's. */
export const OPERATOR: Known = { knownAs: "" };

/**
 * The auth hook's answer. The call continues for a caller that is known, or for an `unauthenticated` one where the
 * route is open; otherwise the problem is its answer.
 */
export type AuthVerdict = Known | "unauthenticated" | Problem;

export const isRefusal = (verdict: AuthVerdict): verdict is Problem =>
  verdict !== "unauthenticated" && !("knownAs" in verdict);

export type AuthHook = (request: FastifyRequest, reply: FastifyReply) => AuthVerdict | Promise<AuthVerdict>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Required for every route with a method that can come with a body. */
    readonly authHook?: AuthHook;
  }
  interface FastifyRequest {
    /** The account of a known caller, and empty for the operator's keys; `null` for strangers. */
    knownAs: string | null;
  }
}

/** Fastify reads no body with these. */
const BODILESS = ["GET", "HEAD", "TRACE"];

/** Puts its auth hook before every route that is registered from now on; `onKnown` gets each call of a known caller. */
export function addAuthHooks(server: FastifyInstance, onKnown: (request: FastifyRequest) => void): void {
  server.decorateRequest("knownAs", null);

  /** Whether the call continues; otherwise it is answered. */
  function letIn(request: FastifyRequest, reply: FastifyReply, verdict: AuthVerdict): boolean {
    if (isRefusal(verdict)) {
      void sendProblem(reply, verdict);
      return false;
    }
    if (verdict !== "unauthenticated") {
      request.knownAs = verdict.knownAs;
      onKnown(request);
    }
    // The caller waits for this before it sends its body, so that a refused caller sends none.
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    return true;
  }

  /** An auth hook that answers at once costs no promise: intake's does. */
  const toHook = (authHook: AuthHook): onRequestHookHandler =>
    function authenticate(request, reply, done) {
      const verdict = authHook(request, reply);
      if (verdict instanceof Promise) {
        void verdict.then((later) => letIn(request, reply, later)).then((isIn) => isIn && done(), done);
      } else if (letIn(request, reply, verdict)) done();
    };
  const hooks = new WeakMap<AuthHook, onRequestHookHandler>();

  server.addHook("onRoute", (route: RouteOptions) => {
    const methods = [route.method].flat();
    if (route.config?.authHook === undefined) {
      const reading = methods.find((method) => !BODILESS.includes(method));
      if (reading === undefined) return;
      throw new Error(`${reading} ${route.url} could read a body and does not say who may call it: no auth hook`);
    }
    const { authHook } = route.config;
    const authenticate = hooks.get(authHook) ?? toHook(authHook);
    hooks.set(authHook, authenticate);
    const earlier = [route.onRequest ?? []].flat();
    // The HEAD twin of a GET route shares its options.
    if (!earlier.includes(authenticate)) route.onRequest = [...earlier, authenticate];
  });
  // Without a listener Node asks for the body before the auth hook has seen the head.
  server.server.on("checkContinue", (request, response) => server.server.emit("request", request, response));
}
