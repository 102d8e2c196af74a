/** Promises about incidents: when one begins and ends, what came back meanwhile, and what became of its deliveries. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Outcome } from "../../domain/attempt.ts";
import type { ResponseFilter } from "../../domain/replay.ts";
import type { StoredIncident } from "../contract/incidents.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";
import {
  accept,
  ACCOUNT,
  ADA,
  attempt,
  bytes,
  claimDue,
  due,
  held,
  inStore,
  makeAttempt,
  makeEvent,
  makeSettlement,
  openBreaker,
  type OpenStore,
  purgeNow,
  setUp,
  T0,
} from "./world.ts";

const accountId = ACCOUNT.id;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const answer = (status: number): Outcome => ({
  kind: "response",
  response: { status, headers: {}, body: bytes(""), bodyCut: false },
});

const TIMEOUT: Outcome = { kind: "timeout", phase: "connect" };

interface Failing {
  readonly outcome?: Outcome;
  readonly atMs?: number;
  readonly next?: Settlement["next"];
  readonly off?: "gone";
}

/** One attempt at `dst_a` that failed, of a delivery of its own. */
async function fail(store: Store, n: number, { outcome = answer(503), atMs = T0, next, off }: Failing = {}) {
  const settlement = {
    attempt: makeAttempt(1, { startedAtMs: atMs, outcome }),
    next: next ?? ({ state: "failed" } as const),
    destinationOff: off ?? null,
  };
  await attempt(store, n, { ...settlement, nowMs: atMs });
}

async function failTimes(store: Store, first: number, { times, ...failing }: Failing & { readonly times: number }) {
  for (let n = first; n < first + times; n += 1) await fail(store, n, failing);
}

const succeed = (store: Store, n: number, atMs: number): Promise<void> => attempt(store, n, { nowMs: atMs });

const list = (store: Store, destinationId = "dst_a"): Promise<readonly StoredIncident[]> =>
  store.listIncidents({ accountId, destinationId, before: null, limit: 50 });

async function findOne(store: Store): Promise<StoredIncident> {
  const incidents = await list(store);
  assert.equal(incidents.length, 1);
  return incidents[0] as StoredIncident;
}

const count = (store: Store, incidentId: string, rowsMax = 10_000) =>
  store.countIncident({ accountId, destinationId: "dst_a", incidentId, rowsMax, nowMs: T0 + HOUR_MS });

const setState = (store: Store, state: "on" | "paused", nowMs: number) =>
  store.setDestinationState({ accountId, destinationId: "dst_a", state, by: ADA, reason: "", nowMs });

export function describeIncidents(open: OpenStore): void {
  describe("incidents", () => {
    describeBeginning(open);
    describeEnding(open);
    describeFigures(open);
    describeSendingAgain(open);
    describeKeeping(open);
  });
}

function describeBeginning(open: OpenStore): void {
  const test = inStore(open);
  test("five failures begin one, from the first of them, with what came back to each", async (store) => {
    await setUp(store, ["dst_a", "dst_b"]);
    await fail(store, 1, { atMs: T0 + 1, outcome: TIMEOUT });
    await failTimes(store, 2, { atMs: T0 + 2, times: 3 });
    assert.deepEqual(await list(store), []);
    await fail(store, 5, { atMs: T0 + 5 });
    await fail(store, 6, { atMs: T0 + 6, outcome: TIMEOUT });
    const { id, ...incident } = await findOne(store);
    assert.match(id, /^inc_/);
    assert.deepEqual(incident, {
      destinationId: "dst_a",
      fromMs: T0 + 1,
      toMs: null,
      end: null,
      offReason: null,
      interruptions: 0,
      responses: [
        { code: "503", count: 4 },
        { code: "timeout", count: 2 },
      ],
    });
    assert.deepEqual(await list(store, "dst_b"), []);
  });

  test("attempts that fail together, in one settlement, are each counted once", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    assert.equal(sumOf(await findOne(store)), 8);
  });

  test("a few failures that end with a success are none, and are not counted in the next one", async (store) => {
    await setUp(store, ["dst_a"]);
    await failTimes(store, 1, { times: 4 });
    await succeed(store, 5, T0 + 1);
    await succeed(store, 6, T0 + 1);
    await succeed(store, 7, T0 + 1);
    await succeed(store, 8, T0 + 1);
    await failTimes(store, 10, { times: 5, atMs: T0 + 2, outcome: answer(500) });
    assert.deepEqual((await findOne(store)).responses, [{ code: "500", count: 5 }]);
  });

  test("faults of ours and of the operator's proxy begin none", async (store) => {
    await setUp(store, ["dst_a"]);
    await failTimes(store, 1, { times: 9, outcome: { kind: "internal_error", message: "ours" } });
    assert.deepEqual(await list(store), []);
  });

  test("410 Gone begins one at once, and it says that the destination was turned off", async (store) => {
    await setUp(store, ["dst_a"]);
    await fail(store, 1, { outcome: answer(410), off: "gone", atMs: T0 + 3 });
    const { fromMs, toMs, offReason, responses } = await findOne(store);
    assert.deepEqual([fromMs, toMs, offReason], [T0 + 3, null, "gone"]);
    assert.deepEqual(responses, [{ code: "410", count: 1 }]);
  });
}

