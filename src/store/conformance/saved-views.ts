/** Promises about the log's views: an account's own, each name once, each set of filters once. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Store } from "../contract/store.ts";
import { ACCOUNT, inStore, type OpenStore, setUp } from "./world.ts";

const accountId = ACCOUNT.id;
const FAILED = "status=failed";

/** Of three at most. */
const put = (store: Store, name: string, search: string | null) =>
  store.putView({ accountId, name, search, viewsMax: 3 });

const list = async (store: Store, of = accountId) =>
  (await store.listViews({ accountId: of })).map(({ name, search }) => `${name}: ${search}`);

export function describeSavedViews(open: OpenStore): void {
  const test = inStore(open);
  describe("views of the log", () => {
    test("are listed by name; a name gets other filters, filters another name, one goes", async (store) => {
      await setUp(store, []);
      await setUp(store, [], { ...ACCOUNT, id: "acc_2" });
      assert.equal(await put(store, "Zoë’s", FAILED), "done");
      assert.equal(await put(store, "All", "range=24h"), "done");
      assert.deepEqual(await list(store), ["All: range=24h", `Zoë’s: ${FAILED}`]);
      assert.equal(await put(store, "All", "range=1h"), "done");
      assert.equal(await put(store, "Mine", FAILED), "done");
      assert.deepEqual(await list(store), ["All: range=1h", `Mine: ${FAILED}`]);
      assert.deepEqual(await list(store, "acc_2"), []);
      assert.equal(await put(store, "All", null), "done");
      assert.equal(await put(store, "All", null), "done");
      assert.deepEqual(await list(store), [`Mine: ${FAILED}`]);
    });

    test("are no more than an account may have, and one that is there is still changed", async (store) => {
      await setUp(store, []);
      for (const name of ["1", "2", "3"]) assert.equal(await put(store, name, `q=${name}`), "done");
      assert.equal(await put(store, "4", "q=4"), "full");
      assert.equal(await put(store, "3", "q=4"), "done");
      assert.equal(await put(store, "4", "q=4"), "done");
      assert.deepEqual(await list(store), ["1: q=1", "2: q=2", "4: q=4"]);
    });
  });
}
