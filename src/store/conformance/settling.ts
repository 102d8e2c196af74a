/** Promises about settling: only for the holder, whole or not at all, along legal edges only; and about health. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Outcome } from "../../domain/attempt.ts";
import { DELIVERY_STATES } from "../../domain/delivery.ts";
import {
  ACCOUNT,
  accept,
  acceptEach,
  makeAttempt,
  bytes,
  claimDue,
  claimIds,
  findDestination,
  due,
  makeEvent,
  held,
  inStore,
  type OpenStore,
  setUp,
  makeSettlement,
  T0,
  loadVersion,
  SETTLED,
  CLAIM_LOST,
} from "./world.ts";
import type { Settlement, SettleResult } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;

const settle = (store: Store, settlements: readonly Settlement[], nowMs = T0): Promise<SettleResult[]> =>
  store.settleAttemptsIfClaimed({ nowMs, settlements });

const load = (store: Store, deliveryId = "dlv_1") => store.loadDelivery({ accountId, deliveryId });

export function describeSettling(open: OpenStore): void {
  describe("settling", () => {
    describeEdges(open);
    describeAttempts(open);
    describeLostClaims(open);
  });
  describe("turning off", () => describeTurningOff(open));
  describe("counting what waits", () => describeCounting(open));
}

function describeEdges(open: OpenStore): void {
  const test = inStore(open);
  for (const state of ["delivered", "failed", "cancelled"] as const) {
    test(`a delivery can end as ${state}, and then nothing moves it`, async (store) => {
      const configVersion = await setUp(store, ["dst_a"]);
      await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
      assert.deepEqual(await settle(store, [makeSettlement("dlv_1", { next: { state } })], T0 + 7), [SETTLED]);
      const ended = await load(store);
      assert.deepEqual([ended?.state, ended?.dueAtMs, ended?.settledAtMs], [state, null, T0 + 7]);
      for (const next of DELIVERY_STATES) {
        const again = makeSettlement("dlv_1", {
          attempt: makeAttempt(2),
          next: next === "pending" ? { state: next, dueAtMs: T0 } : { state: next },
        });
        assert.deepEqual(await settle(store, [again]), [CLAIM_LOST]);
      }
      assert.deepEqual(await claimIds(store, T0 + 10 ** 12), []);
      assert.deepEqual(await load(store), ended);
    });
  }

  test("a retry waits until it is due, in nobody's hands, and knows its attempts", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    await settle(store, [makeSettlement("dlv_1", { next: { state: "pending", dueAtMs: T0 + 5_000 } })]);
    const waiting = await load(store);
    assert.deepEqual([waiting?.state, waiting?.dueAtMs, waiting?.attemptsMade], ["pending", T0 + 5_000, 1]);
    assert.equal(waiting?.settledAtMs, null);
    assert.deepEqual(await settle(store, [makeSettlement("dlv_1", { attempt: makeAttempt(2) })]), [CLAIM_LOST]);
    assert.deepEqual(await claimIds(store, T0 + 4_999), []);
    const nowMs = T0 + 5_000;
    const [again] = await claimDue(store, nowMs);
    assert.deepEqual([again?.id, again?.attemptsMade], ["dlv_1", 1]);
  });

  test("a free attempt is kept and numbered, and the schedule does not count it", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    const next = { state: "pending", dueAtMs: T0 } as const;
    const counts: [number | undefined, number | undefined][] = [];
    for (const [place, isFree] of [true, false, true, false].entries()) {
      await settle(store, [makeSettlement("dlv_1", { attempt: makeAttempt(place + 1), next, isFree })]);
      const [claimed] = await claimDue(store, T0);
      counts.push([claimed?.attemptsMade, claimed?.attemptsInSchedule]);
      assert.equal(claimed?.pendingSinceMs, T0);
    }
    assert.deepEqual(counts, [
      [1, 0],
      [2, 1],
      [3, 1],
      [4, 2],
    ]);
    const loaded = await load(store);
    assert.deepEqual([loaded?.attempts.length, loaded?.attemptsMade, loaded?.attemptsInSchedule], [4, 4, 2]);
  });

  test("a retry that is due before everything else of its destination is claimed in time", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
    await settle(store, [makeSettlement("dlv_1", { next: { state: "pending", dueAtMs: T0 + 900_000 } })]);
    assert.deepEqual(await claimIds(store, T0 + 40_000), ["dlv_2"]);
    await settle(store, [makeSettlement("dlv_2", { next: { state: "pending", dueAtMs: T0 + 45_000 } })]);
    assert.deepEqual(await claimIds(store, T0 + 45_000), ["dlv_2"]);
    assert.deepEqual(await claimIds(store, T0 + 900_000), ["dlv_2", "dlv_1"]);
  });

  test("a state that does not exist is refused and changes nothing", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    const before = await load(store);
    await assert.rejects(settle(store, [makeSettlement("dlv_1", { next: { state: "lost" as "failed" } })]));
    assert.deepEqual(await load(store), before);
    assert.deepEqual(await settle(store, [makeSettlement("dlv_1")]), [SETTLED]);
  });
}

/** One of each kind, with its odd values. */
const OUTCOMES: readonly Outcome[] = [
  {
    kind: "response",
    response: { status: 503, headers: { "retry-after": "5" }, body: Uint8Array.of(0, 255, 128), bodyCut: true },
  },
  { kind: "response", response: { status: 204, headers: {}, body: new Uint8Array(), bodyCut: false } },
  {
    kind: "response",
    response: { status: 200, headers: {}, body: new Uint8Array(), bodyCut: false },
    message: "The form of the answer is odd.",
  },
  { kind: "timeout", phase: "dns" },
  { kind: "timeout", phase: "body" },
  { kind: "dns_error", code: "ENOTFOUND", message: "no such name" },
  { kind: "tls_error", code: "CERT_HAS_EXPIRED", message: "expired" },
  { kind: "network_error", code: "ECONNRESET", message: "" },
  { kind: "blocked", message: "not allowed" },
  { kind: "proxy_error", code: "ECONNREFUSED", message: "refused" },
  { kind: "token_error", code: "TOKEN_MISSING", message: "login.example.com answered 200 without an access_token." },
  { kind: "internal_error", message: "a fault" },
];