const sumOf = ({ responses }: StoredIncident): number => responses.reduce((sum, each) => sum + each.count, 0);

function describeEnding(open: OpenStore): void {
  const test = inStore(open);
  test("the first success ends it, and its counts stay", async (store) => {
    await setUp(store, ["dst_a"]);
    await failTimes(store, 1, { times: 6 });
    const before = await findOne(store);
    await succeed(store, 7, T0 + 9);
    await succeed(store, 8, T0 + 10);
    assert.deepEqual(await findOne(store), { ...before, toMs: T0 + 9, end: "recovered" });
  });

  test("one that fails again within ten minutes goes on, later it is another", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    await succeed(store, 1, T0 + MINUTE_MS);
    await failTimes(store, 10, { times: 8, atMs: T0 + 11 * MINUTE_MS, outcome: TIMEOUT });
    const again = await findOne(store);
    assert.deepEqual([again.fromMs, again.toMs, again.interruptions, sumOf(again)], [T0, null, 1, 16]);
    await succeed(store, 20, T0 + 12 * MINUTE_MS);
    await failTimes(store, 30, { times: 5, atMs: T0 + 22 * MINUTE_MS + 1 });
    const [second, first] = await list(store);
    assert.deepEqual([first?.id, first?.end], [again.id, "recovered"]);
    assert.deepEqual([second?.fromMs, second?.toMs], [T0 + 22 * MINUTE_MS + 1, null]);
  });

  test("a person who turns the destination on ends it; failures after that are another one", async (store) => {
    await setUp(store, ["dst_a"]);
    await fail(store, 1, { outcome: answer(410), off: "gone" });
    await setState(store, "on", T0 + 5);
    assert.deepEqual([(await findOne(store)).toMs, (await findOne(store)).end], [T0 + 5, "turned_on"]);
    await fail(store, 2, { outcome: answer(410), off: "gone", atMs: T0 + 6 });
    assert.deepEqual(
      (await list(store)).map(({ toMs, responses }) => [toMs, responses[0]?.count]),
      [
        [null, 1],
        [T0 + 5, 1],
      ],
    );
  });

  test("pausing does not end it, for what waits does not arrive by that", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    await setState(store, "paused", T0 + 5);
    assert.equal((await findOne(store)).toMs, null);
  });

  test("removing the webhook ends it", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    const assistantId = "assistant of dst_a";
    const removal = { accountId, assistantId, expectedRevision: 2, by: ADA, nowMs: T0 + 7 };
    await store.removeAssistantDestination(removal);
    assert.deepEqual([(await findOne(store)).toMs, (await findOne(store)).end], [T0 + 7, "deleted"]);
  });
}

function describeFigures(open: OpenStore): void {
  const test = inStore(open);
  test("what it has hit is counted by what became of it, and what arrived at once is not", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await succeed(store, 1, T0);
    await openBreaker(store, "dst_a");
    await fail(store, 2, { atMs: T0 + 1, outcome: TIMEOUT, next: { state: "pending", dueAtMs: T0 + HOUR_MS } });
    await accept(store, [makeEvent(3, { configVersion, deliveries: [due("dlv_3", "dst_a")] })], T0 + 2);
    await accept(store, [makeEvent(4, { configVersion, deliveries: [held("dlv_4", "dst_b")] })], T0 + 2);
    const nowMs = T0 + MINUTE_MS;
    const [trial] = await claimDue(store, nowMs);
    const arrived = { attempt: makeAttempt(1, { startedAtMs: nowMs }), isTrial: true };
    await store.settleAttemptsIfClaimed({ nowMs, settlements: [makeSettlement(trial?.id ?? "", arrived)] });
    const { id } = await findOne(store);
    assert.deepEqual(await count(store, id), {
      // The one that waited for a minute.
      delivered: 1,
      waiting: 1,
      failed: 8,
      cancelled: 0,
      failedBy: [{ code: "200", count: 8 }],
      oldestMs: T0,
      firstFailedId: "dlv_900",
      lastFailedId: "dlv_907",
      isCapped: false,
    });
  });

  test("those that failed are told apart by their last response", async (store) => {
    await setUp(store, ["dst_a"]);
    await failTimes(store, 1, { times: 4 });
    await failTimes(store, 5, { times: 2, outcome: TIMEOUT });
    const { id } = await findOne(store);
    assert.deepEqual((await count(store, id))?.failedBy, [
      { code: "503", count: 4 },
      { code: "timeout", count: 2 },
    ]);
  });

  test("what was accepted after its end is not among them, and what had ended before is not", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await fail(store, 1, { atMs: T0 });
    await succeed(store, 2, T0 + 1);
    await failTimes(store, 3, { times: 6, atMs: T0 + 10 });
    await succeed(store, 20, T0 + 20);
    await accept(store, [makeEvent(30, { configVersion, deliveries: [due("dlv_30", "dst_a")] })], T0 + 21);
    const { id } = await findOne(store);
    const figures = await count(store, id);
    assert.deepEqual([figures?.failed, figures?.waiting], [6, 0]);
  });

  test("with more deliveries than may be looked at it says so", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    const ids = Array.from({ length: 20 }, (_, place) => place + 1);
    for (const n of ids) {
      const event = makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, "dst_a")] });
      await accept(store, [event], T0 + 100 + n);
    }
    const { id } = await findOne(store);
    assert.deepEqual([(await count(store, id, 10))?.isCapped, (await count(store, id, 10))?.waiting], [true, 10]);
    assert.deepEqual([(await count(store, id))?.isCapped, (await count(store, id))?.waiting], [false, 20]);
  });
}

