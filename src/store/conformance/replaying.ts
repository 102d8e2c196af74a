/** Promises about bulk replays: a frozen set, an exact count, at a rate, each delivery once more whatever happens. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import {
  ACCOUNT,
  accept,
  acceptEach,
  claimDue,
  claimIds,
  due,
  makeEvent,
  held,
  inStore,
  type OpenStore,
  setUp,
  makeSettlement,
  T0,
  TEST_DELIVERY,
  ADA,
  EVE,
} from "./world.ts";
import type { Store } from "../contract/store.ts";
import type { CreateReplay, SetReplayState } from "../contract/replays.ts";

const accountId = ACCOUNT.id;
/** When replays are created; what they replay is older. */
const NOW = T0 + 60_000;
const ALL = { states: ["delivered", "failed", "cancelled"] } as const;

const CREATED = {
  accountId,
  id: "rpl_1",
  filter: ALL,
  deliveriesMax: 99,
  ratePerSecond: 10,
  startPaused: false,
  by: ADA,
  nowMs: NOW,
};

const create = (store: Store, parts: Partial<CreateReplay> = {}) => store.createReplay({ ...CREATED, ...parts });

const step = async (store: Store, nowMs: number, deliveriesMax = 1_000) =>
  (await store.stepReplays({ nowMs, deliveriesMax })).moved;

const setState = (store: Store, state: SetReplayState["state"], nowMs = NOW) =>
  store.setReplayState({ accountId, replayId: "rpl_1", state, by: EVE, nowMs });

const load = async (store: Store, replayId = "rpl_1") => (await store.listReplays({ accountId, replayId }))[0];

const toId = (n: number): string => `dlv_${String(n).padStart(3, "0")}`;

interface Ended {
  readonly first?: number;
  readonly destinationId?: string;
  readonly state?: "failed" | "delivered" | "cancelled";
}

/** `count` deliveries to `destinationId`, numbered from `first`, accepted a millisecond apart and ended in `state`. */
async function setUpEnded(
  store: Store,
  count: number,
  { first = 1, destinationId = "dst_a", state = "failed" }: Ended = {},
): Promise<number> {
  const configVersion = await setUp(store, ["dst_a", "dst_b"]);
  const ids = Array.from({ length: count }, (_, place) => toId(first + place));
  await acceptEach(
    store,
    ids.map((id) => held(id, destinationId)),
    configVersion,
  );
  const settlements = ids.map((id) => makeSettlement(id, { next: { state } }));
  await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
  // These failures have opened its breaker.
  const on = { accountId, destinationId, state: "on", by: ADA, reason: "", nowMs: T0 } as const;
  await store.setDestinationState(on);
  return configVersion;
}

export function describeReplaying(open: OpenStore): void {
  describe("replaying", () => {
    describeFreezing(open);
    describeWaiting(open);
    describeSteps(open);
    describeStates(open);
  });
}

