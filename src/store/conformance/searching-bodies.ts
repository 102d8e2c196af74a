/** Promises about what a search asks of bodies: values of fields, and a person's address to the letter. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { splitFieldValues } from "../../domain/field-values.ts";
import { parsePhrases } from "../../domain/search-words.ts";
import type { DeliveryCursor } from "../contract/log.ts";
import type { SearchDeliveries } from "../contract/search.ts";
import type { Store } from "../contract/store.ts";
import { ACCOUNT, accept, held, inStore, makeEvent, type OpenStore, setUp, T0 } from "./world.ts";

const accountId = ACCOUNT.id;
const NOW = T0 + 60_000;

const BODIES = [
  { id: 1, utm_params: { utm_source: "Google", utm_campaign: "spring sale" }, location: { city: "Berlin" } },
  { id: 2, utm_params: { utm_source: "google-ads" }, location: { city: "New York" }, topics: ["pricing", "Security"] },
  { id: 3, location: { city: "Łódź" }, order_no: 4711, amount: "20.00", lead: { email: "Jane@acme.example" } },
  { id: 4, order_no: 47, is_paid: true, lead: { email: "mary.jane@acme.example" }, note: 'google "Berlin" 100%_x' },
  { id: 5, lead: { email: "jane@acme.example.org" }, "a.b": { "c-d": null } },
  { id: 6, price: 5, total: 0.5, name: "KADİR", street: "Hauptstraße", "x.y": "dotted" },
  { id: 7, price: "5.00", name: "Kadir", street: "HAUPTSTRASSE", place: "Oﬃce", note: "plain" },
  { id: 8, price: 50, name: "kadır", place: "office" },
];

/** As some programs write JSON: Python escapes what is not ASCII, and anything may be. */
const ESCAPED = String.raw`{"id":9,"name":"KAD\u0130R","\u0070lace":"O\u0066fice","price":5.000}`;

async function setUpBodies(store: Store): Promise<void> {
  const configVersion = await setUp(store, ["dst_a"]);
  const other = await setUp(store, ["dst_b"], { ...ACCOUNT, id: "acc_2" });
  const plain = BODIES.map((body) => JSON.stringify(body)).map((text) => text.replace('"20.00"', "20.00"));
  const bodies = [...plain, ESCAPED];
  const events = bodies.map((body, n) =>
    makeEvent(n, { configVersion, body, deliveries: [held(`dlv_${n + 1}`, "dst_a")] }),
  );
  await accept(store, events, T0);
  const [body = ""] = bodies;
  const others = { accountId: "acc_2", configVersion: other, body, deliveries: [held("dlv_99", "dst_b")] };
  await accept(store, [makeEvent(99, others)], T0);
  await indexAll(store);
}

const indexAll = async (store: Store): Promise<void> => {
  while ((await store.indexEvents({ nowMs: NOW, eventsMax: 1_000, bytesMax: 10 ** 9 })).hasMore);
};

function search(store: Store, query: string, parts: Partial<SearchDeliveries> = {}) {
  const { values, rest } = splitFieldValues(query);
  const page = { withTests: false, before: null as DeliveryCursor | null, limit: 50, nowMs: NOW };
  return store.searchDeliveries({ accountId, phrases: parsePhrases(rest), values, ...page, ...parts });
}

async function findNumbers(store: Store, query: string, parts: Partial<SearchDeliveries> = {}): Promise<number[]> {
  const { deliveries } = await search(store, query, parts);
  return deliveries.map(({ id }) => Number(id.slice(4))).toSorted((one, other) => one - other);
}

export function describeSearchingBodies(open: OpenStore): void {
  describe("search in bodies", () => {
    describeValues(open);
    describeAddresses(open);
    describeReach(open);
  });
}

function describeValues(open: OpenStore): void {
  const test = inStore(open);
  const ROWS: readonly [query: string, numbers: readonly number[]][] = [
    ["utm_source:google", [1]],
    ["UTM_Source:GOOGLE", [1]],
    ["utm_source:goog*", [1, 2]],
    ["utm_source:*", []],
    ["utm_params.utm_source:google", [1]],
    ["params.utm_source:google", []],
    ['city:"new york"', [2]],
    ['city:"new"*', [2]],
    ["city:New", []],
    ["city:łÓDŹ", [3]],
    ["topics:security", [2]],
    ["order_no:4711", [3]],
    ["order_no:47", [4]],
    ["order_no:47*", [3, 4]],
    ["amount:20", [3]],
    ["amount:20.00", [3]],
    ["is_paid:true", [4]],
    ["c-d:null", [5]],
    ["a.b.c-d:null", [5]],
    ["utm_source:google city:berlin", [1]],
    ["utm_source:google city:london", []],
    ["lead.email:jane@acme.example", [3]],
    ["id:% ", []],
    ["city:ber_in", []],
    ["city:') or 1=1 --", []],
    ['note:"google berlin"', []],
    ["price:5.00", [6, 7, 9]],
    ["price:5", [6, 7, 9]],
    ["price:5.0*", [6, 7, 9]],
    ["price:5*", [6, 7, 8, 9]],
    ["total:0.50", [6]],
    ["name:kadir", [6, 7, 8, 9]],
    ["name:KADİR", [6, 7, 8, 9]],
    ["name:kadi*", [6, 7, 8, 9]],
    ["street:hauptstrasse", [6, 7]],
    ["street:HAUPTSTRAßE", [6, 7]],
    ["place:OFFICE", [7, 8, 9]],
    ["place:off*", [7, 8, 9]],
    ["x.y:dotted", [6]],
    ["y:dotted", [6]],
  ];
  test("finds values of fields, wherever they stand in the body, of its own account alone", async (store) => {
    await setUpBodies(store);
    for (const [query, numbers] of ROWS) assert.deepEqual(await findNumbers(store, query), numbers, query);
    assert.deepEqual(await findNumbers(store, "city:berlin", { accountId: "acc_2" }), [99]);
  });

  test("goes together with words and with the log's filters, and says what was matched", async (store) => {
    await setUpBodies(store);
    assert.deepEqual(await findNumbers(store, "order_no:47* mary", {}), [4]);
    assert.deepEqual(await findNumbers(store, "order_no:47*", { destinationId: "dst_b" }), []);
    assert.deepEqual(await findNumbers(store, "order_no:47*", { type: "chat_conversation_completed" }), []);
    const [row] = (await search(store, 'city:"new york"')).deliveries;
    assert.deepEqual(row?.match, { field: "location.city", text: "New York", ranges: [[0, 8]] });
  });
}

