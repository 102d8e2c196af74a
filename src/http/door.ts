/**
 * The door before each route decides from a call's head whether its caller may make it, before a byte of the body is
 * read. A stranger can therefore fill no memory with bodies. A route that can read a body and has no door is refused
 * when it is registered, so that the service does not start with it.
 *
 *     scope.route({ method: "POST", url: "/things", config: { door }, handler });
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions, onRequestHookHandler } from "fastify";
import type { Problem } from "../domain/problem.ts";
import { sendProblem } from "./problem-response.ts";

/**
 * The door's answer. The call continues for a caller that is `known` (it has shown a key or a session), or for a
 * `stranger` where the route is open; otherwise the problem is its answer.
 */
export type DoorVerdict = "known" | "stranger" | Problem;

export type Door = (request: FastifyRequest, reply: FastifyReply) => DoorVerdict | Promise<DoorVerdict>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Required for every route with a method that can come with a body. */
    readonly door?: Door;
  }
}

/** Fastify reads no body with these. */
const BODILESS = ["GET", "HEAD", "TRACE"];

/** Puts its door before every route that is registered from now on; `onKnown` gets each call of a known caller. */
export function guardDoors(server: FastifyInstance, onKnown: (request: FastifyRequest) => void): void {
  /** Whether the call continues; otherwise it is answered. */
  function letIn(request: FastifyRequest, reply: FastifyReply, verdict: DoorVerdict): boolean {
    if (typeof verdict === "object") {
      void sendProblem(reply, verdict);
      return false;
    }
    if (verdict === "known") onKnown(request);
    // The caller waits for this before it sends its body, so that a refused caller sends none.
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    return true;
  }

  /** A door that answers at once costs no promise: intake's does. */
  const toHook = (door: Door): onRequestHookHandler =>
    function openDoor(request, reply, done) {
      const verdict = door(request, reply);
      if (verdict instanceof Promise) {
        void verdict.then((later) => letIn(request, reply, later)).then((isIn) => isIn && done(), done);
      } else if (letIn(request, reply, verdict)) done();
    };
  const hooks = new WeakMap<Door, onRequestHookHandler>();

  server.addHook("onRoute", (route: RouteOptions) => {
    const methods = [route.method].flat();
    if (route.config?.door === undefined) {
      const reading = methods.find((method) => !BODILESS.includes(method));
      if (reading === undefined) return;
      throw new Error(`${reading} ${route.url} could read a body and does not say who may call it: give it a door`);
    }
    const { door } = route.config;
    const openDoor = hooks.get(door) ?? toHook(door);
    hooks.set(door, openDoor);
    const earlier = [route.onRequest ?? []].flat();
    // The HEAD twin of a GET route shares its options.
    if (!earlier.includes(openDoor)) route.onRequest = [...earlier, openDoor];
  });
  // Without a listener Node asks for the body before the door has seen the head.
  server.server.on("checkContinue", (request, response) => server.server.emit("request", request, response));
}
