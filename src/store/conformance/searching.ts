/** Promises about search: what is found, in which order and pages, how soon, and that it is forgotten. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { parsePhrases } from "../../domain/search-words.ts";
import type { DeliveryCursor } from "../contract/log.ts";
import type { SearchDeliveries, SearchEvents } from "../contract/search.ts";
import type { Store } from "../contract/store.ts";
import {
  ACCOUNT,
  accept,
  due,
  held,
  inStore,
  makeEvent,
  makeSettlement,
  type OpenStore,
  purgeStep,
  setUp,
  T0,
  TEST_DELIVERY,
  uuid,
} from "./world.ts";

const accountId = ACCOUNT.id;
const CHAT = "chat_conversation_completed";
const NOW = T0 + 60_000;

const indexSome = (store: Store, parts: { eventsMax?: number; bytesMax?: number; nowMs?: number } = {}) =>
  store.indexEvents({ nowMs: NOW, eventsMax: 1_000, bytesMax: 10 ** 9, ...parts });

async function indexAll(store: Store, parts: { eventsMax?: number; bytesMax?: number } = {}): Promise<number> {
  let steps = 0;
  while ((await indexSome(store, parts)).hasMore) steps += 1;
  return steps;
}

const search = (store: Store, query: string, parts: Partial<SearchDeliveries> = {}) =>
  store.searchDeliveries({
    accountId,
    phrases: parsePhrases(query),
    withTests: false,
    before: null,
    limit: 50,
    nowMs: NOW,
    ...parts,
  });

async function findIds(store: Store, query: string, parts: Partial<SearchDeliveries> = {}): Promise<string[]> {
  return (await search(store, query, parts)).deliveries.map(({ id }) => id);
}

async function findSources(store: Store, query: string, parts: Partial<SearchEvents> = {}): Promise<string[]> {
  const { events } = await store.searchEvents({
    accountId,
    type: CHAT,
    phrases: parsePhrases(query),
    before: null,
    limit: 50,
    nowMs: NOW,
    ...parts,
  });
  return events.map(({ sourceId }) => sourceId);
}

const JANE = JSON.stringify({
  name: "Produkttour",
  intent_level: "high",
  lead: { first_name: "Jané", last_name: "Müller", email: "jane@acme.example" },
  buyer_reveal: { company_name: "Acme & Söhne", company_domain: "acme.example" },
});
const CHAT_BODY = JSON.stringify({
  transcript: "[Text mode]\n\nUser: What does single sign-on cost?",
  conversation_summary: "Asked about pricing.",
  topics: ["pricing", "security"],
  lead: null,
});

/** A session to two destinations, a conversation to one and one to none, and a session of others. */
async function setUpFew(store: Store): Promise<void> {
  const configVersion = await setUp(store, ["dst_a", "dst_b"]);
  const toBoth = [due("dlv_1", "dst_a"), held("dlv_2", "dst_b")];
  await accept(store, [makeEvent(1, { configVersion, body: JANE, deliveries: toBoth })], T0 + 1);
  const chat = { configVersion, type: CHAT, body: CHAT_BODY } as const;
  await accept(store, [makeEvent(2, { ...chat, assistantId: "ada", deliveries: [held("dlv_3", "dst_a")] })], T0 + 2);
  await accept(store, [makeEvent(3, { ...chat, assistantId: "bob" })], T0 + 3);
  const others = await setUp(store, ["dst_c"], { ...ACCOUNT, id: "acc_2" });
  const event = { accountId: "acc_2", configVersion: others, body: JANE, deliveries: [held("dlv_4", "dst_c")] };
  await accept(store, [makeEvent(4, event)], T0 + 4);
}

export function describeSearching(open: OpenStore): void {
  describe("search", () => {
    describeFinding(open);
    describePages(open);
    describeFilters(open);
    describeIndexing(open);
    describeForgetting(open);
  });
}

