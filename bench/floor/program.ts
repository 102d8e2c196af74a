/**
 * The bare parts of a webhook's way in one program and on one thread: Node's HTTP in, `JSON.parse`, two HMACs, undici
 * out, and the event and the attempt, each kept by a commit that calls at the same time share. It routes nothing,
 * retries nothing and tells nobody: what Bellwire costs above it is what Bellwire does besides.
 */
import { createHmac, randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { sharedClockMs, webhookHeaders } from "../record.ts";
import { openLedger } from "./ledger.ts";

const KEYS = ["whsec_of_the_account", "key_of_the_standard"] as const;
const OUT_CONNECTIONS = 256;

const { FLOOR_RECEIVER_PORT = "", FLOOR_WHERE = "" } = process.env;
const ledger = await openLedger(FLOOR_WHERE);
const pool = new Pool(`http://127.0.0.1:${FLOOR_RECEIVER_PORT}`, { connections: OUT_CONNECTIONS, pipelining: 1 });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => take(Buffer.concat(chunks).toString(), response));
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("disconnect", () => process.exit(0));

function take(text: string, response: ServerResponse): void {
  const record = JSON.parse(text) as { readonly name: string };
  const id = randomUUID();
  // The id stands first, where the receiver looks for it.
  const body = JSON.stringify({ ...record, event: "demo_viewed" });
  ledger.keep({ kind: "event", id, text: body }, () => {
    response.writeHead(202, { "content-type": "application/json" });
    response.end(JSON.stringify({ id, status: "accepted" }));
    send(id, body, record.name.replace("Demo ", ""));
  });
}

function send(id: string, body: string, destination: string): void {
  const [own = "", standard = ""] = KEYS.map((key) => createHmac("sha256", key).update(body).digest("base64"));
  const headers = {
    ...webhookHeaders(Buffer.byteLength(body)),
    "webhook-id": id,
    "x-service-signature": own,
    "webhook-signature": `v1,${standard}`,
  };
  const startedAtMs = sharedClockMs();
  let status = 0;
  pool.dispatch(
    { method: "POST", path: `/in/${destination}`, body, headers },
    {
      onRequestStart: () => {},
      onResponseStart: (_controller, statusCode) => void (status = statusCode),
      onResponseData: () => {},
      onResponseEnd: () => {
        const text = JSON.stringify({ status, tookMs: sharedClockMs() - startedAtMs });
        ledger.keep({ kind: "attempt", id, text }, () => {});
      },
      onResponseError: (_controller, error) => {
        throw error;
      },
    },
  );
}
