/**
 * Every store's promises about its inbox. How records come into one is PostgreSQL's own, and so are the tests of
 * what happens to them then (`postgres/inbox.test.ts`).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { ACCOUNT, claimAt, inStore, type OpenStore, T0 } from "./world.ts";

export function describeInbox(open: OpenStore): void {
  const test = inStore(open);
  describe("inbox", () => {
    test("one into which nobody has emitted is empty, and there is nothing to finish", async (store) => {
      const limits = { recordsMax: 9, bytesMax: 9 };
      const claimed = await store.claimInboxRecords({ nowMs: T0, claim: claimAt(T0), ...limits });
      assert.deepEqual(claimed, { records: [], hasMore: false });
      const none = { claimToken: "token", nowMs: T0 };
      assert.deepEqual(await store.releaseInboxRecordsIfClaimed({ ...none, records: [], isTry: true }), {
        released: 0,
      });
      assert.deepEqual(await store.refuseInboxRecordsIfClaimed({ ...none, refusals: [] }), { refused: 0 });
      assert.deepEqual(
        await store.listRefusedRecords({ accountId: ACCOUNT.id, before: null, limit: 9, recordCharsMax: 99_999 }),
        [],
      );
      const nothing = { waiting: 0, oldestEmittedAtMs: null, refused: 0 };
      assert.deepEqual(await store.countInbox({ refusedFromMs: 0 }), nothing);
    });
  });
}
