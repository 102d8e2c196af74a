import assert from "node:assert/strict";
import { test } from "node:test";
import { makeClaimed } from "../../../test/kit/make.ts";
import { createVirtualClock, settled } from "../../../test/kit/world/virtual-clock.ts";
import { answer } from "../../../test/kit/world/world.ts";
import type { Outcome, SendResult } from "../../domain/attempt.ts";
import { secondsMs } from "../../lib/duration.ts";
import type { ClaimedDelivery } from "../../store/contract/path.ts";
import type { Delivered, OnAnswer } from "../deliver.ts";
import { Lanes } from "./lanes.ts";

const LANE = "dst_1";
/** The number of requests that a new lane starts at once. */
const LIMIT = 4;

interface Run {
  readonly delivery: ClaimedDelivery;
  readonly answer: OnAnswer;
  readonly settle: (delivered: Delivered) => void;
}

/** Lanes with attempts that are answered and settled when the test says so. */
function createLanes({ deliveriesMax = 1_000 } = {}) {
  const runs: Run[] = [];
  const clock = createVirtualClock();
  const givenBack: ClaimedDelivery[] = [];
  const dueAtMs: number[] = [];
  let wantedCount = 0;
  const lanes = new Lanes({
    clock,
    loopWork: () => 0,
    deliveriesMax,
    run: (delivery, onAnswer) =>
      new Promise((settle) => {
        runs.push({ delivery, answer: onAnswer, settle });
      }),
    giveBack: (deliveries) => Promise.resolve(givenBack.push(...deliveries)),
    onCapacity: () => {
      wantedCount += 1;
    },
    onDue: (atMs) => dueAtMs.push(atMs),
  });
  const put = (count: number, ratePerSecond: number | null = null) => {
    for (let number = 1; number <= count; number += 1) lanes.put({ ...makeDelivery(number), ratePerSecond });
  };
  return { lanes, runs, clock, givenBack, dueAtMs, put, wanted: () => wantedCount };
}

const makeDelivery = (number: number): ClaimedDelivery => makeClaimed(`dlv_${number}`, LANE);

const toKey = (accountId: string, destinationId: string) => ({ accountId, destinationId });
const KEY = toKey("acc_1", LANE);

/** Takes all that a lane gets, and returns how many. */
function reserveAll(lanes: Lanes, key: ReturnType<typeof toKey>, chars = 2): number {
  let taken = 0;
  while (lanes.reserve(key, chars)) taken += 1;
  return taken;
}

function toResult(outcome: Outcome): SendResult {
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 };
  return { outcome, timings, address: null };
}

const failed = (outcome: Outcome, heldUntilMs = 0): Delivered => ({
  result: toResult(outcome),
  verdict: { kind: "exhausted", destinationOff: null, holdUntilMs: null },
  heldUntilMs,
});

test("a success frees its limit for the next one before it is settled, and keeps its slot until then", async () => {
  const { lanes, runs, put } = createLanes();
  put(6);
  assert.equal(runs.length, LIMIT);
  runs[0]?.answer(toResult(answer(200)));
  assert.equal(runs.length, LIMIT + 1);
  assert.deepEqual(lanes.load.counts(), { inFlight: LIMIT, deliveries: 6 });
  runs[0]?.settle({ result: toResult(answer(200)), verdict: { kind: "delivered" }, heldUntilMs: 0 });
  await settled();
  assert.deepEqual(lanes.load.counts(), { inFlight: LIMIT, deliveries: 5 });
});

test("a delivery that has to be tried again tells when, and one that ended tells nothing", async () => {
  const { lanes, runs, dueAtMs, put } = createLanes();
  put(2);
  const verdict = { kind: "retry", dueAtMs: 7_000, isFree: false, holdUntilMs: null, destinationOff: null } as const;
  runs[0]?.settle({ result: toResult(answer(503)), verdict, heldUntilMs: 9_000 });
  runs[1]?.settle({ result: toResult(answer(200)), verdict: { kind: "delivered" }, heldUntilMs: 0 });
  await lanes.load.idle();
  assert.deepEqual(dueAtMs, [9_000], "not before its destination's cool-down is over");
});