function describeAttempts(open: OpenStore): void {
  const test = inStore(open);
  test("every attempt comes back as it was, first one first", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    const attempts = OUTCOMES.map((outcome, place) => makeAttempt(place + 1, { outcome, startedAtMs: T0 + place }));
    for (const [place, attempt] of attempts.entries()) {
      // Hours apart, because eight failures in a row open the breaker.
      const nowMs = T0 + place * 3_600_000;
      const next = { state: "pending", dueAtMs: nowMs } as const;
      const [settled] = await settle(store, [makeSettlement("dlv_1", { attempt, next })], nowMs);
      assert.equal(settled?.kind, "settled");
      await claimIds(store, nowMs + 3_600_000);
    }
    const loaded = await load(store);
    assert.deepEqual(loaded?.attempts, attempts);
    assert.equal(loaded.attemptsMade, attempts.length);
  });

  test("timings and address may be unknown, and fractions of a millisecond stay", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0.125 };
    const outcome = { kind: "blocked", message: "no" } as const;
    const attempt = { ...makeAttempt(1), result: { outcome, timings, address: null } };
    await settle(store, [makeSettlement("dlv_1", { attempt })]);
    assert.deepEqual((await load(store))?.attempts, [attempt]);
  });

  test("a response body that is a part of a larger buffer is kept as that part", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    const body = Buffer.from(`${"x".repeat(100_000)}part`).subarray(100_000);
    const response = { status: 200, headers: {}, body, bodyCut: false };
    await settle(store, [
      makeSettlement("dlv_1", { attempt: makeAttempt(1, { outcome: { kind: "response", response } }) }),
    ]);
    const outcome = (await load(store))?.attempts[0]?.result.outcome;
    assert.deepEqual(outcome, { kind: "response", response: { ...response, body: bytes("part") } });
  });
}

