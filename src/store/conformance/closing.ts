/** Promises about the end of a store: what was called is done, and nothing is taken afterwards. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { accept, makeEvent, type OpenStore, setUp, T0, ACCEPTED } from "./world.ts";
import { StoreUnavailable } from "../contract/store.ts";

export function describeClosing(open: OpenStore): void {
  describe("closing", () => {
    test("closing finishes what was called before, and twice is fine", async () => {
      const store = await open();
      const configVersion = await setUp(store, []);
      const accepts = Array.from({ length: 50 }, (_, n) => accept(store, [makeEvent(n, { configVersion })]));
      await Promise.all([store[Symbol.asyncDispose](), store[Symbol.asyncDispose]()]);
      await store[Symbol.asyncDispose]();
      assert.deepEqual(
        await Promise.all(accepts),
        accepts.map(() => [ACCEPTED]),
      );
    });

    test("a call after closing is refused as unavailable", async () => {
      const store = await open();
      await store[Symbol.asyncDispose]();
      await assert.rejects(store.probe({ nowMs: T0 }), StoreUnavailable);
      await assert.rejects(store.loadAccount({ accountId: "acc_1" }), StoreUnavailable);
    });
  });
}
