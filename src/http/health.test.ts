import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import Fastify from "fastify";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { openRawCaller } from "../../test/kit/servers/raw-caller.ts";
import { systemClock } from "../lib/clock.ts";
import { registerHealth } from "./health.ts";

test("a node that drains answers everything, and tells callers and load balancers to go elsewhere", async () => {
  await using world = await createTestApp();
  await world.put("/v1/accounts/acct-1", { name: "Acme", plan: "starter", app_url: "https://app.example.com" });
  const ask = async (url: string) => {
    const { statusCode, headers } = await world.app.server.inject(url);
    return [statusCode, headers.connection];
  };
  assert.deepEqual(await ask("/readyz"), [200, "keep-alive"]);

  await world.app.drain();
  assert.deepEqual(await ask("/readyz"), [503, "close"]);
  assert.deepEqual(await ask("/healthz"), [200, "close"]);
  const posted = await world.post("/v1/accounts/acct-1/demo-sessions", sessionRecord(randomUUID()));
  assert.deepEqual([posted.statusCode, posted.headers.connection], [202, "close"]);
});

for (const publicUrl of ["https://example.com", "https://example.com/bellwire"]) {
  for (const path of ["/metrics", "/readyz"]) {
    test(`${path} answers at that address alone when people use ${publicUrl}`, async () => {
      await using world = await createTestApp({ BELLWIRE_PUBLIC_URL: publicUrl });
      const { port } = await world.app.start();
      // Over a socket: `inject` and every client normalise addresses before they send them.
      const readStatus = async (url: string): Promise<string> => {
        using caller = await openRawCaller(port);
        caller.write(`GET ${url} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
        return (await caller.answered(/\r\n\r\n/)).slice(9, 12);
      };
      assert.equal(await readStatus(path), "200");
      assert.equal(await readStatus(`${path}?name=value`), "200");
      const escaped = path.replace("e", "%65");
      const below = [path, escaped, `/..${path}`].map((rest) => `/bellwire${rest}`);
      const spellings = [escaped, `${path}/`, `/${path}`, path.toUpperCase(), `http://example.com${path}`];
      for (const other of [...below, ...spellings]) assert.equal(await readStatus(other), "404", other);
    });
  }
}

test("those who ask for metrics while they are written get the same bytes, and later ones new ones", async () => {
  const server = Fastify();
  const sent: unknown[] = [];
  server.addHook("onSend", async (_request, _reply, payload) => {
    sent.push(payload);
    return payload;
  });
  let writes = 0;
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const metrics = async () => {
    writes += 1;
    await mayEnd;
    return { text: `up ${writes}`, contentType: "text/plain" };
  };
  const store = { probe: () => Promise.resolve() };
  registerHealth(server, {
    store,
    listShards: () => [],
    clock: systemClock,
    isStopping: () => false,
    hold: { problem: null },
    metrics,
  });
  const ask = async () => (await server.inject({ method: "GET", url: "/metrics" })).body;
  const asked = Array.from({ length: 40 }, ask);
  end();
  assert.deepEqual([new Set(await Promise.all(asked)), new Set(sent).size, writes], [new Set(["up 1"]), 1, 1]);
  assert.equal(await ask(), "up 2");
});
