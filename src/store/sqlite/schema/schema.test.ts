import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DELIVERY_STATES } from "../../../domain/delivery.ts";
import { DESTINATION_STATES } from "../../../domain/destination.ts";
import { REPLAY_STATES } from "../../../domain/replay.ts";
import { LIST_DUE, LIST_WAKING, TAKE_HEAD } from "../path/claims.ts";
import { LIST_OF_DESTINATION } from "../../sql/path/incidents.ts";
import { LOOK_AT } from "../figures/count-attempts.ts";
import { FIND_DUE_MESSAGE, LIST_DUE_MESSAGES } from "../path/pulls.ts";
import { LIST_HANDED_OUT } from "../../sql/pulls.ts";
import { LIST_CHANGES } from "../../sql/path/destinations.ts";
import { openMemory } from "../writer/database-file.ts";
import { LIST_SHUT, LOCK_OVERDUE } from "../../sql/retention/expire.ts";
import { MIGRATIONS } from "./migrations.ts";
import { DELETE_REPLAYS } from "../../sql/retention/retention.ts";
import { LIST_WITH_BODY, LIST_WITHOUT_BODY, PURGE_ANSWERS } from "../retention/purge.ts";
import { LOCK_RUNNING } from "../../sql/replays/replays.ts";
import { FREEZE_ITEMS } from "../log/freeze-items.ts";
import { FIND_NEXT_DUE, FIND_OLDEST_DUE } from "../../sql/path/statistics.ts";

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
  test("of replays", () => assert.deepEqual(allowed("replays", "state"), REPLAY_STATES));
});

test("migrations are numbered from one without a gap", () => {
  assert.deepEqual(
    MIGRATIONS.map(({ version }) => version),
    MIGRATIONS.map((_, place) => place + 1),
  );
});

