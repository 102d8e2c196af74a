/**
 * Promises about webhooks of their own: how they are saved and deleted, and that reports, notices and the audit name
 * them as the owners of their destinations.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AlertedDestination } from "../../domain/operator-alert.ts";
import { makeDestinationSetup } from "../../../test/kit/make.ts";
import {
  ACCOUNT,
  ADA,
  acceptEach,
  claimMessages,
  claimNotifications,
  EVE,
  held,
  inStore,
  loadVersion,
  makeSettlement,
  notifyAddresses,
  type OpenStore,
  openBreaker,
  purgeNow,
  setUp,
  T0,
  WEBHOOK,
  WEBHOOK_DESTINATION,
  webhookToSave,
} from "./world.ts";
import type { DeleteOwner, SaveWebhook } from "../contract/accounts.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const destinationId = WEBHOOK_DESTINATION.id;
const LATER = T0 + 60_000;
const OTHER = "acc_2";
/** What a destination has besides its settings, as long as nothing has happened to it. */
const AS_SAVED = {
  state: "on",
  offReason: null,
  failingSinceMs: null,
  callerId: null,
  appliedAtMs: null,
  setUpAtMs: T0,
} as const;

const save = (store: Store, parts: Partial<SaveWebhook> = {}) => store.saveWebhook(webhookToSave(parts));
const remove = (store: Store, parts: Partial<DeleteOwner> = {}) =>
  store.deleteWebhook({ accountId, id: WEBHOOK.id, expectedRevision: 1, by: EVE, nowMs: T0 + 5, ...parts });
const list = async (store: Store) => (await store.loadAccount({ accountId }))?.webhooks;
/** Webhook `n` with a destination of its own. */
const another = (n: number) => ({
  webhook: { ...WEBHOOK, id: `whk_${n}` },
  destination: { ...WEBHOOK_DESTINATION, id: `dst_${n}` },
});

export function describeWebhooks(open: OpenStore): void {
  describe("webhooks of their own", () => {
    describeSaving(open);
    describeDeleting(open);
    describeNames(open);
  });
}

function describeSaving(open: OpenStore): void {
  const test = inStore(open);
  test("a webhook comes back as it was saved, with its destination on, and not in another account", async (store) => {
    await setUp(store, [], { ...ACCOUNT, id: OTHER });
    const version = await setUp(store, []);
    assert.deepEqual(await save(store), { kind: "saved", revision: 1 });
    const destination = { ...WEBHOOK_DESTINATION, ...AS_SAVED };
    const changed = { by: "ada", atMs: T0 };
    assert.deepEqual(await list(store), [{ ...WEBHOOK, revision: 1, changed, destination }]);
    assert.ok((await loadVersion(store)) > version);
    assert.deepEqual((await store.loadAccount({ accountId: OTHER }))?.webhooks, []);
  });

  test("a program's id is written once, given once, and free again when its webhook is deleted", async (store) => {
    await setUp(store, [], { ...ACCOUNT, id: OTHER });
    await setUp(store, []);
    const made = { callerId: "crm", appliedAtMs: T0 };
    await save(store, { destination: { ...WEBHOOK_DESTINATION, ...made } });
    const second = another(2);
    const of = { ...second, destination: { ...second.destination, ...made } };
    assert.deepEqual(await save(store, of), { kind: "edited_meanwhile", revision: 0 });
    const elsewhere = another(3);
    await save(store, { accountId: OTHER, ...elsewhere, destination: { ...elsewhere.destination, ...made } });
    // A person's save has none of it.
    await save(store, { expectedRevision: 1 });
    await save(store, {
      expectedRevision: 2,
      destination: { ...WEBHOOK_DESTINATION, callerId: "no", appliedAtMs: null },
    });
    const [saved] = (await list(store)) ?? [];
    assert.deepEqual([saved?.destination.callerId, saved?.destination.appliedAtMs, saved?.revision], ["crm", T0, 3]);
    await remove(store, { expectedRevision: 3 });
    assert.deepEqual(await save(store, of), { kind: "saved", revision: 1 });
  });

  test("an edit replaces every field, counts the revision and grows the account's version", async (store) => {
    await setUp(store, []);
    await save(store);
    const version = await loadVersion(store);
    const webhook = { ...WEBHOOK, name: "New", events: "all" } as const;
    const destination = makeDestinationSetup({ id: destinationId, url: "https://new.example/", ratePerSecond: 2.5 });
    const result = await save(store, { webhook, destination, expectedRevision: 1, by: EVE, nowMs: T0 + 9 });
    assert.deepEqual(result, { kind: "saved", revision: 2 });
    const stored = { ...destination, ...AS_SAVED, setUpAtMs: T0 + 9 };
    const changed = { by: "eve", atMs: T0 + 9 };
    assert.deepEqual(await list(store), [{ ...webhook, revision: 2, changed, destination: stored }]);
    assert.ok((await loadVersion(store)) > version);
  });

  test("what cannot be saved is refused by kind, and changes nothing", async (store) => {
    await setUp(store, [], { ...ACCOUNT, id: OTHER });
    await setUp(store, []);
    await save(store);
    await save(store, { expectedRevision: 1 });
    const before = await store.loadAccount({ accountId });
    const late = { ...WEBHOOK, name: "Late" };
    assert.deepEqual(await save(store, { webhook: late }), { kind: "edited_meanwhile", revision: 2 });
    assert.deepEqual(await save(store, { webhook: late, expectedRevision: 1 }), {
      kind: "edited_meanwhile",
      revision: 2,
    });
    assert.deepEqual(await save(store, { accountId: "nobody" }), { kind: "account_missing" });
    assert.deepEqual(await save(store, { accountId: OTHER, expectedRevision: 1 }), { kind: "missing" });
    assert.deepEqual(await save(store, { ...another(9), expectedRevision: 1 }), { kind: "missing" });
    assert.deepEqual(await store.loadAccount({ accountId }), before);
  });

  test("no more webhooks are created than the limit, and those that exist can still be edited", async (store) => {
    await setUp(store, []);
    await save(store);
    await save(store, another(2));
    assert.deepEqual(await save(store, another(3)), { kind: "limit_reached" });
    assert.deepEqual(await save(store, { expectedRevision: 1 }), { kind: "saved", revision: 2 });
    assert.deepEqual(
      (await list(store))?.map(({ id, destination }) => [id, destination.id]),
      [
        ["whk_1", destinationId],
        ["whk_2", "dst_2"],
      ],
    );
  });
}

