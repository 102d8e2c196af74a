/** Promises about a destination's health: when it gets a cool-down, who sends its trial, and what that holds back. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Outcome } from "../../domain/attempt.ts";
import {
  ACCOUNT,
  accept,
  ACCEPTED,
  acceptEach,
  makeAttempt,
  claimAt,
  claimDue,
  claimIds,
  findDestination,
  due,
  makeEvent,
  held,
  inStore,
  LEASE_MS,
  okOutcome,
  openBreaker,
  type OpenStore,
  setUp,
  SETTLED,
  makeSettlement,
  T0,
  loadVersion,
} from "./world.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

/** How long the first cool-down is: domain/destination-health.ts. */
const COOL_DOWN_MS = 30_000;
const TRIAL_AT = T0 + COOL_DOWN_MS;

const failed: Partial<Settlement> = { next: { state: "failed" } };

/** Settles one at `nowMs`, which is `T0` unless said otherwise. */
async function settleOne(store: Store, deliveryId: string, { nowMs = T0, ...parts }: Settling) {
  const [answer] = await store.settleAttemptsIfClaimed({ nowMs, settlements: [makeSettlement(deliveryId, parts)] });
  return answer;
}

type Settling = Partial<Settlement> & { readonly nowMs?: number };

/** `dst_a` with an open breaker and the deliveries 1 to `waiting` behind it; `dst_b` beside it. */
async function setUpHeld(store: Store, waiting: number): Promise<number> {
  const configVersion = await setUp(store, ["dst_a", "dst_b"]);
  await openBreaker(store, "dst_a");
  const rows = Array.from({ length: waiting }, (_, place) => due(`dlv_${place + 1}`, "dst_a"));
  await acceptEach(store, rows, configVersion);
  return configVersion;
}

export function describeHealth(open: OpenStore): void {
  describe("health", () => {
    describeBreaker(open);
    describeTrials(open);
    describeRetryAfter(open);
    describeAccepting(open);
    describeGivingUp(open);
  });
}

function describeBreaker(open: OpenStore): void {
  const test = inStore(open);
  test("eight failures in a row open the breaker, and each answer says until when nothing goes out", async (store) => {
    await setUp(store, ["dst_a", "dst_b"]);
    const answers = await openBreaker(store, "dst_a");
    const expected = Array.from({ length: 8 }, (_, place) =>
      place < 7 ? SETTLED : { ...SETTLED, heldUntilMs: TRIAL_AT },
    );
    assert.deepEqual(answers, expected);
  });

  test("while it is open nothing of the destination is claimed, and others are", async (store) => {
    const configVersion = await setUpHeld(store, 3);
    await acceptEach(store, [due("dlv_4", "dst_b")], configVersion);
    assert.deepEqual(await claimIds(store, TRIAL_AT - 1), ["dlv_4"]);
    assert.deepEqual(await store.countWaiting({ nowMs: TRIAL_AT - 1 }), { waiting: 4, oldestDueAtMs: null });
  });

  test("the first failed attempt starts a run of failures, and a delivered one ends it", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const rows = ["dlv_1", "dlv_2", "dlv_3"].map((id) => held(id, "dst_a"));
    await acceptEach(store, rows, configVersion);
    const failingSince = async () => (await findDestination(store, "dst_a"))?.failingSinceMs;
    assert.equal(await failingSince(), null);
    await settleOne(store, "dlv_1", { ...failed, attempt: makeAttempt(1, { startedAtMs: T0 + 10 }), nowMs: T0 + 15 });
    await settleOne(store, "dlv_2", { ...failed, attempt: makeAttempt(1, { startedAtMs: T0 + 20 }), nowMs: T0 + 25 });
    assert.equal(await failingSince(), T0 + 10);
    await settleOne(store, "dlv_3", { nowMs: T0 + 30 });
    assert.equal(await failingSince(), null);
    assert.equal((await findDestination(store, "dst_b"))?.failingSinceMs, null);
  });

  test("a success of an attempt that was under way closes it, and everything goes out", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a"), due("dlv_3", "dst_a")], configVersion);
    await openBreaker(store, "dst_a");
    assert.deepEqual(await settleOne(store, "dlv_1", { nowMs: T0 + 9 }), SETTLED);
    assert.deepEqual(await claimIds(store, T0 + 9), ["dlv_2", "dlv_3"]);
  });

  test("faults of ours and of the operator's proxy are not charged to the destination", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const ids = Array.from({ length: 20 }, (_, place) => `dlv_${place + 1}`);
    const rows = ids.map((id) => held(id, "dst_a"));
    await acceptEach(store, rows, configVersion);
    const faults: Outcome[] = [
      { kind: "proxy_error", code: "ECONNREFUSED", message: "" },
      { kind: "internal_error", message: "" },
    ];
    for (const [place, id] of ids.entries()) {
      const outcome = faults[place % 2] ?? okOutcome;
      assert.deepEqual(await settleOne(store, id, { ...failed, attempt: makeAttempt(1, { outcome }) }), SETTLED);
    }
    assert.equal((await findDestination(store, "dst_a"))?.failingSinceMs, null);
  });

  test("a failure that arrives after the rest is over still says that the destination is held", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    await openBreaker(store, "dst_a");
    const answer = await settleOne(store, "dlv_1", { ...failed, nowMs: TRIAL_AT + 5_000 });
    assert.deepEqual(answer, { ...SETTLED, heldUntilMs: TRIAL_AT });
  });
}

