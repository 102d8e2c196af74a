import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT, HOOK, answer, createWorld, valueOf } from "../../test/world.ts";
import { sendTest } from "./test-delivery.ts";

const BODY = '{"event":"demo_viewed"}';
const draft = (url: string = HOOK) => ({
  accountId: ACCOUNT,
  destinationId: null,
  webhook: { url, headers: [{ name: "x-key", value: "s3cret", secret: true }] },
  type: "demo_viewed" as const,
  body: BODY,
});

test("a test of unsaved values is one signed attempt, recorded as a test, and counts nowhere else", async () => {
  const world = await createWorld({ receiver: () => answer(500) });
  await world.setUpAccount();
  const { deliveryId, result } = valueOf(await sendTest(world.ctx, draft()));
  await world.clock.advance(10_000);
  await world.run();

  assert.equal(world.sent.length, 1);
  assert.equal(world.sent[0]?.request.headers["x-key"], "s3cret");
  assert.equal(result.outcome.kind, "response");
  const stored = await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId });
  assert.deepEqual([stored?.isTest, stored?.state, stored?.attempts.length], [true, "failed", 1]);
  assert.equal(stored?.body, BODY);
  assert.doesNotMatch(JSON.stringify(stored), /s3cret/);
  assert.equal((await world.store.countWaiting({ nowMs: world.clock.nowMs() })).waiting, 0);
  assert.deepEqual(world.told.attempts, []);
});

test("a test that gets a 2xx is recorded as delivered", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { deliveryId } = valueOf(await sendTest(world.ctx, draft()));
  assert.equal((await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId }))?.state, "delivered");
});

test("what could not be saved cannot be tested either", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const refused = await sendTest(world.ctx, draft("ftp://hook.example.com"));
  assert.equal(refused.ok ? "" : refused.error.code, "invalid_webhook_url");
  await world.setUpAccount("free");
  const gated = await sendTest(world.ctx, draft());
  assert.equal(gated.ok ? "" : gated.error.code, "plan_too_low");
  assert.equal(world.sent.length, 0);
});
