/**
 * The questions of machines to a bridge: is it alive, can it work, its metrics. It takes no other call, and is open to
 * every caller that reaches the port, as the service's own addresses for machines are.
 */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BridgeNow } from "./bridge.ts";

export interface WatchOptions {
  readonly host: string;
  readonly port: number;
  readonly now: () => Promise<BridgeNow>;
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

export interface WatchServer extends AsyncDisposable {
  readonly port: number;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Guess: scrapers and health checks need one each. */
const CONNECTIONS_MAX = 64;

/** Rejects with the system's error when it cannot listen. */
export async function startWatchServer(options: WatchOptions): Promise<WatchServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    void answer(request, options).then((given) => send(response, given));
  });
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, { host, port }: WatchOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}

async function answer({ method, url }: IncomingMessage, { now, metrics }: WatchOptions): Promise<Answer> {
  if (method !== "GET" && method !== "HEAD") return json(405, { status: "method not allowed" });
  if (url === "/healthz") return json(200, { status: "alive" });
  if (url === "/readyz") {
    const { trouble } = await now();
    return trouble === null ? json(200, { status: "ready" }) : json(503, { status: "not ready", detail: trouble });
  }
  if (url !== "/metrics") return json(404, { status: "there is nothing at this address" });
  const { text, contentType } = await metrics();
  return { status: 200, type: contentType, body: text };
}

const json = (status: number, value: object): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
}
