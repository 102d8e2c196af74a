/**
 * A small receiver for trying things out: it takes webhooks on this machine, verifies the bytes exactly as they came,
 * calls its owner for each, and answers 200 or 401 as the reference receivers of the specification do, or fails on
 * request.
 *
 * Invariant: before a sender gets a 2xx, `onWebhook` has had its webhook.
 */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "./read-body.ts";
import { BODY_BYTES_MAX } from "./take-webhook.ts";
import { FAILURE_SENTENCES, type Verification, verify } from "./verify.ts";

export interface ReceivedWebhook {
  /** The body's bytes, untouched. */
  readonly body: Buffer;
  /** In their original order and case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly receivedAtMs: number;
  readonly verification: Verification;
}

export interface ReceiverOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Called for each webhook; while it returns none, senders are asked to come again later. */
  readonly secrets: () => readonly string[];
  readonly signatureHeader: string;
  readonly nowMs: () => number;
  /** Called before the answer is sent. Must not throw. */
  readonly onWebhook: (webhook: ReceivedWebhook) => void;
  /** The behaviour after that; the verdict's answer when left out. */
  readonly behave?: () => Behaviour;
}

export type Behaviour =
  /** 200 or 401, depending on the signatures. */
  | { readonly kind: "verdict" }
  | { readonly kind: "status"; readonly status: number }
  /** Never answers. */
  | { readonly kind: "hang" }
  | { readonly kind: "reset" };

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  /** Without a slash at its end. */
  readonly url: string;
  /**
   * Takes nothing more and cuts requests that are still coming in: their senders will send them again. May be called
   * twice.
   */
  stop(): Promise<void>;
}

/** Together with the bodies' maximum, this bounds the receiver's memory. */
const CONNECTIONS_MAX = 256;

/** A caller that does not finish its request is cut off, as the service cuts off a receiver that does not answer. */
const REQUEST_MS_MAX = 15_000;

/** Rejects with the system's error (`EADDRINUSE`, `EACCES` …) when it cannot listen there. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const server = createServer({ requestTimeout: REQUEST_MS_MAX }, (request, response) => {
    answer(request, response, options);
  });
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= close(server));
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { port, url: `http://${host}:${port}`, stop, [Symbol.asyncDispose]: stop };
}

function answer(request: IncomingMessage, response: ServerResponse, options: ReceiverOptions): void {
  if (request.method !== "POST") {
    request.resume();
    response.setHeader("allow", "POST");
    return reply(response, 405, "This is a webhook receiver: it takes POST requests.");
  }
  readBody(request, (body) => {
    if (body === null) return refuseLarge(request, response);
    const secrets = options.secrets();
    if (secrets.length === 0) return reply(response, 503, "This receiver has no secret yet to verify with.");
    const verification = verifyRequest(request, body, { ...options, secrets });
    options.onWebhook({ body, headers: pairHeaders(request), receivedAtMs: options.nowMs(), verification });
    const behaviour = options.behave?.() ?? { kind: "verdict" };
    if (behaviour.kind === "reset") return void request.socket.resetAndDestroy();
    if (behaviour.kind === "hang") return;
    if (behaviour.kind === "status") return reply(response, behaviour.status, "on request");
    if (verification.valid) return reply(response, 200, "verified");
    reply(response, 401, `not verified: ${FAILURE_SENTENCES[verification.reason]}`);
  });
}

function verifyRequest(
  request: IncomingMessage,
  body: Buffer,
  options: Pick<ReceiverOptions, "signatureHeader" | "nowMs"> & { readonly secrets: readonly string[] },
): Verification {
  const { secrets, signatureHeader, nowMs } = options;
  return verify({ body, headers: request.headers }, secrets, { nowMs: nowMs(), signatureHeader });
}

function refuseLarge(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("connection", "close");
  response.once("finish", () => request.destroy());
  reply(response, 413, `This receiver takes bodies of up to ${BODY_BYTES_MAX} bytes.`);
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

/** Node keeps names and values alternating, in their original order. */
function pairHeaders({ rawHeaders }: IncomingMessage): (readonly [string, string])[] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : []));
}

function listen(server: Server, { host, port }: ReceiverOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
