/**
 * Nodes of one installation inside the test's process: the whole program each, with its own caches and connections, on
 * a database that they share. For what people set up there is no call of the intake: tests use the program's verbs.
 */
import { type App, createApp } from "../../../src/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { createLog } from "../../../src/observe/log.ts";
import { valueOf } from "../world/world.ts";

export const ACCOUNT = "acct-1";

const API_KEY = "intake-key-of-every-node";

/** A node on the database, taking requests and delivering. */
export async function startNode(url: string): Promise<App> {
  const encryptionKey = new Uint8Array(32).fill(7);
  const config = valueOf(
    readConfig({
      BELLWIRE_DATABASE: url,
      BELLWIRE_PORT: "0",
      BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8",
      BELLWIRE_ENCRYPTION_KEY: Buffer.from(encryptionKey).toString("base64"),
      BELLWIRE_API_KEY: API_KEY,
      BELLWIRE_LOG_LEVEL: "silent",
    }),
  );
  const keys = { encryptionKey, apiKeys: [API_KEY], madeFiles: [] };
  const node = await createApp({ config, keys, log: createLog("silent") });
  await node.start();
  return node;
}

export interface IntakeCall {
  readonly method: "PUT" | "POST";
  /** Below the account. */
  readonly path: string;
  readonly payload: string | object;
}

/** Calls the intake. */
export async function call(node: App, { method, path, payload }: IntakeCall) {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const answer = await node.server.inject({ method, url: `/v1/accounts/${ACCOUNT}${path}`, headers, payload });
  return {
    status: answer.statusCode,
    body: answer.json<{ event_id?: string; deliveries?: number; duplicate?: boolean }>(),
  };
}
