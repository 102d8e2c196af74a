/** Faults of this machine and of the operator's proxy cost a delivery time, and never one of its attempts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADA, ACCOUNT, answer, createWorld, session, toValue, type World } from "../../test/kit/world/world.ts";
import type { Outcome } from "../domain/attempt.ts";
import { RETRY_SCHEDULE } from "../domain/retry-schedule.ts";
import { daysMs, minutesMs, secondsMs } from "../lib/duration.ts";

const SHORTAGE: Outcome = { kind: "internal_error", message: "no more files (EMFILE)" };
const PROXY_AWAY: Outcome = { kind: "proxy_error", code: "PROXY_UNREACHABLE", message: "nobody there" };
const PROXY_502: Outcome = { kind: "proxy_error", code: "PROXY_STATUS_502", message: "bad gateway" };

/** A world with one delivery after its first outcome. */
async function createOne(meets: (place: number) => Outcome): Promise<World> {
  const world = await createWorld({ receiver: (_request, place) => meets(place) });
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  await world.acceptOne(session(1));
  await world.run();
  return world;
}

const load = (world: World) =>
  world.store.loadDelivery({ accountId: ACCOUNT, deliveryId: world.sent[0]?.request.headers["webhook-id"] ?? "" });

/** Runs until the delivery has ended, or `days` have passed. */
async function runOn(world: World, days = 30): Promise<void> {
  const endMs = world.clock.nowMs() + daysMs(days);
  for (;;) {
    const verdict = world.told.attempts.at(-1)?.verdict;
    if (verdict?.kind !== "retry" || verdict.dueAtMs >= endMs) return;
    await world.clock.advance(verdict.dueAtMs - world.clock.nowMs());
    await world.run();
  }
}

test("a shortage of files is over after half a minute, and the delivery has spent nothing", async () => {
  const world = await createOne((place) => (place === 1 ? SHORTAGE : answer(500)));
  await world.clock.advance(secondsMs(30));
  await world.run();
  const delivery = await load(world);
  assert.deepEqual([world.sent.length, delivery?.attemptsMade, delivery?.attemptsInSchedule], [2, 2, 1]);
  assert.deepEqual(
    delivery?.attempts.map(({ number, result }) => [number, result.outcome.kind]),
    [
      [1, "internal_error"],
      [2, "response"],
    ],
  );
  assert.equal((delivery?.dueAtMs ?? 0) - world.clock.nowMs(), secondsMs(5), "the schedule begins now");
});

test("a proxy that is away for two days costs a delivery none of its ten attempts", async () => {
  let isAway = true;
  const world = await createOne(() => (isAway ? PROXY_AWAY : answer(500)));
  await runOn(world, 2);
  const whileAway = world.sent.length;
  assert.ok(whileAway > 200 && whileAway < 400, `${whileAway} attempts in two days`);
  isAway = false;
  await runOn(world);
  assert.equal(world.sent.length, whileAway + 10);
  assert.equal((await load(world))?.state, "failed");
  assert.deepEqual(world.told.turnedOff, [], "no notice said that the destination fails while it was not called");
});

test("a proxy that never comes back is waited for 14 days, and then the schedule counts", async () => {
  const world = await createOne(() => PROXY_AWAY);
  const firstMs = world.sent[0]?.atMs ?? 0;
  await runOn(world);
  assert.equal((await load(world))?.state, "failed");
  const counted = world.sent.filter(({ atMs }) => atMs - firstMs >= daysMs(14)).length;
  assert.equal(counted, 10);
  assert.ok(world.sent.length < 1_600, `${world.sent.length} attempts in all`);
  const gaps = world.sent.slice(1).map(({ atMs }, index) => atMs - (world.sent[index]?.atMs ?? 0));
  assert.equal(gaps[0], secondsMs(30));
  assert.ok(Math.max(...gaps.slice(0, -counted)) <= minutesMs(15) + secondsMs(1));
});

test("a proxy that cannot reach the destination spends its attempts on schedule", async () => {
  const world = await createOne(() => PROXY_502);
  await runOn(world);
  assert.equal((await load(world))?.state, "failed");
  const gaps = world.sent.slice(1).map(({ atMs }, index) => atMs - (world.sent[index]?.atMs ?? 0));
  assert.deepEqual(gaps, RETRY_SCHEDULE.delaysMs);
});

test("a resend after 14 days has its free attempts again", async () => {
  const world = await createOne((place) => (place <= 10 ? answer(400) : SHORTAGE));
  await runOn(world);
  await world.clock.advance(daysMs(15));
  const deliveryId = world.sent[0]?.request.headers["webhook-id"] ?? "";
  await world.store.requestResends({
    accountId: ACCOUNT,
    deliveryIds: [deliveryId],
    by: ADA,
    nowMs: world.clock.nowMs(),
  });
  await world.run();
  const delivery = await load(world);
  assert.deepEqual([delivery?.attemptsMade, delivery?.attemptsInSchedule], [11, 0]);
  assert.equal((delivery?.dueAtMs ?? 0) - world.clock.nowMs(), secondsMs(30));
});
