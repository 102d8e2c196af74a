/** A line of the log for each answered request, for those who must keep such a log. Off unless the operator asks. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isToken } from "../domain/token.ts";
import type { Logger } from "../observe/log.ts";
import type { ClientAddress } from "./client-address.ts";

/** Besides Fastify's hooks, because a single record of a known caller does not pass them. */
export function logRequests(server: Server, log: Pick<Logger, "info">, clientAddress: ClientAddress): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const startedMs = performance.now();
    // Read now: a closed socket has no address any more.
    const address = clientAddress(request);
    response.once("close", () => {
      const { method, url = "/" } = request;
      const ms = Math.round(performance.now() - startedMs);
      const { statusCode: status, writableFinished: isWhole } = response;
      log.info({ address, method, path: withoutSecrets(url), status, ms, ...(!isWhole && { cut: true }) }, "request");
    });
  });
}

/** Queries hold what people search for, and some addresses of the page hold a token. */
const withoutSecrets = (url: string): string =>
  (url.split("?", 1)[0] ?? "")
    .split("/")
    .map((part) => (isToken(part) ? "…" : part))
    .join("/");