function describeFinding(open: OpenStore): void {
  const test = inStore(open);
  const ROWS: readonly [query: string, ids: readonly string[]][] = [
    ["jane@acme.example", ["dlv_2", "dlv_1"]],
    ["JANE muller", ["dlv_2", "dlv_1"]],
    ["mull", ["dlv_2", "dlv_1"]],
    ["sohne acme", ["dlv_2", "dlv_1"]],
    ["produkttour", ["dlv_2", "dlv_1"]],
    ["pricing", ["dlv_3"]],
    ["sign-on cost", ["dlv_3"]],
    ["secur", ["dlv_3"]],
    ["jane pricing", []],
    ["acme@jane", []],
    ["uller", []],
    ["no one", []],
  ];
  // Whether a block is open or sealed, and however many steps it took, the answers are the same.
  for (const sealed of [false, true]) {
    test(`finds deliveries by what their event is about, newest first ${sealed ? "(sealed)" : ""}`, async (store) => {
      await setUpFew(store);
      if (sealed) await acceptMany(store, 70, { first: 100, atMs: T0 + 100, body: '{"name":"Other"}' });
      await indexAll(store, { eventsMax: 2 });
      for (const [query, ids] of ROWS) assert.deepEqual(await findIds(store, query), ids, query);
      assert.deepEqual(await findIds(store, "jane", { accountId: "acc_2" }), ["dlv_4"]);
    });
  }

  test("says what was matched, and who and what each row is about", async (store) => {
    await setUpFew(store);
    await indexAll(store);
    const [row] = (await search(store, "acme.ex")).deliveries;
    assert.deepEqual(row?.about, { who: "Jané Müller", what: "Produkttour" });
    assert.deepEqual(row?.match, { field: "visitor", text: "jane@acme.example", ranges: [[5, 17]] });
  });

  test("finds sessions and conversations that nothing was sent for", async (store) => {
    await setUpFew(store);
    await indexAll(store);
    assert.deepEqual(await findSources(store, "pricing"), [uuid(3), uuid(2)]);
    assert.deepEqual(await findSources(store, "pricing", { assistantId: "bob" }), [uuid(3)]);
    assert.deepEqual(await findSources(store, "pricing", { type: "demo_viewed" }), []);
    assert.deepEqual(await findSources(store, "jane", { type: "demo_viewed" }), [uuid(1)]);
    assert.deepEqual(await findSources(store, "jane", { type: "demo_viewed", accountId: "acc_2" }), [uuid(4)]);
  });

  test("finds a session by its own id, its event's and its deliveries', of its own account alone", async (store) => {
    await setUpFew(store);
    const byId = (id: string, parts: Partial<SearchEvents> = {}) =>
      findSources(store, "", { type: "demo_viewed", id, ...parts });
    for (const id of [uuid(1), "evt_1", "dlv_1", "dlv_2"]) {
      assert.deepEqual(await byId(id), [uuid(1)], id);
      assert.deepEqual(await byId(id, { accountId: "acc_2" }), [], id);
      assert.deepEqual(await byId(id, { type: CHAT }), [], id);
    }
    assert.deepEqual(await byId("evt_3", { type: CHAT, assistantId: "bob" }), [uuid(3)]);
    assert.deepEqual(await byId("evt_3", { type: CHAT, assistantId: "ada" }), []);
    for (const id of [uuid(9), "evt_9", "dlv_9", "nothing"]) assert.deepEqual(await byId(id), []);
  });

  test("takes in names with characters that a database's text cannot hold", async (store) => {
    await setUpFew(store);
    const body = JSON.stringify({ name: "Tour\0\ud800", lead: { first_name: "Nu\0l", last_name: "Byte" } });
    await acceptMany(store, 1, { first: 300, atMs: T0 + 100, body });
    await indexAll(store);
    const [row] = (await search(store, "byte")).deliveries;
    assert.match(row?.about.who ?? "", /^Nu.?l Byte$/);
  });

  test("shows a test only among tests", async (store) => {
    await setUp(store, ["dst_a"]);
    await store.recordTestDelivery({ ...TEST_DELIVERY, destinationId: "dst_a", body: JANE });
    await indexAll(store);
    assert.deepEqual(await findIds(store, "jane"), []);
    assert.deepEqual(await findIds(store, "jane", { withTests: true }), [TEST_DELIVERY.deliveryId]);
    assert.deepEqual(await findSources(store, "jane", { type: TEST_DELIVERY.type }), []);
  });
}

interface Many {
  readonly first: number;
  readonly atMs: number;
  readonly body: string;
}

/** Events `first` on, two of each millisecond, each with a delivery of its number that stays in memory. */
async function acceptMany(store: Store, count: number, { first, atMs, body }: Many): Promise<void> {
  const configVersion = (await store.loadAccount({ accountId }))?.configVersion ?? 0;
  for (let n = 0; n < count; n += 2) {
    const events = [n, n + 1].map((place) =>
      makeEvent(first + place, { configVersion, body, deliveries: [held(`dlv_${first + place}`, "dst_a")] }),
    );
    await accept(store, events, atMs + n);
  }
}