function describeDeleting(open: OpenStore): void {
  const test = inStore(open);
  test("a deleted one is gone from its account, which has a new version and room for another", async (store) => {
    await setUp(store, []);
    await save(store);
    await save(store, another(2));
    const version = await loadVersion(store);
    assert.equal(await remove(store), "deleted");
    assert.ok((await loadVersion(store)) > version);
    assert.deepEqual(await save(store, another(3)), { kind: "saved", revision: 1 });
    assert.deepEqual(
      (await list(store))?.map(({ id }) => id),
      ["whk_2", "whk_3"],
    );
    for (const expectedRevision of [null, 1]) {
      assert.deepEqual(await save(store, { expectedRevision }), { kind: "missing" });
    }
    const on = { accountId, destinationId, state: "on", by: ADA, reason: "", nowMs: LATER } as const;
    assert.equal(await store.setDestinationState(on), "missing");
  });

  test("an older revision, one that is gone and one of another account are not deleted", async (store) => {
    await setUp(store, [], { ...ACCOUNT, id: OTHER });
    await setUp(store, []);
    await save(store);
    await save(store, { expectedRevision: 1 });
    assert.equal(await remove(store), "edited_meanwhile");
    assert.equal(await remove(store, { accountId: OTHER, expectedRevision: 2 }), "missing");
    assert.equal(await remove(store, { id: "whk_unknown", expectedRevision: 2 }), "missing");
    assert.equal((await list(store))?.length, 1);
    assert.equal(await remove(store, { expectedRevision: 2 }), "deleted");
    assert.equal(await remove(store, { expectedRevision: 2 }), "missing");
  });

  test("what was sent for a deleted one is in the log, which names it until nothing of it is left", async (store) => {
    await setUp(store, []);
    await save(store);
    await acceptEach(store, [held("dlv_1", destinationId)], await loadVersion(store));
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
    await remove(store);
    const report = (withDeleted: boolean) =>
      store.loadDestinations({ accountId, withDeleted, nowMs: LATER, waitingMax: 9 });
    assert.deepEqual(await report(false), []);
    const [reported] = await report(true);
    assert.deepEqual(reported?.owner, { kind: "webhook", id: WEBHOOK.id, name: WEBHOOK.name, isDeleted: true });
    await purgeNow(store, LATER, T0);
    assert.equal((await report(true)).length, 1);
    await purgeNow(store, LATER, T0 + 6);
    assert.deepEqual(await report(true), []);
    // With its row gone the id is a new one again.
    assert.deepEqual(await save(store), { kind: "saved", revision: 1 });
  });
}

function describeNames(open: OpenStore): void {
  const test = inStore(open);
  test("notices to owners and alerts to the operator name the webhook", async (store) => {
    await setUp(store, []);
    await notifyAddresses(store, ["ana@example.com"]);
    await save(store);
    await openBreaker(store, destinationId);
    const owner = { kind: "webhook", id: WEBHOOK.id, name: WEBHOOK.name };
    const [notified] = await claimNotifications(store, "email", { nowMs: LATER });
    assert.deepEqual(
      notified?.lines.map(({ kind, destination }) => [kind, destination.owner]),
      [["failing", owner]],
    );
    const [alert] = await claimMessages(store, "operator", { nowMs: LATER });
    assert.ok(alert?.kind === "operator_alert");
    assert.deepEqual((JSON.parse(alert.body) as AlertedDestination).destination.owner, owner);
  });

  test("the audit names what a person did with it", async (store) => {
    await setUp(store, []);
    await save(store);
    const webhook = { ...WEBHOOK, name: "New" };
    await save(store, { webhook, expectedRevision: 1 });
    const pause = { accountId, destinationId, state: "paused", by: ADA, reason: "", nowMs: T0 } as const;
    await store.setDestinationState(pause);
    assert.equal(await remove(store), "edited_meanwhile");
    await remove(store, { expectedRevision: 2 });
    const entries = await store.listAudit({ accountId, before: null, limit: 4 });
    assert.deepEqual(
      entries.map(({ action, subject }) => [action, subject]),
      [
        ["webhook_deleted", "New"],
        ["destination_paused", "New"],
        ["webhook_changed", "New"],
        ["webhook_created", WEBHOOK.name],
      ],
    );
  });
}