function describeTrials(open: OpenStore): void {
  const test = inStore(open);
  test("after the rest one delivery alone goes out, marked as the trial, until its claim runs out", async (store) => {
    await setUpHeld(store, 3);
    const [trial, ...others] = await claimDue(store, TRIAL_AT);
    assert.deepEqual([trial?.id, trial?.isTrial, others], ["dlv_1", true, []]);
    assert.deepEqual(await claimIds(store, TRIAL_AT + LEASE_MS - 1), []);
    // Its node is dead: the next trial goes by itself.
    const [next, ...rest] = await claimDue(store, TRIAL_AT + LEASE_MS);
    assert.deepEqual([next?.id, next?.isTrial, rest], ["dlv_2", true, []]);
  });

  test("two claims at once get one trial between them", async (store) => {
    await setUpHeld(store, 3);
    const claims = await Promise.all(Array.from({ length: 4 }, () => claimDue(store, TRIAL_AT)));
    assert.equal(claims.flat().length, 1);
  });

  test("a trial that succeeds lets everything out, and a trial is no trial any more", async (store) => {
    await setUpHeld(store, 3);
    await claimIds(store, TRIAL_AT);
    assert.deepEqual(await settleOne(store, "dlv_1", { isTrial: true, nowMs: TRIAL_AT + 9 }), SETTLED);
    const claimed = await claimDue(store, TRIAL_AT + 9);
    assert.deepEqual(
      claimed.map(({ id, isTrial }) => [id, isTrial]),
      [
        ["dlv_2", false],
        ["dlv_3", false],
      ],
    );
  });

  test("a trial that fails makes the next cool-down twice as long", async (store) => {
    await setUpHeld(store, 3);
    await claimIds(store, TRIAL_AT);
    const nowMs = TRIAL_AT + 9;
    const nextMs = nowMs + 2 * COOL_DOWN_MS;
    const answer = await settleOne(store, "dlv_1", { ...failed, isTrial: true, nowMs });
    assert.deepEqual(answer, { ...SETTLED, heldUntilMs: nextMs });
    assert.deepEqual(await claimIds(store, nextMs - 1), []);
    assert.deepEqual(await claimIds(store, nextMs), ["dlv_2"]);
  });

  test("a failure of an attempt that was under way makes the rest no longer", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    await openBreaker(store, "dst_a");
    await settleOne(store, "dlv_1", { ...failed, nowMs: T0 + 20_000 });
    assert.deepEqual(await claimIds(store, TRIAL_AT), ["dlv_2"]);
  });

  test("a trial that is given back lets another go at the time that was said", async (store) => {
    await setUpHeld(store, 3);
    await claimIds(store, TRIAL_AT);
    const claims = [{ deliveryId: "dlv_1", accountId: ACCOUNT.id, claimToken: "token" }];
    assert.deepEqual(await store.releaseClaims({ claims, dueAtMs: TRIAL_AT + 5 }), { released: 1 });
    assert.deepEqual(await claimIds(store, TRIAL_AT + 4), []);
    assert.deepEqual(await claimIds(store, TRIAL_AT + 5), ["dlv_2"]);
  });

  test("giving back what was claimed before the breaker opened ends no cool-down", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    await openBreaker(store, "dst_a");
    const claims = [{ deliveryId: "dlv_1", accountId: ACCOUNT.id, claimToken: "token" }];
    assert.deepEqual(await store.releaseClaims({ claims, dueAtMs: T0 + 5 }), { released: 1 });
    assert.deepEqual(await claimIds(store, TRIAL_AT - 1), []);
  });

  test("a trial that is given back does not end a silence that was asked for meanwhile", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    await openBreaker(store, "dst_a");
    const tried = await claimIds(store, TRIAL_AT, { claim: claimAt(TRIAL_AT, "trial") });
    assert.deepEqual(tried, ["dlv_2"], "not the one that is under way");
    const holdUntilMs = TRIAL_AT + 600_000;
    await settleOne(store, "dlv_1", { ...failed, holdUntilMs, nowMs: TRIAL_AT + 5 });
    await store.releaseClaims({
      claims: [{ deliveryId: "dlv_2", accountId: ACCOUNT.id, claimToken: "probe" }],
      dueAtMs: TRIAL_AT + 9,
    });
    assert.deepEqual(await claimIds(store, holdUntilMs - 1), []);
    assert.deepEqual(await claimIds(store, holdUntilMs), ["dlv_2"]);
  });

  test("a lane without room gets no trial and takes it from nobody", async (store) => {
    await setUpHeld(store, 3);
    assert.deepEqual(await claimIds(store, TRIAL_AT, { freeSlots: { dst_a: 0 } }), []);
    assert.deepEqual(await claimIds(store, TRIAL_AT, { freeSlots: { dst_a: 20 } }), ["dlv_1"]);
  });
}