test("a failure keeps its slot until it is settled, so that the next start knows of a cool-down", async () => {
  const { lanes, runs, givenBack, put } = createLanes();
  put(6);
  runs[0]?.answer(toResult(answer(400)));
  assert.equal(runs.length, LIMIT);
  runs[0]?.settle(failed(answer(400), secondsMs(30)));
  await settled();
  assert.equal(runs.length, LIMIT);
  assert.deepEqual(
    givenBack.map(({ id }) => id),
    ["dlv_5", "dlv_6"],
  );
  assert.deepEqual(lanes.load.counts(), { inFlight: LIMIT - 1, deliveries: LIMIT - 1 });
});

test("behind one that was too late, those that are too late are given back together, and the others stay", async () => {
  const { lanes, runs, clock, givenBack } = createLanes();
  const untilMs = (ms: number) => ({ claim: { token: "token", untilMs: clock.nowMs() + ms } });
  for (const number of [1, 2, 3, 4]) lanes.put({ ...makeDelivery(number), ...untilMs(secondsMs(60)) });
  for (const number of [5, 6]) lanes.put({ ...makeDelivery(number), ...untilMs(secondsMs(29)) });
  lanes.put({ ...makeDelivery(7), ...untilMs(secondsMs(60)) });
  runs[0]?.settle(null);
  await settled();
  assert.deepEqual(
    givenBack.map(({ id }) => id),
    ["dlv_5", "dlv_6"],
  );
  assert.equal(runs.at(-1)?.delivery.id, "dlv_7");
});

test("after a fault of this machine a lane starts nothing for a second", async () => {
  const { runs, clock, put } = createLanes();
  put(6);
  const shortage: Outcome = { kind: "internal_error", message: "no more files" };
  runs[0]?.answer(toResult(shortage));
  runs[0]?.settle(failed(shortage));
  for (const run of runs.slice(1)) run.answer(toResult(answer(200)));
  await settled();
  await clock.advance(999);
  assert.equal(runs.length, LIMIT);
  await clock.advance(1);
  assert.equal(runs.length, LIMIT + 2);
});

test("a wide lane spreads its requests over half of the time that its receiver takes", async () => {
  const { runs, clock, put } = createLanes();
  const tookMs = 100;
  let answered = 0;
  /** Answers all at once, as a backlog's requests that started together are answered. Returns their number. */
  const answerAll = (): number => {
    const open = runs.slice(answered);
    answered = runs.length;
    for (const run of open) run.answer(toResult(answer(200)));
    return open.length;
  };
  put(900);
  for (let round = 0; round < 25; round += 1) {
    await clock.advance(tookMs);
    answerAll();
  }
  await clock.advance(tookMs);
  const inFlight = answerAll();
  assert.ok(inFlight > 20, `${inFlight} under way at once`);
  const atOnce = runs.length - answered;
  await clock.advance(tookMs / 2);
  assert.ok(atOnce >= 8 && atOnce <= 9, `${atOnce} of ${inFlight} started together`);
  assert.ok(runs.length - answered >= inFlight, "and all of them half an answer's time later");
});

test("a lane takes as many as it may hold, the unsettled ones too, and no more", () => {
  const { lanes, runs, put } = createLanes();
  const freeSlots = () => lanes.capacity().freeSlots[LANE];
  put(1);
  const before = freeSlots() ?? 0;
  runs[0]?.answer(toResult(answer(200)));
  assert.equal(freeSlots(), before, "it still takes its slot");
  put(before);
  assert.equal(freeSlots(), 0);
  assert.equal(lanes.reserve(KEY, 2), false);
});

