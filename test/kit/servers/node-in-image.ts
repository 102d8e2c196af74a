/** A node in a container, on a folder of this machine's, with one alert to a receiver. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "undici";
import { newFolder } from "../folder.ts";
import { setUpAccount } from "../process/account.ts";
import { sessionRecord } from "../process/records.ts";
import type { Engine } from "./images.ts";
import { type Behaviour, startReceiver } from "./receiver.ts";

/** `post` hands a record in and gives the status. */
export async function startNodeIn(engine: Engine, tag: string, behaviour: Behaviour = {}) {
  const folder = newFolder();
  const receiver = await startReceiver(behaviour);
  const secret = await setUpAccount({ dataDir: folder.path, alerts: [{ url: receiver.url }] });
  const apiKey = readFileSync(`${folder.path}/intake-key`, "utf8").trim();
  const params = {
    tag,
    // The folder is this user's, as a volume would be the image's.
    options: [`--user=${process.getuid?.()}`, `--volume=${folder.path}:/data`],
    env: { BELLWIRE_HOST: "127.0.0.1", BELLWIRE_PORT: "0", BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" },
  };
  const name = `bellwire-${randomUUID()}`;
  const startedMs = performance.now();
  const child = engine.run({ ...params, options: [...params.options, `--name=${name}`] });
  const [, port = ""] = await child.err.match(/^Bellwire is running at http:\/\/localhost:(\d+)$/);
  const readyMs = performance.now() - startedMs;
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return {
    name,
    child,
    params,
    receiver,
    secret,
    url,
    /** From the call of Podman. */
    startedMs,
    readyMs,
    async post(): Promise<number> {
      const body = sessionRecord(randomUUID());
      const answer = await request(`${url}/v1/accounts/acct-e2e/demo-sessions`, { method: "POST", headers, body });
      await answer.body.dump();
      return answer.statusCode;
    },
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
