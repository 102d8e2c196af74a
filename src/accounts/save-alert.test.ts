import assert from "node:assert/strict";
import { test } from "node:test";
import { deliver } from "../delivery/deliver.ts";
import { makeNewDelivery, makeNewEvent } from "../../test/kit/make.ts";
import { ACCOUNT, ADA, createWorld, session, toValue } from "../../test/kit/world/world.ts";
import { deleteAlert } from "./save-alert.ts";
import { setDestinationState } from "./set-destination-state.ts";

async function worldWithAlert() {
  const world = await createWorld();
  await world.setUpAccount();
  const { id, revision } = toValue(await world.setUpAlert());
  const view = await world.ctx.accounts.load(ACCOUNT);
  const destinationId = view?.alerts[0]?.destination?.id ?? "";
  const pause = () =>
    setDestinationState(world.accounts, {
      accountId: ACCOUNT,
      destinationId,
      state: "paused",
      by: ADA,
      reason: "test",
    });
  const remove = () => deleteAlert(world.accounts, { accountId: ACCOUNT, id, revision, by: ADA });
  return { world, pause, remove };
}

test("a backlog of any size is cancelled, in steps", async () => {
  const { world, pause, remove } = await worldWithAlert();
  toValue(await pause());
  const sessions = Array.from({ length: 1_100 }, (_, number) => session(number + 1));
  toValue(await world.accept(...sessions));
  assert.deepEqual(toValue(await remove()), { cancelled: 1_100 });
  assert.equal((await world.store.countWaiting({ nowMs: world.clock.nowMs() })).waiting, 0);
});

test("a delivery that a node holds while its alert is deleted is neither sent nor an error", async () => {
  const { world, remove } = await worldWithAlert();
  const nowMs = world.clock.nowMs();
  const claim = { token: "t", untilMs: nowMs + 120_000 };
  // Accepted without this node's lanes, as another node would.
  await world.store.acceptEvents({ nowMs, claim, events: [await readDraft(world)] });
  const room = {
    deliveriesMax: 10,
    perDestinationMax: 10,
    perAccountMax: 100,
    accountSlots: {},
    freeSlots: {},
    bodyCharsMax: 1_000_000,
  };
  const [held] = await world.store.claimDueDeliveries({ nowMs, claim, ...room });
  assert.ok(held !== undefined);
  toValue(await remove());
  assert.equal(await deliver(world.ctx, held), "not_on");
  assert.equal(world.sent.length, 0);
});

async function readDraft(world: Awaited<ReturnType<typeof createWorld>>) {
  const view = await world.ctx.accounts.load(ACCOUNT);
  const destinationId = view?.alerts[0]?.destination?.id ?? "";
  return makeNewEvent({
    id: "evt_1",
    accountId: ACCOUNT,
    configVersion: view?.configVersion ?? 0,
    sourceId: "00000000-0000-4000-8000-000000000001",
    body: "{}",
    deliveries: [makeNewDelivery({ id: "dlv_1", destinationId })],
  });
}

test("of two who delete it at once, the second is told that it is gone", async () => {
  const { remove } = await worldWithAlert();
  toValue(await remove());
  const again = await remove();
  assert.equal(again.ok ? "" : again.error.code, "alert_not_found");
});