function describeRetryAfter(open: OpenStore): void {
  const test = inStore(open);
  const holdUntilMs = T0 + 90_000;

  test("a receiver that asks for silence gets it for all of its deliveries, and then all go out", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(
      store,
      [held("dlv_1", "dst_a"), due("dlv_2", "dst_a"), due("dlv_3", "dst_a"), due("dlv_4", "dst_b")],
      configVersion,
    );
    const answer = await settleOne(store, "dlv_1", { ...failed, holdUntilMs, nowMs: T0 + 9 });
    assert.deepEqual(answer, { ...SETTLED, heldUntilMs: holdUntilMs });
    assert.deepEqual(await claimIds(store, holdUntilMs - 1), ["dlv_4"]);
    const claimed = await claimDue(store, holdUntilMs);
    assert.deepEqual(
      claimed.map(({ id, isTrial }) => [id, isTrial]),
      [
        ["dlv_2", false],
        ["dlv_3", false],
      ],
    );
  });

  test("the silence outlasts a cool-down that begins in it", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await acceptEach(store, [due("dlv_2", "dst_a")], configVersion);
    const answers = await openBreaker(store, "dst_a", { holdUntilMs });
    for (const answer of answers) assert.deepEqual(answer, { ...SETTLED, heldUntilMs: holdUntilMs });
    assert.deepEqual(await claimIds(store, holdUntilMs - 1), []);
    assert.deepEqual(await claimIds(store, holdUntilMs), ["dlv_2"]);
  });
}

