import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import { demoViewed } from "../events/demo-viewed.ts";

const SESSIONS = "/v1/accounts/acct-1/demo-sessions";
const SESSION = demoViewed.example;

test("each call is counted by its route and status; a caller without a key counts for nothing", async () => {
  await using intake = await createTestApp();
  await intake.put("/v1/accounts/acct-1", { name: "A", plan: "starter", app_url: "https://app.example.com" });
  assert.equal((await intake.post(SESSIONS, SESSION)).statusCode, 202);
  assert.equal((await intake.post(SESSIONS, SESSION)).statusCode, 200);
  assert.equal((await intake.post(SESSIONS, "{")).statusCode, 400);
  assert.equal((await intake.post(SESSIONS, SESSION, { authorization: "Bearer wrong" })).statusCode, 401);
  intake.app.store.acceptEvents = () => Promise.reject(new StoreUnavailable("the disk is full"));
  assert.equal((await intake.post(SESSIONS, SESSION)).statusCode, 503);

  const { body } = await intake.app.server.inject({ url: "/metrics" });
  const counts = [...body.matchAll(/^bellwire_intake_request_seconds_count\{(.*)\} (\d+)$/gm)].map(
    ([, labels, count]) => `${labels} ${count}`,
  );
  const route = 'route="/v1/accounts/:account_id/demo-sessions"';
  assert.deepEqual(
    counts.toSorted(),
    [
      'route="/v1/accounts/:account_id",status="201" 1',
      `${route},status="200" 1`,
      `${route},status="202" 1`,
      `${route},status="400" 1`,
      `${route},status="503" 1`,
    ].toSorted(),
  );
});
