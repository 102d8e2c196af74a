/** The whole program on a store in memory, reached by `inject`: everything but sockets and the disk. */
import { createApp } from "../../../src/app.ts";
import type { AppOptions } from "../../../src/app/options.ts";
import { readConfig } from "../../../src/config/config.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { createLog } from "../../../src/observe/log.ts";
import { toValue } from "./world.ts";

export const API_KEY = "test-intake-key-0123456789";

export async function createTestApp(env: Readonly<Record<string, string>> = {}, changes: Partial<AppOptions> = {}) {
  const config = toValue(
    readConfig({ BELLWIRE_DATABASE: "sqlite::memory:", BELLWIRE_LOG_LEVEL: "silent", BELLWIRE_PORT: "0", ...env }),
  );
  const keys = { encryptionKey: systemRandom.bytes(32), apiKeys: [API_KEY], madeFiles: [] };
  const app = await createApp({ config, keys, log: createLog("silent"), ...changes });

  /** A call with the right key; a string or bytes are sent as they are, anything else as JSON. */
  async function call({ method, url, body, headers = {} }: Call) {
    const isRaw = typeof body === "string" || Buffer.isBuffer(body);
    const contentType = body === undefined ? {} : { "content-type": "application/json" };
    const payload = body === undefined ? {} : { payload: isRaw ? body : JSON.stringify(body) };
    const authorization = `Bearer ${API_KEY}`;
    return await app.server.inject({ method, url, headers: { authorization, ...contentType, ...headers }, ...payload });
  }

  return {
    app,
    put: (url: string, body?: unknown, headers = {}) => call({ method: "PUT", url, body, headers }),
    post: (url: string, body?: unknown, headers = {}) => call({ method: "POST", url, body, headers }),
    call,
    [Symbol.asyncDispose]: () => app.stop(),
  };
}

export interface Call {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
