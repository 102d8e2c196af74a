/** Promises about an account's verification secrets: rotated step by step, replaced at once, switched when due. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { ACCOUNT, ADA, inStore, type OpenStore, purgeNow, setUp, T0, loadVersion } from "./world.ts";
import type { RotateSecret } from "../contract/accounts.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const SWITCH_AT = T0 + 86_400_000;
const FIRST = { sealed: "sealed secret of acc_1", createdAtMs: T0 };
const SECOND = { sealed: "second", createdAtMs: T0 + 5 };

const rotate = (store: Store, parts: Partial<RotateSecret> = {}) =>
  store.rotateSecret({
    accountId,
    newSealedSecret: "second",
    becomesCurrentAtMs: SWITCH_AT,
    by: ADA,
    nowMs: T0 + 5,
    ...parts,
  });

const doSwitch = (store: Store, nowMs: number, onlyIfDue = false) =>
  store.switchSecret({ accountId, onlyIfDue, by: ADA, nowMs });

const loadSecrets = async (store: Store, id = accountId) => (await store.loadAccount({ accountId: id }))?.secrets;

export function describeSecrets(open: OpenStore): void {
  describe("verification secrets", () => {
    describeRotating(open);
    describeSwitching(open);
  });
}

function describeRotating(open: OpenStore): void {
  const test = inStore(open);
  test("a rotation puts a next secret beside the current one and grows the account's version", async (store) => {
    const version = await setUp(store, []);
    assert.equal(await rotate(store), "rotated");
    const next = { ...SECOND, becomesCurrentAtMs: SWITCH_AT };
    assert.deepEqual(await loadSecrets(store), { current: FIRST, next });
    assert.equal(await loadVersion(store), version + 1);
  });

  test("while one is under way no other begins, and nothing changes", async (store) => {
    await setUp(store, []);
    await rotate(store);
    const before = await store.loadAccount({ accountId });
    assert.equal(await rotate(store, { newSealedSecret: "third" }), "rotating_already");
    assert.deepEqual(await store.loadAccount({ accountId }), before);
  });

  test("a secret that leaked is replaced at once, and a next one goes with it", async (store) => {
    await setUp(store, []);
    await rotate(store, { newSealedSecret: "leaked too" });
    const version = await loadVersion(store);
    assert.equal(await rotate(store, { becomesCurrentAtMs: null }), "rotated");
    assert.deepEqual(await loadSecrets(store), { current: SECOND, next: null });
    assert.equal(await loadVersion(store), version + 1);
    assert.equal(await rotate(store, { newSealedSecret: "third" }), "rotated");
  });

  test("an account that does not exist is missing, and others keep theirs", async (store) => {
    await setUp(store, []);
    await setUp(store, [], { ...ACCOUNT, id: "acc_2" });
    assert.equal(await rotate(store, { accountId: "nobody" }), "missing");
    await rotate(store, { becomesCurrentAtMs: null });
    assert.deepEqual(await loadSecrets(store, "acc_2"), {
      current: { sealed: "sealed secret of acc_2", createdAtMs: T0 },
      next: null,
    });
  });
}

function describeSwitching(open: OpenStore): void {
  const test = inStore(open);
  test("the next secret becomes the current one at a word, and keeps its birthday", async (store) => {
    await setUp(store, []);
    await rotate(store);
    const version = await loadVersion(store);
    assert.equal(await doSwitch(store, T0 + 6), "switched");
    assert.deepEqual(await loadSecrets(store), { current: SECOND, next: null });
    assert.equal(await loadVersion(store), version + 1);
  });

  test("without a next secret there is nothing to switch to", async (store) => {
    const version = await setUp(store, []);
    assert.equal(await doSwitch(store, T0 + 6), "unchanged");
    assert.equal(await store.switchSecret({ accountId: "nobody", onlyIfDue: false, by: ADA, nowMs: T0 }), "unchanged");
    assert.deepEqual([await loadSecrets(store), await loadVersion(store)], [{ current: FIRST, next: null }, version]);
  });

  test("if only a due one is to be switched, it is from its instant on", async (store) => {
    await setUp(store, []);
    await rotate(store);
    assert.equal(await doSwitch(store, SWITCH_AT - 1, true), "unchanged");
    assert.equal(await doSwitch(store, SWITCH_AT, true), "switched");
    assert.deepEqual(await loadSecrets(store), { current: SECOND, next: null });
  });

  test("the purge switches those that are due, and writes down that nobody did", async (store) => {
    await setUp(store, []);
    await rotate(store);
    await purgeNow(store, SWITCH_AT - 1);
    assert.notEqual((await loadSecrets(store))?.next, null);
    await purgeNow(store, SWITCH_AT);
    assert.deepEqual(await loadSecrets(store), { current: SECOND, next: null });
    const [entry] = await store.listAudit({ accountId, before: null, limit: 1 });
    assert.deepEqual([entry?.action, entry?.person, entry?.role], ["secret_switched", "system", "system"]);
  });
}
