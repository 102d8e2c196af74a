import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteFrom, FORGOTTEN } from "../../sql/retention/forget-accounts.ts";
import { openMemory } from "../writer/database-file.ts";

/** Deleted at once, in their own way, or kept. */
const ELSEWHERE = [
  "accounts",
  "destinations",
  "events",
  "deliveries",
  "search_blocks",
  "attempt_deltas",
  "account_states",
  "event_keys",
];

test("every table that has rows of accounts loses those of a deleted one", () => {
  using file = openMemory({ nowMs: 0 });
  const tables = file.db.all<{ name: string }>(`
    select m.name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and c.name = 'account_id'`);
  const missing = tables.filter(({ name }) => ![...FORGOTTEN.map((table) => table.name), ...ELSEWHERE].includes(name));
  assert.deepEqual(missing, []);
  assert.ok(tables.length > 15);
});

test("none of these tables is read as a whole: most of it is others'", () => {
  using file = openMemory({ nowMs: 0 });
  for (const table of FORGOTTEN) {
    const sql = deleteFrom(table).replaceAll(/\$\d/g, "?");
    const plan = file.db.all<{ detail: string }>(`explain query plan ${sql}`).map(({ detail }) => detail);
    assert.deepEqual(
      plan.filter((step) => step.startsWith("SCAN")),
      [],
      table.name,
    );
  }
});
