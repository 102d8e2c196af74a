import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import Fastify from "fastify";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { openRawCaller } from "../../test/kit/servers/raw-caller.ts";
import { eventually } from "../../test/kit/wait.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { systemClock } from "../lib/clock.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import { type HealthOptions, registerHealth } from "./health.ts";

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

const HEALTHY: HealthOptions = {
  store: { probe: () => Promise.resolve() },
  listShards: () => [],
  clock: systemClock,
  isStopping: () => false,
  hold: { problem: null },
  metrics: () => Promise.resolve({ text: "", contentType: "text/plain" }),
};

test("those who ask whether it is ready share one commit a second, also one that takes longer or fails", async () => {
  const server = Fastify();
  const clock = createVirtualClock();
  const commits: PromiseWithResolvers<void>[] = [];
  const probe = () => {
    const commit = Promise.withResolvers<void>();
    commits.push(commit);
    return commit.promise;
  };
  registerHealth(server, { ...HEALTHY, store: { probe }, clock });
  const ask = async (count: number) =>
    await Promise.all(Array.from({ length: count }, async () => (await server.inject("/readyz")).statusCode));
  const first = ask(40);
  await eventually("one is asked", () => commits.length > 0);
  await clock.advance(3_000);
  const late = ask(1);
  // Answered after all of them have come to the store.
  await server.inject("/healthz");
  commits[0]?.resolve();
  assert.deepEqual([new Set(await first), await late, commits.length], [new Set([200]), [200], 1]);

  const failing = ask(2);
  await eventually("another one is asked", () => commits.length > 1);
  commits[1]?.reject(new StoreUnavailable("the disk is full"));
  assert.deepEqual(await failing, [503, 503]);
  await clock.advance(999);
  assert.deepEqual([await ask(5), commits.length], [[503, 503, 503, 503, 503], 2]);
  await clock.advance(1);
  const next = ask(1);
  await eventually("a third one is asked", () => commits.length > 2);
  commits[2]?.resolve();
  assert.deepEqual(await next, [200]);
});

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
  registerHealth(server, { ...HEALTHY, metrics });
  const ask = async () => (await server.inject({ method: "GET", url: "/metrics" })).body;
  const asked = Array.from({ length: 40 }, ask);
  end();
  assert.deepEqual([new Set(await Promise.all(asked)), new Set(sent).size, writes], [new Set(["up 1"]), 1, 1]);
  assert.equal(await ask(), "up 2");
});
