import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../domain/attempt.ts";
import { RETRY_SCHEDULE } from "../domain/retry-schedule.ts";
import { daysMs, hoursMs, secondsMs } from "../lib/duration.ts";
import { makeWebhookForm } from "../../test/kit/make.ts";
import {
  ACCOUNT,
  HOOK,
  answer,
  conversation,
  createWorld,
  session,
  toValue,
  type World,
} from "../../test/kit/world/world.ts";

/** Runs due deliveries and moves the clock to the first delivery's next due time, until that delivery has ended. */
async function runUntilSettled(world: World): Promise<void> {
  await world.run();
  for (let delivery = await load(world); delivery?.state === "pending"; delivery = await load(world)) {
    await world.clock.advance((delivery.dueAtMs ?? 0) - world.clock.nowMs());
    await world.run();
  }
}

const load = (world: World) =>
  world.store.loadDelivery({ accountId: ACCOUNT, deliveryId: world.sent[0]?.request.headers["webhook-id"] ?? "" });

const gapsMs = (world: World): number[] =>
  world.sent.slice(1).map(({ atMs }, index) => atMs - (world.sent[index]?.atMs ?? 0));

test("an accepted session reaches the alert's receiver, signed, with the owner's headers", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const headers = [
    { name: "Authorization", value: "Bearer t0ken", secret: true },
    { name: "X-Team", value: "revops", secret: false },
  ];
  toValue(await world.setUpAlert({ webhook: makeWebhookForm({ url: HOOK, headers }) }));
  const { eventId, deliveries, duplicate } = await world.acceptOne(session(1));
  await world.run();

  assert.deepEqual({ deliveries, duplicate }, { deliveries: 1, duplicate: false });
  const request = world.sent[0]?.request;
  assert.equal(request?.url.href, HOOK);
  assert.equal(request?.headers["authorization"], "Bearer t0ken");
  assert.equal(request?.headers["x-team"], "revops");
  assert.equal(request?.headers["content-type"], "application/json");
  assert.match(request?.headers["x-service-signature"] ?? "", /^[A-Za-z0-9+/]{43}=$/);
  const stored = await world.store.loadDelivery({
    accountId: ACCOUNT,
    deliveryId: request?.headers["webhook-id"] ?? "",
  });
  assert.equal(stored?.state, "delivered");
  assert.equal(stored?.eventId, eventId);
  assert.equal(stored?.attempts[0]?.requestHeaders["authorization"], "••••••••");
  assert.doesNotMatch(JSON.stringify(stored), /t0ken/);
});

