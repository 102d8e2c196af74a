/** Promises about search after the clock was set back, as by a failover to a server with another one. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { parsePhrases } from "../../domain/search-words.ts";
import { hoursMs, minutesMs, secondsMs } from "../../lib/duration.ts";
import type { Store } from "../contract/store.ts";
import { ACCOUNT, accept, due, inStore, makeEvent, type OpenStore, setUp, T0 } from "./world.ts";

const accountId = ACCOUNT.id;
const AHEAD = T0 + hoursMs(1);

async function put(store: Store, n: number, nowMs: number): Promise<void> {
  const configVersion = (await store.loadAccount({ accountId }))?.configVersion ?? 0;
  const body = '{"name":"Tour"}';
  await accept(store, [makeEvent(n, { configVersion, body, deliveries: [due(`dlv_${n}`, "dst_a")] })], nowMs);
}

async function indexAll(store: Store, nowMs: number): Promise<void> {
  while ((await store.indexEvents({ nowMs, eventsMax: 1_000, bytesMax: 10 ** 9 })).hasMore);
}

export function describeSearchingAfterSetBack(open: OpenStore): void {
  const test = inStore(open);
  describe("search after the clock was set back by an hour", () => {
    test("finds what came in before, meanwhile, and when the clock had caught up", async (store) => {
      await setUp(store, ["dst_a"]);
      await put(store, 1, AHEAD);
      await indexAll(store, AHEAD);
      for (const [n, nowMs] of [T0 + secondsMs(1), T0 + secondsMs(2), T0 + minutesMs(1)].entries()) {
        await put(store, 2 + n, nowMs);
        await indexAll(store, nowMs + secondsMs(1));
      }
      const caughtUp = AHEAD + secondsMs(1);
      await put(store, 5, caughtUp);
      await indexAll(store, caughtUp + secondsMs(1));
      const page = { accountId, withTests: false, before: null, limit: 10 } as const;
      const found = await store.searchDeliveries({ ...page, phrases: parsePhrases("tour"), nowMs: caughtUp });
      const ids = found.deliveries.map(({ id }) => id).toSorted();
      assert.deepEqual(ids, ["dlv_1", "dlv_2", "dlv_3", "dlv_4", "dlv_5"]);
    });
  });
}
