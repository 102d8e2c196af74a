/**
 * Promises about another URL: with it a destination begins a new health, and what waits goes there at once. An alert's
 * and an assistant's, both.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { makeDestinationSetup } from "../../../test/kit/make.ts";
import {
  acceptEach,
  ACCOUNT,
  ADA,
  ALERT_DESTINATION,
  alertToSave,
  claimDue,
  claimIds,
  due,
  findDestination,
  held,
  inStore,
  loadVersion,
  makeSettlement,
  openBreaker,
  type OpenStore,
  setUp,
  SETTLED,
  T0,
} from "./world.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const destinationId = "dst_a";
const NOW = T0 + 1_000;
const who = { accountId, by: ADA, nowMs: NOW } as const;
const failed = { state: "failed" } as const;

const listChanges = async (store: Store) =>
  (await store.listDestinationChanges({ accountId, destinationId })).map(({ to, reason, actor }) => [
    to,
    reason,
    actor,
  ]);

async function settle(
  store: Store,
  deliveryId: string,
  { nowMs = NOW, ...parts }: Partial<Settlement> & { readonly nowMs?: number },
) {
  return await store.settleAttemptsIfClaimed({ nowMs, settlements: [makeSettlement(deliveryId, parts)] });
}

const saveUrl = (store: Store, url: string, expectedRevision: number) =>
  store.saveAssistantDestination({
    accountId,
    assistantId: `assistant of ${destinationId}`,
    destination: makeDestinationSetup({ id: destinationId, url }),
    expectedRevision,
    by: ADA,
    nowMs: NOW,
  });

export function describeAnotherUrl(open: OpenStore): void {
  describe("another URL", () => describeSaved(open));
}

function describeSaved(open: OpenStore): void {
  const test = inStore(open);
  test("closes the breaker and makes everything that waits due", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    const retry = { next: { state: "pending", dueAtMs: T0 + 60_000 } } as const;
    await settle(store, "dlv_1", { ...retry, nowMs: T0 });
    await openBreaker(store, destinationId);
    // The origin is the same, the path is another one.
    await saveUrl(store, "https://dst_a.example/other", 2);
    assert.equal((await findDestination(store, destinationId))?.failingSinceMs, null);
    assert.deepEqual(
      (await claimDue(store, NOW)).map(({ id, isTrial }) => [id, isTrial]),
      [
        ["dlv_2", false],
        ["dlv_1", false],
      ],
    );
    assert.deepEqual((await listChanges(store))[0], ["on", "url_changed", "ada"]);
    const [incident] = await store.listIncidents({ accountId, destinationId, before: null, limit: 1 });
    assert.equal(incident?.end, "url_changed");
    const [reported] = await store.loadDestinations({
      accountId,
      destinationId,
      withDeleted: false,
      nowMs: NOW,
      waitingMax: 9,
    });
    assert.deepEqual([reported?.lastFailure, reported?.failureScore, reported?.notBeforeMs], [null, 0, 0]);
  });

  test("turns on what was off for the old one's failures, and leaves a person's pause", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), due("dlv_2", "dst_a")], configVersion);
    await settle(store, "dlv_1", { next: failed, destinationOff: "gone", nowMs: T0 });
    await saveUrl(store, "https://new.example/hook", 2);
    assert.equal((await findDestination(store, destinationId))?.state, "on");
    assert.ok((await loadVersion(store)) > configVersion + 1);
    await store.setDestinationState({ ...who, destinationId, state: "paused", reason: "asked" });
    await saveUrl(store, "https://newer.example/hook", 3);
    assert.equal((await findDestination(store, destinationId))?.state, "paused");
    assert.deepEqual(await claimIds(store, NOW), []);
  });

  test("is not blamed for an attempt that was under way to the old one, not even for its 410", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
    await saveUrl(store, "https://new.example/hook", 2);
    const old = { next: failed, destinationOff: "gone", setUpAtMs: T0 } as const;
    assert.deepEqual(await settle(store, "dlv_1", { ...old, nowMs: NOW + 1 }), [SETTLED]);
    assert.equal((await findDestination(store, destinationId))?.failingSinceMs, null);
    const [answer] = await settle(store, "dlv_2", { ...old, setUpAtMs: NOW, nowMs: NOW + 2 });
    assert.equal(answer?.kind === "settled" && answer.turnedOff, "gone");
  });

  test("saving the same URL again changes nothing of its health", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await openBreaker(store, destinationId);
    await acceptEach(store, [due("dlv_1", "dst_a")], configVersion);
    await saveUrl(store, "https://dst_a.example/hook", 2);
    assert.deepEqual(await claimIds(store, NOW), []);
    assert.deepEqual((await listChanges(store)).length, 1);
  });

  test("of an alert does the same", async (store) => {
    await setUp(store, ["dst_b"]);
    await store.saveAlert(alertToSave());
    const configVersion = await loadVersion(store);
    await acceptEach(store, [held("dlv_1", ALERT_DESTINATION.id)], configVersion);
    const later = { state: "pending", dueAtMs: T0 + 60_000 } as const;
    await settle(store, "dlv_1", { next: later, holdUntilMs: T0 + 60_000, nowMs: T0 });
    const destination = { ...ALERT_DESTINATION, url: "https://receiver.example/new" };
    await store.saveAlert(alertToSave({ destination, expectedRevision: 1, nowMs: NOW }));
    assert.deepEqual(await claimIds(store, NOW), ["dlv_1"]);
  });
}