function describePages(open: OpenStore): void {
  const test = inStore(open);
  test("pages fit together, over blocks, with several of one millisecond", async (store) => {
    await setUp(store, ["dst_a"]);
    await acceptMany(store, 150, { first: 100, atMs: T0, body: JANE });
    await acceptMany(store, 20, { first: 300, atMs: T0 + 75, body: '{"name":"Other"}' });
    await indexAll(store);
    const all = Array.from({ length: 150 }, (_, n) => `dlv_${100 + n}`).toReversed();
    for (const limit of [7, 64, 149]) assert.deepEqual(await readPages(store, "jane", limit), all);
    const sources = all.map((id) => uuid(Number(id.slice(4))));
    assert.deepEqual(await readEventPages(store, "jane", 7), sources);
  });

  test("pages fit together where few blocks have a word, beside words that all have", async (store) => {
    await setUp(store, ["dst_a"]);
    const [plain, rare] = ['{"name":"usual tour"}', '{"name":"usual rare@tour.example"}'];
    for (let n = 0; n < 8; n += 1) {
      const [first, atMs] = [1_000 + 100 * n, T0 - 40_000 + 1_000 * n];
      await acceptMany(store, 90, { first, atMs, body: plain });
      if (n < 3) await acceptMany(store, 8, { first: first + 90, atMs: atMs + 90, body: rare });
    }
    await indexAll(store);
    const all = [0, 1, 2].flatMap((n) => Array.from({ length: 8 }, (_, place) => `dlv_${1_090 + 100 * n + place}`));
    for (const query of ["rare", "usu rare", "rare@tour.exam", "usual ra to"]) {
      for (const limit of [3, 50]) assert.deepEqual(await readPages(store, query, limit), all.toReversed(), query);
    }
    assert.equal((await readPages(store, "tour", 100)).length, 8 * 90 + 24);
  });

  test("a search that finds little in much says how far it came, and goes on there", async (store) => {
    await setUp(store, ["dst_a"]);
    await acceptMany(store, 2, { first: 10, atMs: T0 - 50_000, body: '{"name":"red green"}' });
    const both = Array.from({ length: 128 * 64 }, (_, n) => (n % 2 === 0 ? "red" : "green"));
    const configVersion = (await store.loadAccount({ accountId }))?.configVersion ?? 0;
    const events = both.map((name, n) => makeEvent(1_000 + n, { configVersion, body: JSON.stringify({ name }) }));
    for (let n = 0; n < events.length; n += 1_024) await accept(store, events.slice(n, n + 1_024), T0 + n);
    await indexAll(store);
    const page = await search(store, "red green");
    assert.deepEqual(page.deliveries, []);
    assert.ok(page.searchedBackToMs !== null && page.searchedBackToMs <= T0 + 1_024, `${page.searchedBackToMs}`);
    assert.deepEqual(await findIds(store, "red green", { before: page.next }), ["dlv_11", "dlv_10"]);
  });
}

async function readPages(store: Store, query: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let before: DeliveryCursor | null = null;
  do {
    const page = await search(store, query, { before, limit });
    ids.push(...page.deliveries.map(({ id }) => id));
    before = page.next;
  } while (before !== null);
  return ids;
}

async function readEventPages(store: Store, query: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let before: DeliveryCursor | null = null;
  do {
    const phrases = parsePhrases(query);
    const params = { accountId, type: "demo_viewed", phrases, before, limit, nowMs: NOW } as const;
    const page = await store.searchEvents(params);
    ids.push(...page.events.map(({ sourceId }) => sourceId));
    before = page.next;
  } while (before !== null);
  return ids;
}

function describeFilters(open: OpenStore): void {
  const test = inStore(open);
  test("goes together with every other filter of the log", async (store) => {
    await setUpFew(store);
    const settlements = [makeSettlement("dlv_2", { next: { state: "failed" } })];
    await store.settleAttemptsIfClaimed({ nowMs: T0 + 9, settlements });
    await indexAll(store);
    const ROWS: readonly [Partial<SearchDeliveries>, readonly string[]][] = [
      [{ statuses: ["failed"] }, ["dlv_2"]],
      [{ statuses: ["waiting"] }, ["dlv_1"]],
      [{ destinationId: "dst_a" }, ["dlv_1"]],
      [{ destinationId: "dst_c" }, []],
      [{ type: "demo_viewed" }, ["dlv_2", "dlv_1"]],
      [{ type: CHAT }, []],
      [{ response: { hundreds: 2 } }, ["dlv_2"]],
      [{ response: { status: 404 } }, []],
      [{ createdFromMs: T0 + 1 }, ["dlv_2", "dlv_1"]],
      [{ createdFromMs: T0 + 2 }, []],
      [{ createdToMs: T0 + 2 }, ["dlv_2", "dlv_1"]],
      [{ createdToMs: T0 + 1 }, []],
    ];
    for (const [filter, ids] of ROWS) assert.deepEqual(await findIds(store, "jane", filter), ids);
  });
}

