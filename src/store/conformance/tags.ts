/** Promises about tags: words on a destination that people find it by. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import type { TagDestination } from "../contract/destinations.ts";
import type { Store } from "../contract/store.ts";
import { ACCOUNT, ADA, EVE, inStore, loadVersion, type OpenStore, setUp, T0 } from "./world.ts";

const accountId = ACCOUNT.id;

const put = (store: Store, tag: string, parts: Partial<TagDestination> = {}) =>
  store.tagDestination({ accountId, destinationId: "dst_a", tag, isOn: true, by: ADA, nowMs: T0, ...parts });

async function read(store: Store): Promise<Record<string, readonly string[]>> {
  const destinations = await store.loadDestinations({ accountId, withDeleted: true, nowMs: T0, waitingMax: 0 });
  return Object.fromEntries(destinations.map(({ id, tags }) => [id, tags]));
}

export function describeTags(open: OpenStore): void {
  const test = inStore(open);
  describe("tags", () => {
    test("are put on a destination and taken off, by letters, and each change is in the audit", async (store) => {
      await setUp(store, ["dst_a", "dst_b"]);
      assert.equal(await put(store, "eu"), "changed");
      assert.equal(await put(store, "crm", { by: EVE }), "changed");
      assert.equal(await put(store, "eu"), "unchanged");
      assert.deepEqual(await read(store), { dst_a: ["crm", "eu"], dst_b: [] });
      assert.equal(await put(store, "eu", { isOn: false }), "changed");
      assert.equal(await put(store, "eu", { isOn: false }), "unchanged");
      assert.deepEqual(await read(store), { dst_a: ["crm"], dst_b: [] });
      const entries = await store.listAudit({ accountId, limit: 3, before: null });
      assert.deepEqual(
        entries.map(({ action, person, subject }) => [action, person, subject]),
        [
          ["webhook_untagged", "ada", "Ada · eu"],
          ["webhook_tagged", "eve", "Ada · crm"],
          ["webhook_tagged", "ada", "Ada · eu"],
        ],
      );
    });

    test("leave the account's version as it is, so no accept is decided anew", async (store) => {
      await setUp(store, ["dst_a"]);
      const before = await loadVersion(store);
      await put(store, "eu");
      assert.equal(await loadVersion(store), before);
    });

    test("are refused to other accounts, to deleted destinations, and beyond their number", async (store) => {
      await setUp(store, ["dst_a", "dst_b"]);
      await setUp(store, [], { ...ACCOUNT, id: "acc_2" });
      assert.equal(await put(store, "eu", { accountId: "acc_2" }), "missing");
      for (let n = 0; n < LIMITS.tagsMax; n += 1) assert.equal(await put(store, `tag ${n}`), "changed");
      assert.equal(await put(store, "one more"), "full");
      assert.equal(await put(store, "tag 0"), "unchanged");
      const assistant = { accountId, assistantId: "assistant of dst_b", expectedRevision: 2, by: ADA, nowMs: T0 };
      assert.equal(await store.removeAssistantDestination(assistant), "removed");
      assert.equal(await put(store, "eu", { destinationId: "dst_b" }), "missing");
    });
  });
}
