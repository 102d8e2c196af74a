/** What an operator reads in SQL at night: the rows of one webhook say what they are, on both stores. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startCluster } from "../../test/kit/servers/postgres.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { ACCOUNT, accept, held, makeAttempt, makeEvent, makeSettlement, setUp, T0 } from "./conformance/world.ts";
import type { Store } from "./contract/store.ts";
import { openPostgresStore } from "./postgres/open.ts";
import { openInlineStore } from "./sqlite/open.ts";

const BODY = '{"event":"of any type","nothing":null,"text":"\\u0000 é"}';
const NOT_SENT = '[0,["dst_b","demos",0,"Tour of a demo whose name is long enough to be worth a place of its own"]]';
/** Names and values that no line of a header can have are kept as well. */
const REQUEST = {
  "content-type": "application/json",
  "webhook-id": "dlv_1",
  "x:\n": '= "\ud800\0"',
  ["__proto__"]: "odd",
};
const ANSWER = { date: "Sun, 22 Nov 2026 12:00:00 GMT", "set-cookie": "a=b" };

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

/** Two events that share everything that could be shared; their headers come back in their order. */
async function fill(store: Store): Promise<void> {
  const configVersion = await setUp(store, ["dst_a"]);
  const response = { status: 200, headers: ANSWER, body: new TextEncoder().encode("ok"), bodyCut: false };
  const made = makeAttempt(1, { outcome: { kind: "response", response } });
  const attempt = { ...made, requestHeaders: REQUEST };
  for (const n of [1, 2]) {
    const event = makeEvent(n, { configVersion, notSent: NOT_SENT, deliveries: [held(`dlv_${n}`, "dst_a")] });
    await accept(store, [{ ...event, body: BODY }]);
    const settlement = makeSettlement(`dlv_${n}`, { attempt });
    const [settled] = await store.settleAttemptsIfClaimed({ nowMs: T0 + 1, settlements: [settlement] });
    assert.equal(settled?.kind, "settled");
    const read = await store.loadDelivery({ accountId: ACCOUNT.id, deliveryId: `dlv_${n}` });
    assert.deepEqual(Object.entries(read?.attempts[0]?.requestHeaders ?? {}), Object.entries(REQUEST));
  }
}

describe("the rows of a webhook say in SQL what they are", () => {
  const event = { body: BODY, not_sent: NOT_SENT };
  const delivery = { request: REQUEST, answer: ANSWER };

  test("on SQLite", async () => {
    const inline = openInlineStore({ clock: createVirtualClock(T0) });
    await using store = inline.store;
    await fill(store);
    await inline.between((db) => {
      const events = db.all<object>("select body, not_sent from events order by seq").map((row) => ({ ...row }));
      assert.deepEqual(events, [event, event]);
      const rows = db.all<{ request: string; answer: string }>(
        "select json_extract(attempt_detail, '$[1]') as request, answer_headers as answer from deliveries order by id",
      );
      const headers = rows.map(({ request, answer }) => ({ request: JSON.parse(request), answer: JSON.parse(answer) }));
      assert.deepEqual(headers, [delivery, delivery]);
    });
  });

  test("on PostgreSQL", async () => {
    const url = await cluster.createDatabase();
    await using store = (await openPostgresStore({ url, clock: createVirtualClock(T0) })).store;
    await fill(store);
    assert.deepEqual(await cluster.query(url, "select body, not_sent from bellwire.events order by seq"), [
      event,
      event,
    ]);
    const sql = "select request_headers::json as request, response_headers::json as answer from bellwire.deliveries";
    assert.deepEqual(await cluster.query(url, sql), [delivery, delivery]);
  });
});
