/** What a claim costs where an account has much to tell: thousands of webhooks whose receiver has failed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LINEAR_MAX, measureGrowth } from "../../../../test/growth/measure.ts";
import { systemClock } from "../../../lib/clock.ts";
import { channelToAdd, claimMessages, setUp, T0 } from "../../conformance/world.ts";
import { openInlineStore } from "../../sqlite/open.ts";
import { openMemory } from "../../sqlite/writer/database-file.ts";
import { LIST_DUE } from "./claim-messages.ts";

const PUT_MANY = `
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
  insert into messages (account_id, route, recipient, kind, subject, body, at, due_at)
  select 'acc_1', 'channel', ?, 'failing', 'dst_a', '', ?, ? from numbers`;

describe("claims of messages", () => {
  test("look at a recipient once, however many of its messages are due", async () => {
    const growth = await measureGrowth({
      what: "messages of a recipient",
      size: 200,
      make(size) {
        const { db } = openMemory({ nowMs: 0 });
        db.run(PUT_MANY, size, "chn_a", T0, T0);
        return () => db.all(LIST_DUE, "channel", T0, 9);
      },
    });
    assert.ok(growth.isKept, `four times the messages cost × ${growth.ratio?.toFixed(1)}, above × ${LINEAR_MAX}`);
  });

  test("leave further recipients to the next one, where the first has much to read", async () => {
    const { store, between } = openInlineStore({ clock: systemClock });
    await using _ = store;
    await setUp(store, ["dst_a"]);
    for (const name of ["a", "b", "c"]) await store.addChannel(channelToAdd(name));
    await between((db) => {
      for (const [id, count] of [
        ["chn_a", 1],
        ["chn_b", 1_000],
        ["chn_c", 1],
      ] as const) {
        db.run(PUT_MANY, count, id, T0, T0);
      }
    });
    const claim = async () => (await claimMessages(store, "channel", { nowMs: T0 })).map(({ recipient }) => recipient);
    assert.deepEqual([await claim(), await claim(), await claim()], [["chn_a", "chn_b"], ["chn_c"], []]);
  });
});