function describeAddresses(open: OpenStore): void {
  const test = inStore(open);
  test("finds a person by the whole address in any case, and nobody whose address has it in it", async (store) => {
    await setUpBodies(store);
    const phrases = parsePhrases("JANE@acme.example");
    assert.deepEqual(await findNumbers(store, "", { phrases }), [3, 4, 5]);
    assert.deepEqual(await findNumbers(store, "", { phrases, email: "JANE@acme.example" }), [3]);
    const wanted = { accountId, type: null, phrases, email: "jane@acme.example", before: null, limit: 9, nowMs: NOW };
    assert.equal((await store.searchEvents(wanted)).events.length, 1);
  });
}

function describeReach(open: OpenStore): void {
  const test = inStore(open);
  test("says how many bodies it looked at and how far back that was, and goes on there", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await accept(store, [
      makeEvent(1, { configVersion, body: '{"city":"Rome"}', deliveries: [held("dlv_1", "dst_a")] }),
    ]);
    const events = Array.from({ length: 10 * 64 }, (_, n) =>
      makeEvent(100 + n, { configVersion, body: '{"city":"Oslo"}' }),
    );
    for (let n = 0; n < events.length; n += 64) await accept(store, events.slice(n, n + 64), T0 + 10 + n);
    await indexAll(store);
    const page = await search(store, "city:rome");
    assert.deepEqual([page.deliveries, page.lookedAt], [[], 9 * 64 + 1]);
    assert.ok(page.next !== null && page.searchedBackToMs !== null && page.searchedBackToMs > T0);
    const rest = await search(store, "city:rome", { before: page.next });
    assert.deepEqual([rest.deliveries.map(({ id }) => id), rest.next], [["dlv_1"], null]);
    assert.ok((rest.lookedAt ?? 0) < 3 * 64, `${rest.lookedAt}`);
  });

  test("ends inside a block of large bodies, and goes on there", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const note = "x".repeat(100 * 1024);
    for (let n = 0; n < 64; n += 2) {
      const events = [n, n + 1].map((each) => {
        const body = JSON.stringify({ city: each % 10 === 0 ? "Rome" : "Oslo", note });
        return makeEvent(each, { configVersion, body, deliveries: [held(`dlv_${each}`, "dst_a")] });
      });
      await accept(store, events, T0 + n);
    }
    await indexAll(store);
    const found: number[] = [];
    const looked: number[] = [];
    let before: DeliveryCursor | null = null;
    do {
      const page = await search(store, "city:rome", { before });
      found.push(...page.deliveries.map(({ id }) => Number(id.slice(4))));
      looked.push(page.lookedAt ?? 0);
      before = page.next;
    } while (before !== null);
    assert.deepEqual(found, [60, 50, 40, 30, 20, 10, 0]);
    // Two share an instant, and 21 bodies have 2 MiB.
    assert.deepEqual(looked.slice(0, 2), [22, 22]);
  });

  test("gets on behind an instant that has more than it looks at", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const rome = (n: number) =>
      makeEvent(n, { configVersion, body: '{"city":"Rome"}', deliveries: [held(`dlv_${n}`, "dst_a")] });
    const large = (n: number) =>
      makeEvent(n, { configVersion, body: JSON.stringify({ note: "x".repeat(500 * 1024) }) });
    await accept(store, [rome(1)], T0);
    await accept(
      store,
      Array.from({ length: 12 }, (_, n) => large(10 + n)),
      T0 + 1,
    );
    await indexAll(store);
    let page = await search(store, "city:rome");
    for (let pages = 0; page.deliveries.length === 0 && page.next !== null && pages < 5; pages += 1) {
      page = await search(store, "city:rome", { before: page.next });
    }
    assert.deepEqual(
      page.deliveries.map(({ id }) => id),
      ["dlv_1"],
    );
  });
}
