/** Answers 405 with `Allow`, because a 404 would send people looking for a typing mistake in the address. */
import type { FastifyInstance } from "fastify";
import { problem } from "../domain/problem.ts";
import { assert } from "../lib/assert.ts";
import { type AuthHook, isRefusal } from "./auth-hook.ts";

/** Every method that the server knows, in the order of `Allow`. */
const METHODS = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"] as const;

const ANYBODY: AuthHook = () => "unauthenticated";

/**
 * Notes the routes that are registered in this scope from now on. Call the returned function when the scope has all its
 * routes: it registers every other method of each address.
 */
export function noteMethods(scope: FastifyInstance): { refuseOthers(authHookAt?: (url: string) => AuthHook): void } {
  const methodsOf = new Map<string, Set<string>>();
  scope.addHook("onRoute", ({ routePath, method }) => {
    const known = methodsOf.get(routePath) ?? new Set();
    methodsOf.set(routePath, new Set([...known, ...[method].flat()]));
  });
  return {
    /** `authHookAt` makes the auth hook that decides who may learn an address's methods; every caller, unless given. */
    refuseOthers(authHookAt = () => ANYBODY) {
      for (const [url, taken] of methodsOf) refuseOthersAt(scope, { url, taken, authHook: authHookAt(url) });
    },
  };
}

interface Address {
  readonly url: string;
  readonly taken: ReadonlySet<string>;
  readonly authHook: AuthHook;
}

function refuseOthersAt(scope: FastifyInstance, { url, taken, authHook }: Address): void {
  const allow = METHODS.filter((method) => taken.has(method)).join(", ");
  const others = METHODS.filter((method) => !taken.has(method));
  // In the auth hook, so that no body is read for it.
  const refuse: AuthHook = async (request, reply) => {
    const verdict = await authHook(request, reply);
    if (isRefusal(verdict)) return verdict;
    reply.header("allow", allow);
    return problem("method_not_allowed", `This address takes ${allow}, not ${request.method}.`);
  };
  scope.route({
    method: others,
    url,
    // A HEAD route of its own for a refused method would only get in the way of the existing ones.
    exposeHeadRoute: false,
    config: { authHook: refuse },
    handler: () => assert(false, "an auth hook that refuses every caller let one in"),
  });
}
