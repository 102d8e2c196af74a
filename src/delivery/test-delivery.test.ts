import assert from "node:assert/strict";
import { test } from "node:test";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { eventType } from "../../test/kit/event-type.ts";
import { ACCOUNT, HOOK, answer, createWorld, toValue } from "../../test/kit/world/world.ts";
import { secretsAt } from "../accounts/secrets.ts";
import { verify } from "../receiver/verify.ts";
import { sendTest } from "./test-delivery.ts";

const BODY = '{"event":"demo_viewed"}';
const draft = (url: string = HOOK) => ({
  accountId: ACCOUNT,
  saved: null,
  webhook: makeWebhookForm({ url, headers: [{ name: "x-key", value: "s3cret", secret: true }] }),
  owner: "alert" as const,
  type: eventType("demo_viewed"),
  body: BODY,
});

test("a test of unsaved values is one signed attempt, recorded as a test, and counts nowhere else", async () => {
  const world = await createWorld({ receiver: () => answer(500) });
  await world.setUpAccount();
  const { deliveryId, result } = toValue(await sendTest(world.ctx, draft()));
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
  const { deliveryId } = toValue(await sendTest(world.ctx, draft()));
  assert.equal((await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId }))?.state, "delivered");
});

test("a test can be told from a real event by a signed id and a header, and its body is as it was given", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { deliveryId, request } = toValue(await sendTest(world.ctx, draft()));
  assert.equal(request.headers["webhook-id"], `test_${deliveryId}`);
  assert.equal(request.headers["bellwire-test"], "1");
  assert.equal(request.body, BODY);
  const { nowMs } = world.clock;
  const view = await world.ctx.accounts.load(ACCOUNT);
  assert.ok(view !== null);
  const secrets = secretsAt(view.secrets, nowMs());
  assert.ok(verify(request, secrets, { nowMs: nowMs(), requireStandard: true }).valid);
  const unmarked = { ...request, headers: { ...request.headers, "webhook-id": deliveryId } };
  assert.equal(verify(unmarked, secrets, { nowMs: nowMs() }).valid, false, "the mark cannot be taken off the id");
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

test("a test of a webhook of its own needs the plan of the type that it sends", async () => {
  const world = await createWorld();
  await world.setUpAccount("free");
  const send = (type: string) => sendTest(world.ctx, { ...draft(), owner: "webhook", type: eventType(type) });
  const gated = await send("demo_viewed");
  assert.match(gated.ok ? "" : gated.error.detail, /^Webhooks on demo_viewed need the Starter plan or higher/);
  toValue(await send("chat_conversation_completed"));
  assert.equal(world.sent.length, 1);
});