test("a lane with an owner's limit gives back at once what could not start in time", async () => {
  const { lanes, runs, givenBack, put } = createLanes();
  put(20, 0.1);
  await settled();
  assert.deepEqual([runs.length, givenBack.length], [1, 19]);
  assert.equal(lanes.capacity().freeSlots[LANE], 0);
});

test("a limit that is lowered applies to what a lane holds: the oldest stay", async () => {
  const { lanes, runs, clock, givenBack, put } = createLanes();
  put(20);
  lanes.put({ ...makeDelivery(21), ratePerSecond: 1 });
  await settled();
  assert.equal(runs.length, LIMIT);
  assert.deepEqual([givenBack.length, givenBack[0]?.id], [11, "dlv_11"]);
  runs[0]?.answer(toResult(answer(200)));
  await clock.advance(secondsMs(1));
  assert.equal(runs.length, LIMIT + 1, "the next one goes out at the new pace");
});

test("what was accepted first starts first, whether it came from the store or right from its accept", () => {
  const { lanes, runs } = createLanes();
  const fresh = (number: number) => {
    assert.equal(lanes.reserve(KEY, 2), true);
    return () => lanes.putReserved(makeDelivery(number));
  };
  for (const put of [1, 2, 3, 4, 6, 5].map(fresh)) put();
  for (const number of [7, 8]) lanes.put(makeDelivery(number));
  fresh(9)();
  for (let at = 0; at < 5; at += 1) runs[at]?.answer(toResult(answer(200)));
  assert.deepEqual(
    runs.map(({ delivery }) => delivery.id),
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `dlv_${number}`),
  );
});

/** A lane that has refused a delivery, and has all of its slots free again by then. */
async function refuseOne() {
  const created = createLanes();
  const { lanes, runs } = created;
  while (lanes.reserve(KEY, 2)) lanes.putReserved(makeDelivery(1));
  for (let at = 0; at < runs.length; at += 1) {
    runs[at]?.answer(toResult(answer(200)));
    runs[at]?.settle({ result: toResult(answer(200)), verdict: { kind: "delivered" }, heldUntilMs: 0 });
  }
  await settled();
  return created;
}

/** What a claim was offered that brought nothing. */
const OFFERED = { all: 20, chars: 20, newAccountSlots: 20, accountSlots: {}, newLaneSlots: 20, freeSlots: {} };
const noneClaimed = (lanes: Lanes): void => lanes.noteClaimed([], OFFERED);

test("a claim that fills a lane has it ask for more, also of what waited before this process began", async () => {
  const { lanes, runs, wanted } = createLanes();
  for (let number = 1; number <= 20; number += 1) lanes.put(makeDelivery(number));
  const claimed = Array.from({ length: 20 }, (_, number) => makeDelivery(number + 1));
  lanes.noteClaimed(claimed, { ...OFFERED, all: 40, newAccountSlots: 40 });
  for (let at = 0; at < 11; at += 1) {
    runs[at]?.answer(toResult(answer(200)));
    runs[at]?.settle({ result: toResult(answer(200)), verdict: { kind: "delivered" }, heldUntilMs: 0 });
  }
  await settled();
  assert.ok(wanted() > 0);
  assert.equal(lanes.reserve(KEY, 2), false, "a later one waits behind those in the store");
});

test("while a delivery without a slot is being committed, later ones of its lane wait behind it", async () => {
  const { lanes } = await refuseOne();
  lanes.capacity();
  noneClaimed(lanes);
  assert.equal(lanes.reserve(KEY, 2), false, "the claim came before the commit");
  for (const isAccepted of [true, true]) lanes.noteBacklog(KEY, isAccepted);
  noneClaimed(lanes);
  assert.equal(lanes.reserve(KEY, 2), false, "it joined the backlog during the claim, which may have missed it");
  lanes.noteBacklog(KEY, false);
  lanes.capacity();
  noneClaimed(lanes);
  assert.equal(lanes.reserve(KEY, 2), true);
});