describe("queries follow an index, however much there is", () => {
  const plan = (sql: string, ...values: (string | number)[]): string[] => {
    using file = openMemory({ nowMs: 0 });
    const rows = file.db.all<{ detail: string }>(`explain query plan ${sql.replace(/^-- name:.*\n/, "")}`, ...values);
    return rows.map(({ detail }) => detail);
  };
  /** Those that the event's row names. */
  const deliveriesOfEvent = ["SCAN n VIRTUAL TABLE INDEX 1:", "SEARCH d USING PRIMARY KEY (id=?)"];

  test("an idle claim is one search, and the walk needs no sorting", () => {
    assert.deepEqual(plan(LIST_WAKING, 0, 0, "", "[]", 1), [
      "SEARCH destinations USING INDEX destinations_waking ((wake_at,id)>(?,?) AND wake_at<?)",
      "LIST SUBQUERY 1",
      "SCAN json_each VIRTUAL TABLE INDEX 1:",
      "CREATE BLOOM FILTER",
    ]);
  });

  test("the next due time is the first entry of the claims' own index", () => {
    assert.deepEqual(plan(FIND_NEXT_DUE), ["SEARCH destinations USING INDEX destinations_waking (wake_at>?)"]);
  });

  test("a destination's due deliveries are searched in their order and never sorted", () => {
    assert.deepEqual(plan(LIST_DUE, "", 0, 1), [
      "SEARCH d USING INDEX deliveries_pending (destination_id=? AND due_at<?)",
      "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)",
    ]);
  });

  test("the head of an order is found without reading what waits behind it", () => {
    const steps = plan(TAKE_HEAD, "", 0, 1);
    assert.ok(
      steps.every((step) => !/^SCAN (?!CONSTANT)|TEMP B-TREE/.test(step)),
      steps.join("\n"),
    );
    assert.ok(steps.includes("SEARCH o USING INDEX ordered_deliveries_queue (destination_id=?)"), steps.join("\n"));
  });

  test("what is due for a program is searched in its order and never sorted", () => {
    assert.deepEqual(plan(LIST_DUE_MESSAGES, "", 0, 1), [
      "SEARCH d USING INDEX deliveries_pending (destination_id=? AND due_at<?)",
      "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)",
    ]);
    assert.deepEqual(plan(FIND_DUE_MESSAGE, "", 0), [
      "SEARCH t USING INDEX sqlite_autoindex_destinations_1 (id=?)",
      "SEARCH d USING COVERING INDEX deliveries_pending (destination_id=? AND due_at<?)",
    ]);
    assert.deepEqual(plan(LIST_HANDED_OUT, "", 0, "", "", 1), [
      "SEARCH d USING INDEX deliveries_pending (destination_id=? AND due_at=? AND claim_token=?)",
    ]);
  });

  test("the oldest due time is a search for each destination that could send now", () => {
    assert.deepEqual(plan(FIND_OLDEST_DUE, 0, 0), [
      "SEARCH d USING INDEX destinations_waking (wake_at<?)",
      "CORRELATED SCALAR SUBQUERY 1",
      "SEARCH deliveries USING INDEX deliveries_pending (destination_id=? AND due_at<?)",
    ]);
  });

  test("a replay is frozen from the account's own deliveries of its time", () => {
    const [destinations, deliveries, ...others] = plan(FREEZE_ITEMS, "", "", 0, 0, "[]", "", "", 1, 0, 0);
    assert.equal(destinations, "SEARCH t USING INDEX destinations_of_account (account_id=?)");
    const range = "destination_id=? AND created_at>? AND created_at<?";
    assert.equal(deliveries, `SEARCH d USING INDEX deliveries_of_destination (${range})`);
    assert.equal(others.at(-1), "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)");
  });

  test("a step of replays that has none reads nothing, and one that has some does not sort", () => {
    assert.deepEqual(plan(LOCK_RUNNING), ["SCAN replays USING INDEX replays_running"]);
  });

  test("a destination's history is read from its end", () => {
    assert.deepEqual(plan(LIST_CHANGES, "", "", 1), [
      "SEARCH destination_changes USING INDEX changes_of_destination (account_id=? AND destination_id=?)",
    ]);
  });

  test("incidents are read from their end, and their deliveries along the log of the destination", () => {
    assert.deepEqual(plan(LIST_OF_DESTINATION, "", "", "", 1), [
      "SEARCH incidents USING PRIMARY KEY (account_id=? AND destination_id=? AND id<?)",
    ]);
    const [, lookingAt] = plan(LOOK_AT, "", 0, 0, 1, 0);
    const range = "destination_id=? AND created_at>? AND created_at<?";
    assert.equal(lookingAt, `SEARCH deliveries USING INDEX deliveries_of_destination (${range})`);
  });

  test("a step of retention searches for what is old", () => {
    const search = (index: string) => [
      `SEARCH events USING INDEX ${index} (accepted_at>? AND accepted_at<?)`,
      "CORRELATED SCALAR SUBQUERY 1",
      ...deliveriesOfEvent,
    ];
    assert.deepEqual(plan(LIST_WITH_BODY, 0, 0, 0, 1), search("events_with_body"));
    assert.deepEqual(plan(LIST_WITHOUT_BODY, 0, 0, 0, 1), search("events_without_body"));
    assert.deepEqual(plan(PURGE_ANSWERS, 0, 1), [
      "SEARCH attempts USING INTEGER PRIMARY KEY (rowid=?)",
      "LIST SUBQUERY 1",
      "SEARCH attempts USING INDEX attempts_with_answer (started_at<?)",
    ]);
    assert.deepEqual(plan(DELETE_REPLAYS, 0, 1), [
      "SEARCH replays USING PRIMARY KEY (id=?)",
      "LIST SUBQUERY 2",
      "MATERIALIZE old",
      "SEARCH replays USING COVERING INDEX replays_ended (ended_at<?)",
      "SCAN old",
    ]);
  });

  test("the end of waiting searches for destinations that are not on, and for what is due there", () => {
    assert.deepEqual(plan(LIST_SHUT, 0, 1), ["SEARCH destinations USING INDEX destinations_shut (next_due_at<?)"]);
    assert.deepEqual(plan(LOCK_OVERDUE, "", 0, 1), [
      "SEARCH deliveries USING INDEX deliveries_pending (destination_id=? AND due_at<?)",
    ]);
  });
});