function describeIndexing(open: OpenStore): void {
  const test = inStore(open);
  test("an answer says from when on events may be missing, until they are indexed", async (store) => {
    await setUpFew(store);
    assert.equal((await search(store, "jane")).missingFromMs, T0 + 1);
    await indexSome(store, { eventsMax: 1 });
    // Each shard has an order of its own, and another account's event may be the first.
    if ((open.shards ?? 1) === 1) assert.equal((await search(store, "pricing")).missingFromMs, T0 + 2);
    await indexAll(store);
    assert.equal((await search(store, "jane")).missingFromMs, null);
  });

  test("takes no more at once than it is told, but for one that is larger", async (store) => {
    await setUpFew(store);
    assert.deepEqual(await indexSome(store, { eventsMax: 3 }), { indexed: 3, hasMore: true });
    assert.equal((await indexSome(store, { eventsMax: 3 })).indexed, 1);
    await acceptMany(store, 4, { first: 50, atMs: NOW, body: JSON.stringify({ name: "x".repeat(9_000) }) });
    assert.equal((await indexSome(store, { bytesMax: 10 })).indexed, 1);
  });

  test("fills the blocks of several accounts in one step, and more than one of each", async (store) => {
    const accounts = [ACCOUNT.id, "acc_2"];
    for (const [place, id] of accounts.entries()) {
      const configVersion = await setUp(store, [], { ...ACCOUNT, id });
      const events = Array.from({ length: 150 }, (_, n) => {
        const body = JSON.stringify({ name: `Tour name${n}x` });
        return makeEvent(1_000 * place + n, { accountId: id, configVersion, body });
      });
      await accept(store, events, T0 + 1);
    }
    await indexAll(store);
    for (const [place, id] of accounts.entries()) {
      const find = (query: string) => findSources(store, query, { accountId: id, type: "demo_viewed", limit: 500 });
      assert.equal((await find("tour")).length, 150);
      for (const n of [0, 63, 64, 127, 128, 149])
        assert.deepEqual(await find(`name${n}x`), [uuid(1_000 * place + n)], `${id} ${n}`);
    }
  });

  test("takes large bodies together, as their words end somewhere", async (store) => {
    await setUp(store, ["dst_a"]);
    await acceptMany(store, 6, { first: 50, atMs: NOW, body: JSON.stringify({ notes: "x".repeat(256 * 1024) }) });
    const bytesMax = 128 * 1024;
    assert.deepEqual(await indexSome(store, { bytesMax }), { indexed: 4, hasMore: true });
    assert.equal((await indexSome(store, { bytesMax })).indexed, 2);
  });

  test("an event is known by its own text also where a body is large, or is no JSON", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const large = { name: "Tour", transcript: `User: needle ${"word ".repeat(100_000)}` };
    const bodies = [JSON.stringify(large), "not JSON", '"text"'];
    const deliveries = (n: number) => [held(`dlv_${n}`, "dst_a")];
    const events = bodies.map((body, n) => makeEvent(n, { configVersion, body, deliveries: deliveries(n) }));
    await accept(store, events);
    await indexAll(store);
    const [row] = (await search(store, "needle")).deliveries;
    assert.deepEqual([row?.id, row?.about.what, row?.match?.field], ["dlv_0", "Tour", "transcript"]);
    assert.equal(
      (await store.listDeliveries({ accountId, withTests: false, before: null, limit: 9 })).deliveries.length,
      3,
    );
  });
}

function describeForgetting(open: OpenStore): void {
  const test = inStore(open);
  async function purgeAll(store: Store, payloadsBeforeMs: number): Promise<void> {
    while ((await purgeStep(store, { nowMs: NOW, rowsMax: 10, payloadsBeforeMs })).hasMore);
  }

  test("a text is forgotten with its payload, also in a block of which others stay", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const bodies = Array.from({ length: 130 }, (_, n) => JSON.stringify({ name: `Tour name${n} both` }));
    for (const [n, body] of bodies.entries()) {
      await accept(store, [makeEvent(n, { configVersion, body })], T0 + n);
    }
    await indexAll(store);
    await purgeAll(store, T0 + 70);
    const find = (query: string) => findSources(store, query, { type: "demo_viewed", limit: 200 });
    for (const n of [0, 63, 64, 69]) assert.deepEqual(await find(`name${n}`), []);
    for (const n of [70, 100, 129]) assert.deepEqual(await find(`name${n}`), [uuid(n)]);
    assert.equal((await find("both")).length, 60);
    await purgeAll(store, T0 + 1_000);
    assert.deepEqual(await find("both"), []);
  });

  test("what still waits keeps its text as it keeps its payload", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const parts = { configVersion, body: JANE };
    await accept(store, [makeEvent(1, { ...parts, deliveries: [due("dlv_1", "dst_a")] }), makeEvent(2, parts)]);
    await indexAll(store);
    await purgeAll(store, T0 + 1_000);
    assert.deepEqual(await findSources(store, "jane", { type: "demo_viewed" }), [uuid(1)]);
    assert.deepEqual(await findIds(store, "jane"), ["dlv_1"]);
  });
}
