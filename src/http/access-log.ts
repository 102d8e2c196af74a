/** A line of the log for each answered request, for those who must keep such a log. Off unless the operator asks. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Clock } from "../lib/clock.ts";
import type { ClientAddress } from "./client-address.ts";

export interface AccessLogParams {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly clientAddress: ClientAddress;
  readonly write: (fields: Readonly<Record<string, unknown>>) => void;
}

/** Besides Fastify's hooks, because a single record of a known caller does not pass them. */
export function logRequests(server: Server, { clock, clientAddress, write }: AccessLogParams): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const startedMs = clock.monotonicMs();
    response.once("close", () => {
      const address = clientAddress(request);
      const { method, url = "/" } = request;
      const ms = Math.round(clock.monotonicMs() - startedMs);
      const { statusCode: status, writableFinished: isWhole } = response;
      write({ address, method, path: withoutSecrets(url), status, ms, ...(!isWhole && { cut: true }) });
    });
  });
}

/** Queries hold what people search for, and some addresses of the page hold a token. */
const withoutSecrets = (url: string): string => (url.split("?", 1)[0] ?? "").replaceAll(TOKEN_LIKE, "…");

/** Those of `domain/token.ts`, also with something behind them that was copied along, or percent-encoded. */
const TOKEN_LIKE = /(?:[\w-]|%[\da-f]{2}){43,}/gi;