function describeLostClaims(open: OpenStore): void {
  const test = inStore(open);
  test("without the claim nothing is written, and each settlement is answered in order", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    const before = [await load(store), await load(store, "dlv_2"), await store.loadAccount({ accountId })];
    const off = { next: { state: "failed" }, destinationOff: "gone" } as const;
    const settlements = [
      makeSettlement("dlv_1", { ...off, claimToken: "another's" }),
      makeSettlement("dlv_2", off),
      makeSettlement("dlv_unknown", off),
    ];
    assert.deepEqual(await settle(store, settlements), [CLAIM_LOST, CLAIM_LOST, CLAIM_LOST]);
    const after = [await load(store), await load(store, "dlv_2"), await store.loadAccount({ accountId })];
    assert.deepEqual(after, before);
    const mixed = [settlements[0] ?? makeSettlement(""), makeSettlement("dlv_1"), makeSettlement("dlv_1")];
    assert.deepEqual(await settle(store, mixed), [CLAIM_LOST, SETTLED, CLAIM_LOST]);
    assert.equal((await load(store))?.attempts.length, 1);
  });
}

function describeTurningOff(open: OpenStore): void {
  const test = inStore(open);
  test("a destination that is gone is turned off once; accepts decided before are refused", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
    const gone = { next: { state: "failed" }, destinationOff: "gone" } as const;
    assert.deepEqual(await settle(store, [makeSettlement("dlv_1", gone)]), [{ ...SETTLED, turnedOff: "gone" }]);
    const destination = await findDestination(store, "dst_a");
    assert.deepEqual([destination?.state, destination?.offReason], ["off", "gone"]);
    assert.equal(await loadVersion(store), configVersion + 1);
    assert.deepEqual(await accept(store, [makeEvent(9, { configVersion })]), [{ kind: "config_changed" }]);
    assert.deepEqual(await settle(store, [makeSettlement("dlv_2", gone)]), [SETTLED], "it was off already");
    assert.equal(await loadVersion(store), configVersion + 1);
  });

  test("attempts that were under way when it was turned off do not change that, or its reason", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const ids = ["dlv_1", "dlv_2", "dlv_3"];
    const rows = ids.map((id) => held(id, "dst_a"));
    await acceptEach(store, rows, configVersion);
    await settle(store, [makeSettlement("dlv_1", { next: { state: "failed" }, destinationOff: "gone" })]);
    const sixDaysMs = 6 * 86_400_000;
    await settle(store, [makeSettlement("dlv_2", { next: { state: "failed" } })], T0 + sixDaysMs);
    await settle(store, [makeSettlement("dlv_3")], T0 + sixDaysMs);
    const destination = await findDestination(store, "dst_a");
    assert.deepEqual([destination?.state, destination?.offReason], ["off", "gone"]);
  });
}

function describeCounting(open: OpenStore): void {
  const test = inStore(open);
  test("all that is pending waits, held or not; the oldest due is of what could go now", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    assert.deepEqual(await store.countWaiting({ nowMs: T0 }), { waiting: 0, oldestDueAtMs: null });
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a"), due("dlv_3", "dst_b")], configVersion);
    assert.deepEqual(await store.countWaiting({ nowMs: T0 }), { waiting: 3, oldestDueAtMs: null });
    assert.deepEqual(await store.countWaiting({ nowMs: T0 + 9 }), { waiting: 3, oldestDueAtMs: T0 + 1 });
    await claimIds(store, T0 + 9, { deliveriesMax: 1 });
    assert.deepEqual(await store.countWaiting({ nowMs: T0 + 9 }), { waiting: 3, oldestDueAtMs: T0 + 2 });
    await settle(store, [
      makeSettlement("dlv_1"),
      makeSettlement("dlv_2", { next: { state: "pending", dueAtMs: T0 + 99 } }),
    ]);
    assert.deepEqual(await store.countWaiting({ nowMs: T0 + 9 }), { waiting: 2, oldestDueAtMs: T0 + 2 });
  });

  test("a retry that lies ahead is not overdue, although its claim would have run out by now", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
    await settle(store, [makeSettlement("dlv_1", { next: { state: "pending", dueAtMs: T0 + 900_000 } })]);
    assert.deepEqual(await store.countWaiting({ nowMs: T0 + 60_000 }), { waiting: 1, oldestDueAtMs: null });
  });
}