const FAILURES: [string, Outcome][] = [
  ["answers 500", answer(500)],
  ["answers 404", answer(404)],
  ["redirects", answer(302, { location: "https://elsewhere.example.com/" })],
  ["hangs until the deadline", { kind: "timeout", phase: "headers" }],
  ["resets the connection", { kind: "network_error", code: "ECONNRESET", message: "reset" }],
  ["cannot be found", { kind: "dns_error", code: "ENOTFOUND", message: "no such name" }],
  ["has a bad certificate", { kind: "tls_error", code: "CERT_HAS_EXPIRED", message: "expired" }],
];
for (const [what, outcome] of FAILURES) {
  test(`a receiver that ${what} gets the same bytes ten times, on schedule; then the delivery has failed`, async () => {
    const world = await createWorld({ receiver: () => outcome });
    await world.setUpAccount();
    await world.setUpAssistant("sales-assistant");
    await world.acceptOne(conversation(1, { assistant_id: "sales-assistant" }));
    await runUntilSettled(world);

    assert.equal(world.sent.length, 10);
    assert.deepEqual(gapsMs(world), RETRY_SCHEDULE.delaysMs);
    assert.equal(new Set(world.sent.map(({ request }) => request.body)).size, 1);
    assert.equal(new Set(world.sent.map(({ request }) => request.headers["webhook-id"])).size, 1);
    assert.equal(new Set(world.sent.map(({ request }) => request.headers["x-service-signature"])).size, 1);
    assert.equal(new Set(world.sent.map(({ request }) => request.headers["webhook-timestamp"])).size, 10);
    const stored = await load(world);
    assert.equal(stored?.state, "failed");
    assert.deepEqual(
      stored?.attempts.map(({ number }) => number),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    assert.deepEqual(world.told.failures, []);
  });
}

test("a delivery that fails twice and then succeeds is delivered with three attempts", async () => {
  const world = await createWorld({ receiver: (_request, place) => answer(place < 3 ? 503 : 204) });
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  await world.acceptOne(session(1));
  await runUntilSettled(world);
  assert.equal((await load(world))?.state, "delivered");
  assert.equal(world.sent.length, 3);
});

test("Retry-After holds the next attempt back", async () => {
  const world = await createWorld({
    receiver: (_request, place) => (place === 1 ? answer(429, { "retry-after": "7200" }) : answer(200)),
  });
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  await world.acceptOne(session(1));
  await world.run();
  await world.clock.advance(hoursMs(2) - secondsMs(1));
  await world.run();
  assert.equal(world.sent.length, 1);
  await world.clock.advance(secondsMs(1));
  await world.run();
  assert.equal(world.sent.length, 2);
});

test("410 turns the destination off; its deliveries wait and new ones too", async () => {
  const world = await createWorld({ receiver: () => answer(410) });
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  await world.acceptOne(session(1));
  await world.run();
  assert.equal(world.sent.length, 1);
  await world.acceptOne(session(2));
  await world.clock.advance(daysMs(4));
  await world.run();
  assert.equal(world.sent.length, 1);
  assert.equal((await world.ctx.accounts.load(ACCOUNT, 0))?.alerts[0]?.destination?.state, "off");
  assert.deepEqual(await world.store.countWaiting({ nowMs: world.clock.nowMs() }).then(({ waiting }) => waiting), 2);
});

test("a corrected URL helps the retries that are already waiting", async () => {
  const world = await createWorld({ receiver: ({ url }) => answer(url.pathname === "/right" ? 200 : 404) });
  await world.setUpAccount();
  const { id, revision } = toValue(await world.setUpAlert());
  await world.acceptOne(session(1));
  await world.run();
  const webhook = makeWebhookForm({ url: "https://hook.example.com/right" });
  toValue(await world.setUpAlert({ existing: { id, revision }, webhook }));
  await world.clock.advance(secondsMs(5));
  await world.run();
  assert.deepEqual(
    world.sent.map(({ request }) => request.url.pathname),
    ["/in", "/right"],
  );
  assert.equal((await load(world))?.state, "delivered");
});

test("a destination that hangs holds its own lane only", async () => {
  const world = await createWorld({
    receiver: ({ headers }) => (headers["x-slow"] === "1" ? new Promise<Outcome>(() => {}) : answer(200)),
  });
  await world.setUpAccount();
  await world.setUpAssistant("slow", { headers: [{ name: "x-slow", value: "1", secret: false }] });
  await world.setUpAssistant("quick");
  for (let number = 1; number <= 50; number += 1) await world.acceptOne(conversation(number, { assistant_id: "slow" }));
  for (let number = 51; number <= 100; number += 1)
    await world.acceptOne(conversation(number, { assistant_id: "quick" }));
  await world.run();
  const quick = world.told.attempts.filter(({ verdict }) => verdict.kind === "delivered");
  assert.equal(quick.length, 50);
  assert.equal(world.sent.filter(({ request }) => request.headers["x-slow"] === "1").length, 4);
});

test("more than the lanes hold is left in the store and delivered in its turn", async () => {
  const world = await createWorld({ deliveriesMax: 10 });
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  const records = Array.from({ length: 200 }, (_, index) => session(index + 1));
  toValue(await world.accept(...records));
  await world.run();
  assert.equal(new Set(world.sent.map(({ request }) => request.body)).size, 200);
  assert.equal(world.sent.length, 200);
  assert.deepEqual(world.engine.lanes.load.counts(), { inFlight: 0, deliveries: 0 });
});

test("a stop gives back what was not started and waits for what is under way", async () => {
  let finishAll = () => {};
  const finished = new Promise<void>((resolve) => {
    finishAll = resolve;
  });
  const world = await createWorld({ receiver: () => finished.then(() => answer(200)) });
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  toValue(await world.accept(...Array.from({ length: 10 }, (_, index) => session(index + 1))));
  const stopping = world.engine.stop();
  await world.clock.advance(secondsMs(1));
  finishAll();
  await stopping;
  assert.equal(world.sent.length, 4);
  const { waiting, oldestDueAtMs } = await world.store.countWaiting({ nowMs: world.clock.nowMs() });
  assert.equal(waiting, 6);
  assert.ok(oldestDueAtMs !== null, "what was given back is due at once");
});

test("a claim that ran out lets another engine deliver; the late answer changes nothing", async () => {
  let answerLate: (outcome: Outcome) => void = () => {};
  const world = await createWorld({
    receiver: (_request, place) =>
      place === 1 ? new Promise<Outcome>((resolve) => (answerLate = resolve)) : answer(200),
  });
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  await world.acceptOne(session(1));
  await world.run();
  await world.clock.advance(secondsMs(61));
  await world.run();
  assert.equal(world.sent.length, 2);
  answerLate(answer(500));
  await world.run();
  const stored = await load(world);
  assert.equal(stored?.state, "delivered");
  assert.equal(stored?.attempts.length, 1);
  assert.equal(world.told.counts.claimsLost, 1);
});
