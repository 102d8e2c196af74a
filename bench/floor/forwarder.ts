/**
 * A forwarder of a few lines, made of `node:http` and undici alone: what the libraries under Bellwire cost a webhook
 * when next to nothing is asked of them. It forgets everything, checks nothing, and answers before it has sent.
 *
 * With `signs` it also reads each record as JSON, writes it as JSON again, and signs it twice, as every webhook is.
 */
import { createHmac } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Dispatcher, Pool } from "undici";
import { webhookHeaders } from "../record.ts";

export interface ToForwarder {
  /** The receiver's. */
  readonly port: number;
  readonly signs: boolean;
}

export interface FromForwarder {
  readonly port: number;
}

const SECRET = "a".repeat(32);
/** As many as a destination of Bellwire's has at most; eight of them are measured. */
const CONNECTIONS = 8 * 64;

const IGNORED: Dispatcher.DispatchHandler = {
  onRequestStart() {},
  onResponseStart() {},
  onResponseData() {},
  onResponseEnd() {},
  onResponseError: (_controller, error) => {
    throw error;
  },
};

process.on("disconnect", () => process.exit(0));
process.once("message", ({ port, signs }: ToForwarder) => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 });
  const forward = (record: string): void => {
    const body = signs ? JSON.stringify(JSON.parse(record)) : record;
    const bytes = Buffer.from(body);
    const headers = signs ? { ...webhookHeaders(bytes.length), ...sign(bytes) } : webhookHeaders(bytes.length);
    pool.dispatch({ method: "POST", path: "/in", headers, body: bytes }, IGNORED);
  };
  const server = createServer((request, response) => take(request, response, forward));
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
});

function take(request: IncomingMessage, response: ServerResponse, forward: (record: string) => void): void {
  const isBatch = request.headers["content-type"] === "application/x-ndjson";
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString();
    response.writeHead(isBatch ? 200 : 202, { "content-type": "application/json", "content-length": "2" });
    response.end("{}");
    for (const record of isBatch ? text.trimEnd().split("\n") : [text]) forward(record);
  });
}

const sign = (bytes: Buffer) => ({
  "x-service-signature": createHmac("sha256", SECRET).update(bytes).digest("base64"),
  "webhook-signature": `v1,${createHmac("sha256", SECRET).update("1.1.").update(bytes).digest("base64")}`,
});
