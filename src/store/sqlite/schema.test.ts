import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DELIVERY_STATES } from "../../domain/delivery.ts";
import { DESTINATION_STATES } from "../../domain/destination.ts";
import { LIST_DUE, LIST_WAKING } from "./claims.ts";
import { openMemory } from "./database-file.ts";
import { MIGRATIONS } from "./migrations.ts";

/** The values that a column's own check lets in. */
function allowed(table: string, column: string): string[] {
  using file = openMemory({ nowMs: 0 });
  const sql = file.db.get<{ sql: string }>("select sql from sqlite_schema where name = ?", table)?.sql ?? "";
  const list = new RegExp(String.raw`\b${column} text not null check \(${column} in \(([^)]*)\)\)`).exec(sql)?.[1];
  return [...(list ?? "").matchAll(/'(\w+)'/g)].map(([, value = ""]) => value);
}

describe("the schema knows the domain's states", () => {
  test("of deliveries", () => assert.deepEqual(allowed("deliveries", "state"), DELIVERY_STATES));
  test("of destinations", () => assert.deepEqual(allowed("destinations", "state"), DESTINATION_STATES));
});

test("migrations are numbered from one without a gap", () => {
  assert.deepEqual(
    MIGRATIONS.map(({ version }) => version),
    MIGRATIONS.map((_, place) => place + 1),
  );
});

describe("claims follow an index, however much waits", () => {
  const plan = (sql: string, values: (string | number)[]): string[] => {
    using file = openMemory({ nowMs: 0 });
    const rows = file.db.all<{ detail: string }>(`explain query plan ${sql.replace(/^-- name:.*\n/, "")}`, ...values);
    return rows.map(({ detail }) => detail);
  };

  test("an idle claim is one search, and the walk needs no sorting", () => {
    assert.deepEqual(plan(LIST_WAKING, [0, 0, "", 1]), [
      "SEARCH destinations USING INDEX destinations_waking ((wake_at,id)>(?,?) AND wake_at<?)",
    ]);
  });

  test("a destination's due deliveries are searched in their order and never sorted", () => {
    assert.deepEqual(plan(LIST_DUE, ["", 0, 1]), [
      "SEARCH d USING INDEX deliveries_pending (destination_id=? AND due_at<?)",
      "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)",
    ]);
  });
});
