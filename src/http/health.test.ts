import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { sessionRecord } from "../../e2e/records.ts";
import { createTestApp } from "../../test/app-under-test.ts";

test("a node that drains answers everything, and tells callers and load balancers to go elsewhere", async () => {
  await using world = await createTestApp({ BELLWIRE_DRAIN_SECONDS: "0" });
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