function describeFreezing(open: OpenStore): void {
  const test = inStore(open);
  test("a replay comes back as it was created, with the exact count", async (store) => {
    await setUpEnded(store, 3);
    assert.deepEqual(await create(store), { deliveries: 3 });
    assert.deepEqual(await load(store), {
      id: "rpl_1",
      filter: ALL,
      ratePerSecond: 10,
      state: "running",
      isPrepared: false,
      deliveries: 3,
      moved: 0,
      skipped: 0,
      actor: "ada",
      stateActor: "ada",
      createdAtMs: NOW,
      endedAtMs: null,
    });
    assert.equal(await load(store, "rpl_unknown"), undefined);
    assert.deepEqual(await store.listReplays({ accountId: "acc_2", replayId: "rpl_1" }), []);
  });

  test("the filter names destination, type, states and time, from inclusive, to exclusive", async (store) => {
    await setUpEnded(store, 4);
    await setUpEnded(store, 2, { first: 11, destinationId: "dst_b", state: "delivered" });
    const cases: [Partial<CreateReplay["filter"]>, number][] = [
      [{}, 6],
      [{ destinationId: "dst_b" }, 2],
      [{ destinationId: "dst_unknown" }, 0],
      [{ type: "demo_viewed" }, 6],
      [{ type: "chat_conversation_completed" }, 0],
      [{ states: ["failed"] }, 4],
      [{ states: ["delivered", "cancelled"] }, 2],
      [{ states: [] }, 0],
      [{ createdFromMs: T0 + 2 }, 2],
      [{ createdToMs: T0 + 2 }, 4],
      [{ createdFromMs: T0 + 1, createdToMs: T0 + 2, destinationId: "dst_a" }, 1],
      [{ createdToMs: NOW + 99 }, 6],
    ];
    for (const [place, [filter, deliveries]] of cases.entries()) {
      const answer = await create(store, { id: `rpl_${place}`, filter: { ...ALL, ...filter } });
      assert.deepEqual(answer, { deliveries }, JSON.stringify(filter));
    }
  });

  test("tests, what is pending, has no payload or is another account's are never among them", async (store) => {
    const configVersion = await setUpEnded(store, 2);
    const never = { attemptBodiesBeforeMs: 0, rowsBeforeMs: 0, rowsMax: 99 };
    await store.purge({ nowMs: NOW, payloadsBeforeMs: T0 + 1, ...never });
    await accept(store, [makeEvent(50, { configVersion, deliveries: [due("dlv_050", "dst_a")] })]);
    await store.recordTestDelivery(TEST_DELIVERY);
    assert.deepEqual(await create(store), { deliveries: 1 });
    assert.deepEqual(await create(store, { id: "rpl_2", accountId: "acc_2" }), { deliveries: 0 });
  });

  test("what ends or comes in after it was created is not in it", async (store) => {
    const configVersion = await setUpEnded(store, 2);
    await accept(store, [makeEvent(50, { configVersion, deliveries: [held("dlv_050", "dst_a")] })], NOW);
    await store.settleAttemptsIfClaimed({ nowMs: NOW, settlements: [makeSettlement("dlv_050")] });
    assert.deepEqual(await create(store), { deliveries: 2 });
    await setUpEnded(store, 1, { first: 60 });
    assert.equal(await step(store, NOW + 10_000), 2);
    assert.equal((await load(store))?.state, "finished");
  });

  test("a create that is repeated answers the same and replays nothing twice", async (store) => {
    await setUpEnded(store, 2);
    await create(store);
    assert.equal(await step(store, NOW + 1_000), 2);
    assert.deepEqual(await create(store), { deliveries: 2 });
    assert.equal(await step(store, NOW + 2_000), 0);
  });

  test("one of more deliveries than it may have is refused whole, and its id can be used again", async (store) => {
    await setUpEnded(store, 4);
    assert.deepEqual(await create(store, { deliveriesMax: 3 }), { refused: "too_many" });
    assert.equal(await load(store), undefined);
    assert.equal(await step(store, NOW + 10_000), 0);
    assert.deepEqual(await create(store, { deliveriesMax: 4 }), { deliveries: 4 });
    assert.equal(await step(store, NOW + 10_000), 4);
  });

  test("one that names nothing is finished at once", async (store) => {
    await setUpEnded(store, 1);
    assert.deepEqual(await create(store, { filter: { states: ["delivered"] } }), { deliveries: 0 });
    const loaded = await load(store);
    assert.deepEqual([loaded?.state, loaded?.endedAtMs], ["finished", NOW]);
  });
}

