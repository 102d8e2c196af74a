/**
 * Nodes of one installation inside the test's process: the whole program each, with its own caches and connections, on
 * a database that they share. For what people set up there is no call of the intake: tests use the program's verbs.
 */
import type { App } from "../../../src/app.ts";
import { API_KEY, createTestApp } from "../world/app-under-test.ts";

export const ACCOUNT = "acct-1";

/** A node on the database, taking requests and delivering; every node has the same keys. */
export async function startNode(url: string, more: Readonly<Record<string, string>> = {}): Promise<Node> {
  const encryptionKey = Buffer.alloc(32, 7);
  const keys = { encryptionKey, apiKeys: [API_KEY], madeFiles: [] };
  const env = {
    BELLWIRE_DATABASE: url,
    BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8",
    BELLWIRE_ENCRYPTION_KEY: encryptionKey.toString("base64"),
    BELLWIRE_API_KEY: API_KEY,
    ...more,
  };
  const { app } = await createTestApp(env, { keys });
  return Object.assign(app, await app.start());
}

export type Node = App & { readonly port: number };

export interface IntakeCall {
  readonly method: "PUT" | "POST" | "DELETE";
  readonly accountId?: string;
  /** Below the account. */
  readonly path: string;
  readonly payload?: string | object;
}

/** Calls the intake. */
export async function call(node: App, { method, path, payload, accountId = ACCOUNT }: IntakeCall) {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const answer = await node.server.inject({
    method,
    url: `/v1/accounts/${accountId}${path}`,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
  return {
    status: answer.statusCode,
    body: answer.json<{ event_id?: string; deliveries?: number; duplicate?: boolean; sessions_ended?: number }>(),
  };
}
