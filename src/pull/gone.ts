/**
 * The addresses of `bellwire forward`, which `bellwire pull` has replaced. For one release they say so, because a
 * developer's machine may ask there still.
 */
import type { FastifyInstance } from "fastify";
import { problem } from "../domain/problem.ts";

const ADDRESSES = ["/forward.mjs", "/dashboard/forward", "/dashboard/forward/deliveries"];
const METHODS = ["GET", "POST", "DELETE"] as const;

export function registerGone(server: FastifyInstance, publicUrl: () => string): void {
  const gone = () =>
    problem(
      "forward_gone",
      "Forwarding has gone. Make a trial webhook in the dashboard, under Settings → Verification → While you build; " +
        `then run: bellwire pull --url ${publicUrl()} --to http://localhost:3000/webhooks --token …`,
    );
  for (const url of ADDRESSES) {
    // In the auth hook, so that no body is read for it.
    server.route({ method: [...METHODS], url, exposeHeadRoute: false, config: { authHook: gone }, handler: gone });
  }
}
