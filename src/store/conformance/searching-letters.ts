/** Promises about search for letters that are the same, and in scripts without blanks between words. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { parsePhrases } from "../../domain/search-words.ts";
import { ACCOUNT, accept, due, inStore, makeEvent, type OpenStore, setUp, T0 } from "./world.ts";

const TEXT = "Große Straße: ΟΔΟΣ 我想了解产品价格 東京タワー ราคาสินค้า \u212aelvin \ufb01ne";
const FOUND = ["STRASSE", "stra\u1e9ee", "οδοσ", "οδός", "产品", "价格", "タワ", "สินค้า", "KELVIN", "FINE"];

export function describeSearchingLetters(open: OpenStore): void {
  const test = inStore(open);
  describe("search finds other capitals, and words in scripts without blanks", () => {
    for (const others of [0, 70]) {
      test(others === 0 ? "in open blocks" : "in sealed blocks", async (store) => {
        const configVersion = await setUp(store, ["dst_a"]);
        const put = async (n: number, name: string) => {
          const deliveries = [due(`dlv_${n}`, "dst_a")];
          await accept(store, [makeEvent(n, { configVersion, body: JSON.stringify({ name }), deliveries })], T0 + n);
        };
        await put(1, TEXT);
        for (let n = 0; n < others; n += 1) await put(100 + n, "Other");
        const nowMs = T0 + 60_000;
        while ((await store.indexEvents({ nowMs, eventsMax: 1_000, bytesMax: 10 ** 9 })).hasMore);
        const page = { accountId: ACCOUNT.id, withTests: false, before: null, limit: 10, nowMs } as const;
        for (const query of [...FOUND, "品产"]) {
          const { deliveries } = await store.searchDeliveries({ ...page, phrases: parsePhrases(query) });
          assert.equal(deliveries.length, FOUND.includes(query) ? 1 : 0, query);
        }
      });
    }
  });
}
