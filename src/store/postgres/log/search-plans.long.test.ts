/** Searches, and erasing a person, read what they need, however much there is. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type pg from "pg";
import { FILL_TABLES } from "../../../../test/kit/servers/fill-tables.ts";
import { type Cluster, startCluster } from "../../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { Value } from "../connection/connection.ts";
import { newSession } from "../connection/connections.ts";
import { LIST_OF_EVENTS } from "./delivery-lists.ts";
import { LIST_NAMES, LIST_TESTS } from "../erase.ts";
import { LIST_ALL_ATTEMPTS } from "../path/settle-in-memory.ts";
import { LIST_NEXT, LIST_REST } from "../../sql/people/erase.ts";
import { openPostgresStore } from "../open.ts";
import { FIND_AHEAD, LIST_AHEAD, LIST_MISSED } from "./search-cursor.ts";
import { LIST_BLOCKS, LIST_BLOCKS_WITH, listEntriesWith, OPEN_BLOCKS, READ_AHEAD, UPDATE_BLOCKS } from "./search.ts";

let cluster: Cluster;
let client: pg.Client;

before(async () => {
  cluster = await startCluster({ settings: ["autovacuum=off"] });
  const url = await cluster.createDatabase();
  const { store } = await openPostgresStore({ url, clock: systemClock });
  await store[Symbol.asyncDispose]();
  client = newSession({ url, pooler: "none", forcesSync: false });
  await client.connect();
  // A vacuum stands alone.
  await client.query(FILL_TABLES);
  await client.query("vacuum analyze");
});
after(async () => {
  await client.end();
  await cluster[Symbol.asyncDispose]();
});

/** As PostgreSQL writes it, with `Index Scan using x on y` as `Index Scan x`. */
async function readPlan(sql: string, ...values: Value[]): Promise<string> {
  const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain ${sql}`, values);
  return rows.map((row) => row["QUERY PLAN"].replace(/ (?:using|on) /, " ")).join("\n");
}

test("blocks of search are read from the newest, by their words, and then their texts", async () => {
  const place = ["acc_1", 10 ** 9, 0, 10 ** 9, 10 ** 9, 129] as const;
  const newest = await readPlan(LIST_BLOCKS, ...place);
  assert.match(newest, /Index (?:Only )?Scan (?:Backward )?search_blocks_of_account/, newest);
  const byWord = await readPlan(LIST_BLOCKS_WITH, ...place, "'m_w77':*");
  assert.match(byWord, /Bitmap Index Scan search_blocks_by_word/, byWord);
  await client.query(`begin; ${READ_AHEAD}`);
  const texts = await readPlan(listEntriesWith(1), [1, 2], 0, 10 ** 9, null, null, false, " w77");
  await client.query("rollback");
  assert.match(texts, /Bitmap Heap Scan search_entries.*Bitmap Index Scan search_entries_of_block/s, texts);
  for (const plan of [newest, byWord, texts]) assert.doesNotMatch(plan, /Seq Scan/, plan);
});

test("a step of the index reads the next events, and of those behind it the ones that it has not", async () => {
  const place = [0, "", 10 ** 9, 32, ...UNDATED_EVENTS] as const;
  const ahead = await readPlan(LIST_AHEAD, ...place, 32_768, 131_072);
  const first = await readPlan(FIND_AHEAD, ...place);
  const missed = await readPlan(LIST_MISSED, 0, 10 ** 9, "", 32, ...UNDATED_EVENTS, 32_768, 131_072);
  for (const plan of [ahead, first, missed]) {
    assert.match(plan, /Index (?:Only )?Scan events_default_accepted_at_id_idx/, plan);
    assert.doesNotMatch(plan, /Seq Scan|->\s+Sort/, plan);
  }
});

test("a step of the index finds and changes the blocks of its accounts alone", async () => {
  const found = await readPlan(OPEN_BLOCKS, ["acc_1", "acc_2", "acc_none"], 10 ** 9);
  assert.match(found, /Index Scan search_blocks_open/, found);
  const changed = await readPlan(UPDATE_BLOCKS, [1, 2], [1, 1], [9, 9], [0, 0], [1, 1]);
  assert.match(changed, /Index Scan search_blocks_pkey/, changed);
  for (const plan of [found, changed]) assert.doesNotMatch(plan, /Seq Scan/, plan);
});

const IDS = Array.from({ length: 500 }, (_, n) => `evt_${n}`);
const RANGES = [IDS.map((id) => id.replace("evt", "dlv")), IDS.map((id) => `${id.replace("evt", "dlv")}~`)] as const;
const UNDATED_EVENTS = ["evt_", "evt_~", null, null] as const;
const UNDATED = ["dlv_1", "~", null, null] as const;

test("deliveries of the events that a search found are looked for event by event", async () => {
  const filter = [10 ** 9, "", 0, 10 ** 6, null, null, null, "acc_1", false, null] as const;
  const plan = await readPlan(LIST_OF_EVENTS, ...filter, IDS, ...RANGES, ...UNDATED);
  assert.match(plan, /Index Scan deliveries_default_pkey/, plan);
  assert.doesNotMatch(plan, /Seq Scan deliveries_(?:pending|default)|Hash|Merge/, plan);
});

test("a person is looked for along their account's events, tests too, and what was sent of each", async () => {
  const steps: readonly (readonly [index: string, sql: string, ...values: Value[]])[] = [
    ["events_default_account_id_type_assistant_id_seq_idx", LIST_REST, "acc_1", "demo_viewed", "", 0, 20],
    ["events_default_account_id_type_assistant_id_seq_idx", LIST_NEXT, "acc_1", "", "", 20],
    ["deliveries_default_account_id_created_at_id_idx", LIST_TESTS, "acc_1", "", 20],
    ["deliveries_default_pkey", LIST_NAMES, IDS, ...RANGES, ...UNDATED],
    ["attempts_default_pkey", LIST_ALL_ATTEMPTS, RANGES[0].slice(0, 50), ...UNDATED],
  ];
  for (const [index, sql, ...values] of steps) {
    const plan = await readPlan(sql, ...values);
    assert.match(plan, new RegExp(`Scan ${index}`), plan);
    assert.doesNotMatch(plan, /Seq Scan (?:events|deliveries|attempts)_(?:default|pending)|Hash|Merge Join/, plan);
  }
});