test("destinations that are slow, but well, leave places for others", () => {
  const { lanes } = createLanes({ deliveriesMax: 100 });
  const takeAll = (name: string): number => reserveAll(lanes, toKey(`acc_${name}`, `dst_${name}`));
  const slow = [1, 2, 3, 4, 5].map((number) => takeAll(`slow_${number}`));
  assert.deepEqual(slow, [20, 20, 15, 12, 9]);
  assert.equal(takeAll("quick"), 6);
  assert.ok(lanes.capacity().newLaneSlots > 0);
});

test("an account has as many deliveries as are free, however many destinations, and these share them", () => {
  const { lanes } = createLanes({ deliveriesMax: 1_000 });
  const takeAll = (accountId: string): number[] =>
    Array.from({ length: 600 }, (_, number) => reserveAll(lanes, toKey(accountId, `dst_${number}_of_${accountId}`)));
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  const first = takeAll("acc_a");
  assert.equal(sum(first), 500);
  assert.ok(first.filter((count) => count > 0).length > 25, "no few of them have all");
  assert.deepEqual([sum(takeAll("acc_b")), sum(takeAll("acc_c")), sum(takeAll("acc_a"))], [250, 125, 0]);
  assert.ok(lanes.capacity().all > 0);
});

test("while a hundred destinations of an account hang, events of a hundred others start at once", async () => {
  const { lanes, runs, clock } = createLanes({ deliveriesMax: 1_024 });
  const bring = (accountId: string, name: string): boolean => {
    const delivery = { ...makeClaimed(`dlv_${name}`, `dst_of_${name}`), accountId };
    const isTaken = lanes.reserve(delivery, delivery.body.length);
    if (isTaken) lanes.putReserved(delivery);
    return isTaken;
  };
  for (let record = 0; record < 50; record += 1) {
    for (let hook = 0; hook < 100; hook += 1) bring("acc_hanging", `hook_${hook}`);
    const before = runs.length;
    for (let other = 0; other < 100; other += 1) assert.ok(bring(`acc_${other}`, `other_${other}`), `record ${record}`);
    const started = runs.slice(before);
    assert.equal(started.length, 100);
    for (const run of started) {
      run.answer(toResult(answer(200)));
      run.settle({ result: toResult(answer(200)), verdict: { kind: "delivered" }, heldUntilMs: 0 });
    }
    await clock.advance(200);
  }
});

test("the bodies of one account have as much room as is free", () => {
  const { lanes } = createLanes({ deliveriesMax: 1_000 });
  const bodyChars = 1_000_000;
  const takeAll = (accountId: string): number =>
    [1, 2, 3, 4, 5].reduce((sum, number) => sum + reserveAll(lanes, toKey(accountId, `dst_${number}`), bodyChars), 0);
  assert.equal(takeAll("acc_a"), 17, "half of 32 Mi, and the last of them beyond");
  assert.deepEqual(lanes.capacity().accountSlots, { acc_a: 0 });
  assert.ok(lanes.capacity().chars > 8_000_000 && lanes.capacity().chars < 8_500_000, "a claim takes half of the rest");
  assert.ok(lanes.reserve(toKey("acc_b", "dst_b"), bodyChars));
});

test("what is left in the store for an account at its bound is still known when a claim brought nothing of it", () => {
  const { lanes } = createLanes({ deliveriesMax: 10 });
  for (const number of [1, 2, 3, 4, 5]) assert.ok(lanes.reserve(toKey("acc_a", `dst_${number}`), 2));
  const waiting = toKey("acc_a", "dst_6");
  assert.equal(lanes.reserve(waiting, 2), false);
  lanes.noteBacklog(waiting, true);
  lanes.noteClaimed([], lanes.capacity());
  assert.equal(lanes.load.findLane("dst_6")?.hasBacklog, true);
  lanes.release(toKey("acc_a", "dst_1"), 2);
  lanes.noteClaimed([], lanes.capacity());
  assert.equal(lanes.load.findLane("dst_6")?.hasBacklog, false, "it had room, so there is nothing");
});
