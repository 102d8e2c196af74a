/** 405 with `Allow`, rather than a 404 that would send people looking for a typing mistake in the address. */
import type { FastifyInstance } from "fastify";
import { problem } from "../domain/problem.ts";
import { sendProblem } from "./problem-response.ts";

const METHODS = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"] as const;

/**
 * Notes what is registered in this scope from now on. The function that it gives is called when the scope has all its
 * routes: it registers every other method of each address.
 */
export function noteMethods(scope: FastifyInstance): { refuseOthers(): void } {
  const methodsOf = new Map<string, Set<string>>();
  scope.addHook("onRoute", ({ routePath, method }) => {
    const known = methodsOf.get(routePath) ?? new Set();
    methodsOf.set(routePath, new Set([...known, ...[method].flat()]));
  });
  return {
    refuseOthers() {
      for (const [url, methods] of methodsOf) refuseOthersAt(scope, url, methods);
    },
  };
}

function refuseOthersAt(scope: FastifyInstance, url: string, taken: ReadonlySet<string>): void {
  const allow = METHODS.filter((method) => taken.has(method)).join(", ");
  const others = METHODS.filter((method) => !taken.has(method));
  if (others.length === 0) return;
  scope.route({
    method: others,
    url,
    // A HEAD route of its own for what is refused would only come in the way of those that are there.
    exposeHeadRoute: false,
    handler: (request, reply) => {
      const detail = `This address takes ${allow}, not ${request.method}.`;
      return sendProblem(reply.header("allow", allow), problem("method_not_allowed", detail));
    },
  });
}