function describeSendingAgain(open: OpenStore): void {
  const test = inStore(open);
  test("a replay can be narrowed by the last response: one status, a class, or that none came", async (store) => {
    await setUp(store, ["dst_a"]);
    await failTimes(store, 1, { times: 3 });
    await failTimes(store, 4, { times: 2, outcome: answer(500) });
    await failTimes(store, 6, { times: 1, outcome: TIMEOUT });
    const freeze = async (response: ResponseFilter | null) => {
      const filter = { states: ["failed"], ...(response === null ? {} : { response }) } as const;
      const id = `rpl_${JSON.stringify(response)}`;
      const replay = { accountId, id, filter, deliveriesMax: 9, ratePerSecond: 1, startPaused: true, by: ADA };
      return await store.createReplay({ ...replay, nowMs: T0 + HOUR_MS });
    };
    assert.deepEqual(await freeze(null), { deliveries: 6 });
    assert.deepEqual(await freeze({ status: 503 }), { deliveries: 3 });
    assert.deepEqual(await freeze({ hundreds: 5 }), { deliveries: 5 });
    assert.deepEqual(await freeze({ status: 404 }), { deliveries: 0 });
    assert.deepEqual(await freeze("none"), { deliveries: 1 });
  });
}

function describeKeeping(open: OpenStore): void {
  const test = inStore(open);
  test("they are seen by their own account only", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    const { id } = await findOne(store);
    const foreign = { accountId: "acc_2", limit: 9 };
    assert.deepEqual(await store.listIncidents({ ...foreign, destinationId: "dst_a", before: null }), []);
    assert.deepEqual(await store.listIncidents({ ...foreign, sinceMs: 0 }), []);
    const counting = { accountId: "acc_2", destinationId: "dst_a", incidentId: id, rowsMax: 9, nowMs: T0 };
    assert.equal(await store.countIncident(counting), null);
  });

  test("all of an account since then are listed, newest first, and those of one page by page", async (store) => {
    await setUp(store, ["dst_a", "dst_b"]);
    await openBreaker(store, "dst_a");
    await succeed(store, 1, T0 + MINUTE_MS);
    await failTimes(store, 10, { times: 5, atMs: T0 + HOUR_MS });
    const since = async (sinceMs: number) =>
      (await store.listIncidents({ accountId, sinceMs, limit: 9 })).map(({ fromMs }) => fromMs);
    assert.deepEqual(await since(T0), [T0 + HOUR_MS, T0]);
    assert.deepEqual(await since(T0 + MINUTE_MS + 1), [T0 + HOUR_MS]);
    const [newest] = await list(store);
    const older = await store.listIncidents({ accountId, sinceMs: 0, before: newest?.id ?? "", limit: 9 });
    assert.deepEqual([older.length, older[0]?.fromMs], [1, T0]);
    const lasting = await store.listIncidents({ accountId, sinceMs: Number.MAX_SAFE_INTEGER, limit: 9 });
    assert.deepEqual(lasting, [newest]);
    const next = { accountId, destinationId: "dst_a", before: newest?.id ?? "", limit: 1 };
    assert.deepEqual(
      (await store.listIncidents(next)).map(({ fromMs }) => fromMs),
      [T0],
    );
  });

  test("retention forgets those that have ended before its time, and none that lasts", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    await purgeNow(store, T0 + HOUR_MS, T0 + HOUR_MS);
    assert.equal((await list(store)).length, 1);
    await succeed(store, 1, T0 + MINUTE_MS);
    await purgeNow(store, T0 + HOUR_MS, T0 + MINUTE_MS);
    assert.equal((await list(store)).length, 1);
    await purgeNow(store, T0 + HOUR_MS, T0 + MINUTE_MS + 1);
    assert.deepEqual(await list(store), []);
  });
}
