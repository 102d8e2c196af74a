/** Answers 405 with `Allow`, because a 404 would send people looking for a typing mistake in the address. */
import type { FastifyInstance } from "fastify";
import { problem } from "../domain/problem.ts";
import { assert } from "../lib/assert.ts";
import type { Door } from "./door.ts";

/** Every method that the server knows, in the order of `Allow`. */
const METHODS = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"] as const;

const ANYBODY: Door = () => "stranger";

/**
 * Notes the routes that are registered in this scope from now on. Call the returned function when the scope has all its
 * routes: it registers every other method of each address.
 */
export function noteMethods(scope: FastifyInstance): { refuseOthers(doorAt?: (url: string) => Door): void } {
  const methodsOf = new Map<string, Set<string>>();
  scope.addHook("onRoute", ({ routePath, method }) => {
    const known = methodsOf.get(routePath) ?? new Set();
    methodsOf.set(routePath, new Set([...known, ...[method].flat()]));
  });
  return {
    /** `doorAt` makes the door that decides who may learn an address's methods; every caller, unless given. */
    refuseOthers(doorAt = () => ANYBODY) {
      for (const [url, taken] of methodsOf) refuseOthersAt(scope, { url, taken, door: doorAt(url) });
    },
  };
}

interface Address {
  readonly url: string;
  readonly taken: ReadonlySet<string>;
  readonly door: Door;
}

function refuseOthersAt(scope: FastifyInstance, { url, taken, door }: Address): void {
  const allow = METHODS.filter((method) => taken.has(method)).join(", ");
  const others = METHODS.filter((method) => !taken.has(method));
  // At the door, so that no body is read for it.
  const refuse: Door = async (request, reply) => {
    const verdict = await door(request, reply);
    if (typeof verdict === "object") return verdict;
    reply.header("allow", allow);
    return problem("method_not_allowed", `This address takes ${allow}, not ${request.method}.`);
  };
  scope.route({
    method: others,
    url,
    // A HEAD route of its own for a refused method would only get in the way of the existing ones.
    exposeHeadRoute: false,
    config: { door: refuse },
    handler: () => assert(false, "a door that refuses every caller let one in"),
  });
}