function describeAccepting(open: OpenStore): void {
  const test = inStore(open);
  test("a delivery for a destination that is held back is not claimed by its accept, and waits", async (store) => {
    const configVersion = await setUpHeld(store, 0);
    const deliveries = [held("dlv_1", "dst_a"), held("dlv_2", "dst_b"), due("dlv_3", "dst_a")];
    const answers = await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    assert.deepEqual(answers, [{ kind: "accepted", unclaimed: ["dlv_1"] }]);
    assert.deepEqual(await claimIds(store, TRIAL_AT - 1), []);
    assert.deepEqual(await claimIds(store, TRIAL_AT), ["dlv_1", "dlv_2"]);
  });

  test("nor after the rest is over, because only a claim makes a trial", async (store) => {
    const configVersion = await setUpHeld(store, 0);
    const event = makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] });
    assert.deepEqual(await accept(store, [event], TRIAL_AT + 1), [{ kind: "accepted", unclaimed: ["dlv_1"] }]);
    const [trial] = await claimDue(store, TRIAL_AT + 1);
    assert.deepEqual([trial?.id, trial?.isTrial], ["dlv_1", true]);
  });

  test("a delivery for a destination that asked for silence waits too, until it is over", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    await settleOne(store, "dlv_1", { ...failed, holdUntilMs: T0 + 50 });
    const eventAt = (n: number) => makeEvent(n, { configVersion, deliveries: [held(`dlv_${n}`, "dst_a")] });
    assert.deepEqual(await accept(store, [eventAt(2)], T0 + 49), [{ kind: "accepted", unclaimed: ["dlv_2"] }]);
    assert.deepEqual(await accept(store, [eventAt(3)], T0 + 50), [ACCEPTED]);
    assert.deepEqual(await claimIds(store, T0 + 50), ["dlv_2"]);
  });
}

function describeGivingUp(open: OpenStore): void {
  const test = inStore(open);
  const afterDays = (days: number) => T0 + days * 86_400_000;

  /** Eight failures at `T0`, then one each half a day, the last one `days` later. */
  async function failUntil(store: Store, days: number) {
    const halves = Array.from({ length: Math.floor(days * 2) - 1 }, (_, place) => (place + 1) / 2);
    return await failOn(store, [...halves, days]);
  }

  /** Eight failures at `T0`, then a trial that fails at each of these times; one more delivery waits. */
  async function failOn(store: Store, days: readonly number[]) {
    const configVersion = await setUpHeld(store, days.length + 1);
    assert.equal(await loadVersion(store), configVersion, "the breaker alone changes nothing for accepts");
    let turnedOff;
    for (const nowMs of days.map(afterDays)) {
      const [id = ""] = await claimIds(store, nowMs, { claim: claimAt(nowMs) });
      const attempted = makeAttempt(1, { startedAtMs: nowMs });
      const answer = await settleOne(store, id, { ...failed, attempt: attempted, isTrial: true, nowMs });
      turnedOff = answer?.kind === "settled" ? answer.turnedOff : "nothing was settled";
    }
    return { configVersion, turnedOff };
  }

  test("a destination where every attempt failed for five days is turned off, and what waits stays", async (store) => {
    assert.equal((await failUntil(store, 5)).turnedOff, "failing");
    const destination = await findDestination(store, "dst_a");
    assert.deepEqual([destination?.state, destination?.offReason], ["off", "failing"]);
    assert.deepEqual(await claimIds(store, afterDays(9)), []);
    assert.equal((await store.countWaiting({ nowMs: afterDays(9) })).waiting, 1);
  });

  test("not a moment earlier", async (store) => {
    assert.equal((await failUntil(store, 4.999)).turnedOff, null);
    assert.equal((await findDestination(store, "dst_a"))?.state, "on");
  });

  test("a quiet one that failed a month ago is not turned off by one failure; its run begins anew", async (store) => {
    assert.equal((await failOn(store, [0.1, 0.2, 30])).turnedOff, null);
    const { state, failingSinceMs } = (await findDestination(store, "dst_a")) ?? {};
    assert.deepEqual([state, failingSinceMs], ["on", afterDays(30)]);
  });

  test("accepts that were decided before it was turned off are refused", async (store) => {
    const { configVersion } = await failUntil(store, 5);
    assert.deepEqual(await accept(store, [makeEvent(9, { configVersion })]), [{ kind: "config_changed" }]);
  });
}
