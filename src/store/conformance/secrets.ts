/** Promises about an account's verification secrets and its signing key: rotated, taken back, stopped when due. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { ACCOUNT, ADA, inStore, type OpenStore, purgeNow, setUp, T0, loadVersion } from "./world.ts";
import type { EndRotation, RotateSecret } from "../contract/accounts.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const STOPS_AT = T0 + 86_400_000;
const FIRST = { sealed: "sealed secret of acc_1", createdAtMs: T0 };
const SECOND = { sealed: "second", createdAtMs: T0 + 5 };
const NO_KEY = { signingKey: null };
const ALONE = { previous: null, ...NO_KEY };
const KEY = { sealed: "key", createdAtMs: T0 + 1 };

const rotate = (store: Store, parts: Partial<RotateSecret> = {}) =>
  store.rotateSecret({
    accountId,
    kind: "secret",
    newSealedSecret: "second",
    previousStopsAtMs: STOPS_AT,
    by: ADA,
    nowMs: T0 + 5,
    ...parts,
  });

const end = (store: Store, parts: Partial<EndRotation> = {}) =>
  store.endRotation({
    accountId,
    kind: "secret",
    keep: "current",
    onlyIfDue: false,
    by: ADA,
    nowMs: T0 + 6,
    ...parts,
  });

const addKey = (store: Store, id = accountId) =>
  store.addSigningKey({ accountId: id, sealed: "key", by: ADA, nowMs: T0 + 1 });

const loadSecrets = async (store: Store, id = accountId) => (await store.loadAccount({ accountId: id }))?.secrets;

export function describeSecrets(open: OpenStore): void {
  describe("verification secrets", () => {
    describeRotating(open);
    describeEnding(open);
  });
  describeKey(open);
}

function describeRotating(open: OpenStore): void {
  const test = inStore(open);
  test("a rotation leaves the previous secret beside the new one, and grows the account's version", async (store) => {
    const version = await setUp(store, []);
    assert.equal(await rotate(store), "rotated");
    const previous = { ...FIRST, stopsAtMs: STOPS_AT };
    assert.deepEqual(await loadSecrets(store), { current: SECOND, previous, ...NO_KEY });
    assert.equal(await loadVersion(store), version + 1);
  });

  test("while one is under way no other begins, and nothing changes", async (store) => {
    await setUp(store, []);
    await rotate(store);
    const before = await store.loadAccount({ accountId });
    assert.equal(await rotate(store, { newSealedSecret: "third" }), "rotating_already");
    assert.deepEqual(await store.loadAccount({ accountId }), before);
  });

  test("a secret that leaked is replaced at once, and a previous one goes with it", async (store) => {
    await setUp(store, []);
    await rotate(store, { newSealedSecret: "leaked too" });
    const version = await loadVersion(store);
    assert.equal(await rotate(store, { previousStopsAtMs: null }), "rotated");
    assert.deepEqual(await loadSecrets(store), { current: SECOND, ...ALONE });
    assert.equal(await loadVersion(store), version + 1);
    assert.equal(await rotate(store, { newSealedSecret: "third" }), "rotated");
  });

  test("an account that does not exist is missing, and others keep theirs", async (store) => {
    await setUp(store, []);
    await setUp(store, [], { ...ACCOUNT, id: "acc_2" });
    assert.equal(await rotate(store, { accountId: "nobody" }), "missing");
    await rotate(store, { previousStopsAtMs: null });
    const first = { sealed: "sealed secret of acc_2", createdAtMs: T0 };
    assert.deepEqual(await loadSecrets(store, "acc_2"), { current: first, ...ALONE });
  });
}

function describeEnding(open: OpenStore): void {
  const test = inStore(open);
  test("the current secret is left at a word, and keeps its birthday", async (store) => {
    await setUp(store, []);
    await rotate(store);
    const version = await loadVersion(store);
    assert.equal(await end(store), "ended");
    assert.deepEqual(await loadSecrets(store), { current: SECOND, ...ALONE });
    assert.equal(await loadVersion(store), version + 1);
  });

  test("a rotation that is taken back leaves the secret from before, and can begin again", async (store) => {
    await setUp(store, []);
    await rotate(store);
    const version = await loadVersion(store);
    assert.equal(await end(store, { keep: "previous" }), "ended");
    assert.deepEqual(await loadSecrets(store), { current: FIRST, ...ALONE });
    assert.equal(await loadVersion(store), version + 1);
    assert.equal(await rotate(store), "rotated");
  });

  test("a previous secret that has stopped does not come back", async (store) => {
    await setUp(store, []);
    await rotate(store);
    assert.equal(await end(store, { keep: "previous", nowMs: STOPS_AT }), "unchanged");
    assert.equal(await end(store, { keep: "previous", nowMs: STOPS_AT - 1 }), "ended");
  });

  test("without a previous secret there is nothing to end", async (store) => {
    const version = await setUp(store, []);
    for (const keep of ["current", "previous"] as const) assert.equal(await end(store, { keep }), "unchanged");
    assert.equal(await end(store, { accountId: "nobody" }), "unchanged");
    assert.deepEqual([await loadSecrets(store), await loadVersion(store)], [{ current: FIRST, ...ALONE }, version]);
  });

  test("if only a due rotation is to be ended, it is from its instant on", async (store) => {
    await setUp(store, []);
    await rotate(store);
    assert.equal(await end(store, { onlyIfDue: true, nowMs: STOPS_AT - 1 }), "unchanged");
    assert.equal(await end(store, { onlyIfDue: true, nowMs: STOPS_AT }), "ended");
    assert.deepEqual(await loadSecrets(store), { current: SECOND, ...ALONE });
  });

  test("the purge ends those that are due, of secrets and keys, and writes down that nobody did", async (store) => {
    await setUp(store, []);
    await addKey(store);
    await rotate(store);
    await rotate(store, { kind: "key", newSealedSecret: "second key" });
    await purgeNow(store, STOPS_AT - 1);
    assert.notEqual((await loadSecrets(store))?.previous, null);
    await purgeNow(store, STOPS_AT);
    const key = { current: { ...SECOND, sealed: "second key" }, previous: null };
    assert.deepEqual(await loadSecrets(store), { current: SECOND, previous: null, signingKey: key });
    const entries = await store.listAudit({ accountId, before: null, limit: 2 });
    assert.deepEqual(entries.map(({ action }) => action).toSorted(), ["key_stopped", "secret_stopped"]);
    for (const { person, role } of entries) assert.deepEqual([person, role], ["system", "system"]);
  });
}

function describeKey(open: OpenStore): void {
  const test = inStore(open);
  describe("the signing key", () => {
    test("is added beside the secret once, and removed", async (store) => {
      const version = await setUp(store, []);
      assert.equal(await addKey(store), "added");
      assert.equal(await addKey(store), "exists");
      const withKey = { current: FIRST, previous: null, signingKey: { current: KEY, previous: null } };
      assert.deepEqual([await loadSecrets(store), await loadVersion(store)], [withKey, version + 1]);
      assert.equal(await store.removeSigningKey({ accountId, by: ADA, nowMs: T0 + 2 }), "removed");
      assert.equal(await store.removeSigningKey({ accountId, by: ADA, nowMs: T0 + 2 }), "missing");
      assert.deepEqual(
        [await loadSecrets(store), await loadVersion(store)],
        [{ current: FIRST, ...ALONE }, version + 2],
      );
    });

    test("is rotated without the secret, and the secret without it", async (store) => {
      await setUp(store, []);
      assert.equal(await rotate(store, { kind: "key" }), "missing");
      await addKey(store);
      await rotate(store, { kind: "key" });
      const signingKey = { current: SECOND, previous: { ...KEY, stopsAtMs: STOPS_AT } };
      assert.deepEqual(await loadSecrets(store), { current: FIRST, previous: null, signingKey });
      await rotate(store, { newSealedSecret: "third" });
      assert.equal(await end(store, { kind: "key", keep: "previous" }), "ended");
      const previous = { ...FIRST, stopsAtMs: STOPS_AT };
      const current = { ...SECOND, sealed: "third" };
      assert.deepEqual(await loadSecrets(store), { current, previous, signingKey: { current: KEY, previous: null } });
    });

    test("goes with both of its halves when it is removed in the middle of a rotation", async (store) => {
      await setUp(store, []);
      await addKey(store);
      await rotate(store, { kind: "key" });
      assert.equal(await store.removeSigningKey({ accountId, by: ADA, nowMs: T0 + 6 }), "removed");
      assert.deepEqual(await loadSecrets(store), { current: FIRST, ...ALONE });
    });

    test("is not added to an account that does not exist", async (store) => {
      assert.equal(await addKey(store, "nobody"), "missing");
    });
  });
}