function describeWaiting(open: OpenStore): void {
  const test = inStore(open);
  test("what still waits can be among its deliveries: due when it is moved, and counted", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
    const retry = { state: "pending", dueAtMs: NOW + 3_600_000 } as const;
    const settlements = ["dlv_1", "dlv_2"].map((id) => makeSettlement(id, { next: retry }));
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
    assert.deepEqual(await create(store, { filter: { states: ["pending"] } }), { deliveries: 2 });
    assert.equal(await step(store, NOW + 1_000), 2);
    const claimed = await claimDue(store, NOW + 1_000);
    const lines = claimed.map(({ id, attemptsInSchedule }) => `${id} ${attemptsInSchedule}`);
    assert.deepEqual(lines, ["dlv_1 1", "dlv_2 1"]);
    assert.deepEqual([(await load(store))?.moved, (await load(store))?.state], [2, "finished"]);
  });
}

function describeSteps(open: OpenStore): void {
  const test = inStore(open);
  test("steps move as many as the rate allows, oldest first, until none is left", async (store) => {
    await setUpEnded(store, 25);
    await create(store);
    assert.equal(await step(store, NOW), 0);
    assert.equal(await step(store, NOW + 500), 5);
    assert.deepEqual((await claimIds(store, NOW + 500)).toSorted(), [1, 2, 3, 4, 5].map(toId));
    assert.equal(await step(store, NOW + 549), 0);
    assert.equal(await step(store, NOW + 600), 1);
    assert.equal(await step(store, NOW + 1_600), 10);
    assert.deepEqual([(await load(store))?.moved, (await load(store))?.state], [16, "running"]);
    assert.equal(await step(store, NOW + 2_600), 9);
    const loaded = await load(store);
    assert.deepEqual([loaded?.moved, loaded?.skipped, loaded?.state], [25, 0, "finished"]);
    assert.equal(loaded?.endedAtMs, NOW + 2_600);
    assert.equal(await step(store, NOW + 9_999), 0);
  });

  test("a step tells how many replays run, also when none of them may move yet", async (store) => {
    await setUpEnded(store, 3);
    const running = async (nowMs: number) => (await store.stepReplays({ nowMs, deliveriesMax: 9 })).running;
    assert.equal(await running(NOW), 0);
    await create(store, { ratePerSecond: 1 });
    assert.equal(await running(NOW + 1), 1);
    await setState(store, "paused");
    assert.equal(await running(NOW + 2), 0);
  });

  test("a step that was away for an hour moves one second's worth, not the flood", async (store) => {
    await setUpEnded(store, 25);
    await create(store);
    assert.equal(await step(store, NOW + 3_600_000), 10);
    assert.equal(await step(store, NOW + 3_600_100), 1);
  });

  test("a rate below one a second is kept however often it is looked at", async (store) => {
    await setUpEnded(store, 3);
    await create(store, { ratePerSecond: 0.25 });
    const movedAt: number[] = [];
    for (let elapsedMs = 0; elapsedMs <= 9_000; elapsedMs += 100) {
      if ((await step(store, NOW + elapsedMs)) > 0) movedAt.push(elapsedMs);
    }
    assert.deepEqual(movedAt, [4_000, 8_000]);
  });

  test("a clock that was set back an hour stops none", async (store) => {
    await setUpEnded(store, 3);
    await create(store);
    const backMs = NOW - 3_600_000;
    assert.equal(await step(store, backMs), 0);
    assert.equal(await step(store, backMs + 100), 1);
  });

  test("one step moves no more than it may, and the next ones make up for it between all replays", async (store) => {
    await setUpEnded(store, 4);
    await setUpEnded(store, 4, { first: 11, destinationId: "dst_b" });
    await create(store, { filter: { ...ALL, destinationId: "dst_a" } });
    await create(store, { id: "rpl_2", filter: { ...ALL, destinationId: "dst_b" } });
    for (let round = 1; round <= 4; round += 1) {
      assert.equal(await step(store, NOW + 1_000 + round, 1), 1);
    }
    assert.deepEqual([(await load(store))?.moved, (await load(store, "rpl_2"))?.moved], [2, 2]);
  });

  test("a delivery of two replays is sent once while it is pending, and skipped by the second", async (store) => {
    await setUpEnded(store, 2);
    await create(store);
    await create(store, { id: "rpl_2" });
    assert.equal(await step(store, NOW + 1_000), 2);
    assert.equal((await store.countWaiting({ nowMs: NOW })).waiting, 2);
    const both = [await load(store), await load(store, "rpl_2")];
    assert.deepEqual(
      both.map((replay) => replay?.state),
      ["finished", "finished"],
    );
    assert.deepEqual(
      both.map((replay) => (replay?.moved ?? 0) + (replay?.skipped ?? 0)),
      [2, 2],
    );
    assert.equal(
      both.reduce((sum, replay) => sum + (replay?.skipped ?? 0), 0),
      2,
    );
  });

  test("what lost its payload or was deleted meanwhile is skipped", async (store) => {
    await setUpEnded(store, 3);
    await create(store);
    const never = { attemptBodiesBeforeMs: 0, rowsBeforeMs: 0, rowsMax: 99 };
    await store.purge({ nowMs: NOW, payloadsBeforeMs: T0 + 1, ...never });
    assert.equal(await step(store, NOW + 1_000), 2);
    const loaded = await load(store);
    assert.deepEqual([loaded?.moved, loaded?.skipped, loaded?.state], [2, 1, "finished"]);
  });

  test("a replayed delivery says who asked for it, and has a whole schedule before it", async (store) => {
    await setUpEnded(store, 1);
    await create(store);
    await step(store, NOW + 1_000);
    const loaded = await store.loadDelivery({ accountId, deliveryId: toId(1) });
    assert.deepEqual([loaded?.resentBy, loaded?.resentAtMs, loaded?.state], ["ada", NOW + 1_000, "pending"]);
    assert.deepEqual([loaded?.attemptsMade, loaded?.attemptsInSchedule], [1, 0]);
  });
}

