import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ADA,
  ACCOUNT,
  answer,
  conversation,
  createWorld,
  type World,
  type WorldOptions,
} from "../../test/kit/world/world.ts";
import { setDestinationState } from "../accounts/set-destination-state.ts";
import { daysMs, hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";

const SALES = { assistant_id: "sales" };

async function createSales(receiver: WorldOptions["receiver"], ratePerSecond: number | null = null) {
  const world = await createWorld({ receiver });
  await world.setUpAccount();
  const { destinationId } = await world.setUpAssistant("sales", { ratePerSecond });
  return { world, destinationId };
}

/** Ticks as the engine does, by steps of the virtual clock. */
async function passTime(world: World, { totalMs, stepMs }: { totalMs: number; stepMs: number }): Promise<void> {
  for (let passedMs = 0; passedMs < totalMs; passedMs += stepMs) {
    await world.run();
    await world.clock.advance(stepMs);
  }
  await world.run();
}

test("a receiver that is down for two days gets each of 10,000 waiting events once, in a ramp", async () => {
  let isDown = true;
  const { world } = await createSales(() => answer(isDown ? 503 : 200));
  const records = Array.from({ length: 10_000 }, (_, index) => conversation(index + 1, SALES));
  for (let from = 0; from < records.length; from += 1_000) await world.accept(...records.slice(from, from + 1_000));
  await world.run();
  const whenItOpened = world.sent.length;
  assert.ok(whenItOpened <= 12, `${whenItOpened} attempts before the breaker opened`);

  await passTime(world, { totalMs: daysMs(2), stepMs: minutesMs(1) });
  const trials = world.sent.length - whenItOpened;
  assert.ok(trials > 100 && trials <= 200, `${trials} trials in two days, at most one in 15 minutes at the end`);

  isDown = false;
  const upAt = world.sent.length;
  await passTime(world, { totalMs: minutesMs(20), stepMs: secondsMs(1) });
  const arrived = world.sent.slice(upAt).map(({ request }) => request.headers["webhook-id"]);
  assert.equal(arrived.length, 10_000);
  assert.equal(new Set(arrived).size, 10_000);
});

test("after a rest the first one goes alone, then two, then three at once", async () => {
  let isDown = true;
  const open: (() => void)[] = [];
  const { world } = await createSales(() =>
    isDown ? answer(503) : new Promise((resolve) => open.push(() => resolve(answer(200)))),
  );
  await world.accept(...Array.from({ length: 100 }, (_, index) => conversation(index + 1, SALES)));
  await world.run();
  isDown = false;
  await world.clock.advance(secondsMs(40));
  const atOnce = [];
  for (let round = 0; round < 4; round += 1) {
    await world.run();
    atOnce.push(open.length);
    for (const finish of open.splice(0)) finish();
  }
  assert.deepEqual(atOnce, [1, 2, 3, 4]);
});

test("Retry-After holds back the whole destination, not only the delivery that met it", async () => {
  const { world } = await createSales((_request, place) =>
    place === 1 ? answer(429, { "retry-after": "600" }) : answer(200),
  );
  await world.acceptOne(conversation(1, SALES));
  await world.run();
  for (let number = 2; number <= 20; number += 1) await world.acceptOne(conversation(number, SALES));
  await passTime(world, { totalMs: secondsMs(590), stepMs: secondsMs(10) });
  assert.equal(world.sent.length, 1);
  await passTime(world, { totalMs: secondsMs(20), stepMs: secondsMs(10) });
  assert.equal(world.sent.length, 21);
});

test("one destination's rest does not touch another's", async () => {
  const { world } = await createSales(({ headers }) => answer(headers["x-ok"] === "1" ? 200 : 503));
  await world.setUpAssistant("fine", { headers: [{ name: "x-ok", value: "1", secret: false }] });
  for (let number = 1; number <= 40; number += 1) {
    await world.acceptOne(conversation(number, number % 2 === 0 ? SALES : { assistant_id: "fine" }));
  }
  await world.run();
  assert.equal(world.told.attempts.filter(({ verdict }) => verdict.kind === "delivered").length, 20);
});

test("a destination where every attempt failed for five days is turned off, and says so", async () => {
  const { world, destinationId } = await createSales(() => answer(500));
  for (let day = 0; day < 6; day += 1) {
    await world.acceptOne(conversation(day + 1, SALES));
    await passTime(world, { totalMs: daysMs(1), stepMs: minutesMs(10) });
  }
  const view = await world.ctx.accounts.load(ACCOUNT, 0);
  assert.equal(view?.destinations.get(destinationId)?.state, "on", "the cached view may be late");
  world.ctx.accounts.forget(ACCOUNT);
  assert.equal((await world.ctx.accounts.load(ACCOUNT))?.destinations.get(destinationId)?.state, "off");
  const changes = await world.store.listDestinationChanges({ accountId: ACCOUNT, destinationId });
  assert.deepEqual(
    changes.filter(({ to }) => to === "off").map(({ reason, actor }) => [reason, actor]),
    [["failing", "system"]],
  );
  assert.deepEqual(world.told.turnedOff, [{ accountId: ACCOUNT, destinationId, reason: "failing" }]);
  const sentWhenOff = world.sent.length;
  await world.acceptOne(conversation(99, SALES));
  await passTime(world, { totalMs: hoursMs(2), stepMs: minutesMs(10) });
  assert.equal(world.sent.length, sentWhenOff);
});

test("ten failures, a month of silence and one more failure leave a webhook on", async () => {
  let isDown = true;
  const { world } = await createSales(() => answer(isDown ? 503 : 200));
  await world.acceptOne(conversation(1, SALES));
  await passTime(world, { totalMs: daysMs(5), stepMs: minutesMs(30) });
  assert.equal(world.sent.length, 10);
  await world.clock.advance(daysMs(30));
  await world.acceptOne(conversation(2, SALES));
  await passTime(world, { totalMs: secondsMs(1), stepMs: secondsMs(1) });
  assert.deepEqual([world.sent.length, world.told.turnedOff], [11, []]);
  isDown = false;
  await passTime(world, { totalMs: minutesMs(20), stepMs: minutesMs(1) });
  assert.equal(world.told.attempts.at(-1)?.verdict.kind, "delivered");
});

for (const [what, everyMs] of [
  ["hour", hoursMs(1)],
  ["day", daysMs(1)],
  ["two days", daysMs(2)],
] as const) {
  test(`a dead receiver of one event each ${what} is turned off in five to six days`, async () => {
    const { world } = await createSales(() => answer(503));
    const startMs = world.clock.nowMs();
    for (let number = 1; world.told.turnedOff.length === 0 && number * everyMs <= daysMs(8); number += 1) {
      await world.acceptOne(conversation(number, SALES));
      const endMs = world.clock.nowMs() + everyMs;
      while (world.told.turnedOff.length === 0 && world.clock.nowMs() < endMs) {
        await world.run();
        await world.clock.advance(minutesMs(15));
      }
    }
    const days = (world.clock.nowMs() - startMs) / daysMs(1);
    assert.ok(days >= 5 && days < 6, `${days} days`);
  });
}

test("while it is paused everything waits, and goes out when it is turned on", async () => {
  const { world, destinationId } = await createSales(() => answer(200));
  const decide = (state: "on" | "paused") =>
    setDestinationState(world.accounts, {
      accountId: ACCOUNT,
      destinationId,
      state,
      by: ADA,
      reason: "moving house",
    });
  await decide("paused");
  for (let number = 1; number <= 30; number += 1) await world.acceptOne(conversation(number, SALES));
  await passTime(world, { totalMs: daysMs(3), stepMs: hoursMs(1) });
  assert.equal(world.sent.length, 0);
  await decide("on");
  await world.run();
  assert.equal(world.sent.length, 30);
  const changes = await world.store.listDestinationChanges({ accountId: ACCOUNT, destinationId });
  assert.deepEqual(
    changes.map(({ from, to, actor }) => [from, to, actor]),
    [
      ["paused", "on", "ada@example.com"],
      ["on", "paused", "ada@example.com"],
    ],
  );
});

test("what waited for a paused destination for 14 days is cancelled, not a day earlier", async () => {
  const { world, destinationId } = await createSales(() => answer(200));
  await setDestinationState(world.accounts, {
    accountId: ACCOUNT,
    destinationId,
    state: "paused",
    by: ADA,
    reason: "r",
  });
  await world.acceptOne(conversation(1, SALES));
  await world.clock.advance(daysMs(14) - minutesMs(2));
  await world.housekeeping.step();
  assert.equal((await world.store.countWaiting({ nowMs: world.clock.nowMs() })).waiting, 1);
  await world.clock.advance(minutesMs(3));
  await world.housekeeping.step();
  assert.equal((await world.store.countWaiting({ nowMs: world.clock.nowMs() })).waiting, 0);
});

test("the owner's limit of 5 a second is kept, and used", async () => {
  const { world } = await createSales(() => answer(200), 5);
  await world.accept(...Array.from({ length: 200 }, (_, index) => conversation(index + 1, SALES)));
  const startMs = world.clock.nowMs();
  await passTime(world, { totalMs: secondsMs(30), stepMs: 50 });
  const perSecond = new Map<number, number>();
  for (const { atMs } of world.sent) {
    const second = Math.floor((atMs - startMs) / 1000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  assert.ok(Math.max(...perSecond.values()) <= 6, `${[...perSecond.values()].join(" ")} a second`);
  assert.ok(world.sent.length >= 145, `${world.sent.length} in 30 s`);
});

test("a token endpoint that asks for silence is left alone by every delivery of its destination", async () => {
  const refused = { kind: "token_error", code: "TOKEN_UNAVAILABLE", message: "", retryAfter: "600" } as const;
  const { world } = await createSales((_, place) => (place === 1 ? refused : answer(200)));
  await world.accept(conversation(1, SALES));
  await world.run();
  await world.accept(conversation(2, SALES));
  await passTime(world, { totalMs: secondsMs(590), stepMs: secondsMs(10) });
  assert.equal(world.sent.length, 1);
  await passTime(world, { totalMs: secondsMs(60), stepMs: secondsMs(10) });
  assert.equal(world.sent.length, 3);
});
