/** Promises about read keys, and about the list of accounts, which the operator's keys open. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import type { AddReadKey } from "../contract/read-keys.ts";
import type { Store } from "../contract/store.ts";
import { ACCOUNT, ADA, EVE, inStore, type OpenStore, setUp, T0 } from "./world.ts";

const accountId = ACCOUNT.id;
const OTHER = { ...ACCOUNT, id: "acc_2" };

const keyOf = (name: string): AddReadKey["key"] => ({
  id: `rdk_${name}`,
  name,
  kind: "read",
  tokenHash: `hash of ${name}`,
});

const add = (store: Store, name: string, parts: Partial<AddReadKey> = {}) =>
  store.addReadKey({ accountId, key: keyOf(name), by: ADA, nowMs: T0, ...parts });

const names = async (store: Store, of: string | null = accountId) =>
  (await store.listReadKeys({ accountId: of })).map(({ name }) => name);

const find = (store: Store, name: string) => store.findReadKey({ tokenHash: keyOf(name).tokenHash });

export function describeReadKeys(open: OpenStore): void {
  describe("read keys", () => {
    describeMaking(open);
    describeUse(open);
  });
  describeAccounts(open);
}

function describeMaking(open: OpenStore): void {
  const test = inStore(open);
  test("lie in lists of their own: each account's, and those of all accounts", async (store) => {
    await setUp(store, []);
    await setUp(store, [], OTHER);
    assert.equal(await add(store, "1"), "added");
    assert.equal(await add(store, "2", { by: EVE, nowMs: T0 + 5 }), "added");
    assert.equal(await add(store, "3", { accountId: OTHER.id }), "added");
    assert.equal(await add(store, "4", { accountId: null }), "added");
    const lists = await Promise.all([accountId, OTHER.id, null].map((of) => names(store, of)));
    assert.deepEqual(lists, [["1", "2"], ["3"], ["4"]]);
    const [, second] = await store.listReadKeys({ accountId });
    assert.deepEqual(second, {
      id: "rdk_2",
      name: "2",
      kind: "read",
      madeBy: "eve",
      createdAtMs: T0 + 5,
      usedAtMs: null,
    });
  });

  test("are refused for an account that does not exist, and beyond their most", async (store) => {
    assert.equal(await add(store, "1"), "account_missing");
    await setUp(store, []);
    for (let n = 0; n < LIMITS.readKeysMax; n += 1) assert.equal(await add(store, `${n}`), "added");
    assert.equal(await add(store, "more"), "full");
    assert.equal(await find(store, "more"), null);
    assert.equal(await add(store, "of all", { accountId: null }), "added", "each list has its own maximum");
  });

  test("are taken back in their own list alone, once, and each act of an account's is in its audit", async (store) => {
    await setUp(store, []);
    await setUp(store, [], OTHER);
    await add(store, "1");
    await add(store, "all", { accountId: null });
    const remove = (of: string | null, name: string) =>
      store.removeReadKey({ accountId: of, id: keyOf(name).id, by: EVE, nowMs: T0 + 1 });
    assert.deepEqual([await remove(OTHER.id, "1"), await remove(null, "1")], ["missing", "missing"]);
    assert.equal((await find(store, "1"))?.id, "rdk_1");
    assert.deepEqual([await remove(accountId, "1"), await remove(accountId, "1")], ["removed", "missing"]);
    assert.deepEqual([await find(store, "1"), await names(store)], [null, []]);
    assert.deepEqual([await remove(accountId, "all"), await remove(null, "all")], ["missing", "removed"]);
    const audit = await store.listAudit({ accountId, before: null, limit: 9 });
    assert.deepEqual(
      audit.map(({ action, person, subject }) => [action, person, subject]),
      [
        ["read_key_taken_back", "eve", "1"],
        ["read_key_made", "ada", "1"],
      ],
    );
  });

  test("are counted together, as far as asked", async (store) => {
    await setUp(store, []);
    assert.equal(await store.countReadKeys({ rowsMax: 1 }), 0);
    await add(store, "1", { accountId: null });
    assert.equal(await store.countReadKeys({ rowsMax: 1 }), 1);
    await add(store, "2");
    await add(store, "3");
    assert.ok((await store.countReadKeys({ rowsMax: 9 })) === 3);
  });
}

function describeUse(open: OpenStore): void {
  const test = inStore(open);
  test("are found by their hash alone, and say whose they are", async (store) => {
    await setUp(store, []);
    await add(store, "1");
    await add(store, "2", { accountId: null });
    assert.deepEqual(await find(store, "1"), { id: "rdk_1", name: "1", kind: "read", accountId, usedAtMs: null });
    assert.deepEqual(await find(store, "2"), {
      id: "rdk_2",
      name: "2",
      kind: "read",
      accountId: null,
      usedAtMs: null,
    });
    const manages = { ...keyOf("3"), kind: "manage" } as const;
    assert.equal(await add(store, "3", { key: manages }), "added");
    assert.equal((await find(store, "3"))?.kind, "manage");
    assert.deepEqual(
      (await store.listReadKeys({ accountId })).map(({ kind }) => kind),
      ["read", "manage"],
    );
    await store.removeReadKey({ accountId, id: manages.id, by: ADA, nowMs: T0 + 1 });
    const audit = await store.listAudit({ accountId, before: null, limit: 9 });
    assert.deepEqual(
      audit.map(({ action }) => action),
      ["manage_key_taken_back", "manage_key_made", "read_key_made"],
    );
    assert.equal(await store.findReadKey({ tokenHash: "rdk_1" }), null);
  });

  test("remember their latest use", async (store) => {
    await setUp(store, []);
    await add(store, "1");
    await add(store, "2", { accountId: null });
    const use = (of: string | null, name: string, nowMs: number) =>
      store.noteReadKeyUse({ accountId: of, id: keyOf(name).id, nowMs });
    await use(accountId, "1", T0 + 50);
    await use(accountId, "1", T0 + 20);
    await use(null, "2", T0 + 7);
    await use(accountId, "gone", T0 + 9);
    const used = await Promise.all(["1", "2"].map(async (name) => (await find(store, name))?.usedAtMs));
    assert.deepEqual(used, [T0 + 50, T0 + 7]);
    assert.equal((await store.listReadKeys({ accountId }))[0]?.usedAtMs, T0 + 50);
  });
}

function describeAccounts(open: OpenStore): void {
  const test = inStore(open);
  test("accounts are listed in the order of their ids, from one on", async (store) => {
    assert.deepEqual(await store.listAccounts({ from: "", limit: 9 }), { accounts: [] });
    const ids = ["b", "a:2", "A", "a.1", "c"];
    for (const id of ids) await setUp(store, [], { ...ACCOUNT, id, plan: "growth" });
    const list = async (from: string, limit: number) =>
      (await store.listAccounts({ from, limit })).accounts.slice(0, limit).map(({ id }) => id);
    assert.deepEqual(await list("", 9), ids.toSorted());
    assert.deepEqual(
      [await list("", 2), await list("a:2", 2), await list("c", 2)],
      [["A", "a.1"], ["a:2", "b"], ["c"]],
    );
    assert.deepEqual(await list("d", 2), []);
    const [first] = (await store.listAccounts({ from: "b", limit: 1 })).accounts;
    assert.deepEqual(first, { ...ACCOUNT, id: "b", plan: "growth", createdAtMs: T0, isSuspended: false });
  });
}