function describeStates(open: OpenStore): void {
  const test = inStore(open);
  test("a paused replay moves nothing, and when it goes on it does not make up for the pause", async (store) => {
    await setUpEnded(store, 25);
    await create(store);
    assert.equal(await setState(store, "paused", NOW + 900), "changed");
    assert.equal(await step(store, NOW + 5_000), 0);
    assert.deepEqual([(await load(store))?.state, (await load(store))?.stateActor], ["paused", "eve"]);
    assert.equal(await setState(store, "running", NOW + 60_000), "changed");
    assert.equal(await step(store, NOW + 60_000), 0);
    assert.equal(await step(store, NOW + 60_200), 2);
  });

  test("a cancelled replay leaves what it has not moved as it is, for ever", async (store) => {
    await setUpEnded(store, 12);
    await create(store);
    await step(store, NOW + 500);
    assert.equal(await setState(store, "cancelled", NOW + 600), "changed");
    assert.equal(await step(store, NOW + 9_000), 0);
    const loaded = await load(store);
    assert.deepEqual([loaded?.state, loaded?.deliveries, loaded?.moved], ["cancelled", 12, 5]);
    assert.equal(loaded?.endedAtMs, NOW + 600);
    assert.equal((await store.countWaiting({ nowMs: NOW })).waiting, 5);
    assert.equal((await store.loadDelivery({ accountId, deliveryId: toId(12) }))?.state, "failed");
  });

  test("one that has ended, or is so already, does not change; one that is not there is missing", async (store) => {
    await setUpEnded(store, 1);
    await create(store);
    assert.equal(await setState(store, "running"), "unchanged");
    await step(store, NOW + 1_000);
    for (const state of ["running", "paused", "cancelled"] as const) {
      assert.equal(await setState(store, state), "unchanged");
    }
    assert.equal((await load(store))?.state, "finished");
    const unknown = { replayId: "rpl_1", accountId: "acc_2", state: "paused", by: EVE, nowMs: NOW } as const;
    assert.equal(await store.setReplayState(unknown), "missing");
  });
}
