import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { takeOld } from "../figures/attempt-counts.ts";
import { COUNTERS } from "../../sql/figures/count-tiers.ts";
import { LIST_OF_ACCOUNT, LIST_OF_DESTINATIONS, LIST_RESULTS } from "../figures/count-attempts.ts";
import { openMemory } from "../writer/database-file.ts";
import {
  COUNT_EVENTS_OF_TYPE,
  COUNT_NAMED_OF_TYPE,
  COUNT_OF_TYPE,
  keysAlong,
  LIST_BY_IDS,
  LIST_BY_ID,
  LIST_DESTINATION_IDS,
  LIST_OF_TYPE,
  LIST_TESTS,
  reachAlong,
} from "./delivery-lists.ts";
import { COUNT_WAITING, LIST_DESTINATIONS } from "./destination-reports.ts";
import { FIND_NEXT_ASSISTANT, LIST_SEQS } from "./list-events.ts";
import { LIST_BEHIND_MARK, LIST_IN_LIST } from "./list-in-memory.ts";
import { LIST_COUNTED } from "./look-back.ts";
import type { LogIndex } from "../../sql/log/log-scans.ts";
import { LIST_BLOCKS, LIST_BLOCKS_WITH } from "./search.ts";
import { LIST_REPLAYS } from "../../sql/replays/replays.ts";

/** Without the reading of a filter's own words, which are few. */
function readPlan(sql: string): string[] {
  using file = openMemory({ nowMs: 0 });
  const rows = file.db.all<{ detail: string }>(`explain query plan ${sql.replace(/^-- name:.*\n/, "")}`);
  return rows
    .map(({ detail }) => detail)
    .filter((detail) => /^(SEARCH|SCAN|USE TEMP)/.test(detail) && !isOfWords(detail));
}

const isOfWords = (detail: string): boolean =>
  /^SCAN (json_each|[npt] VIRTUAL TABLE|CONSTANT ROW|\(subquery)/.test(detail);

/** Some thousands at most: what is not rolled up yet. */
const DELTAS = "SCAN attempt_deltas";

const EVENT = "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)";
const TYPE = "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)";
const BEHIND = "created_at>? AND (created_at,id)<(?,?)";

describe("a page of the log follows an index in its order, and is never sorted", () => {
  const expected: Readonly<Record<Exclude<LogIndex, "queue">, string>> = {
    all: `deliveries_of_destination (destination_id=? AND ${BEHIND})`,
    unsent: `deliveries_unsent (destination_id=? AND state=? AND ${BEHIND})`,
    retrying: `deliveries_retrying (destination_id=? AND ${BEHIND})`,
    backlog: `deliveries_of_destination (destination_id=? AND ${BEHIND})`,
    recalled: `deliveries_recalled (destination_id=? AND state=? AND ${BEHIND})`,
    refused: `deliveries_refused (destination_id=? AND <expr>=? AND ${BEHIND})`,
  };
  for (const [name, index] of Object.entries(expected)) {
    test(name, () => {
      assert.deepEqual(readPlan(keysAlong(name as LogIndex, false)), [`SEARCH d USING INDEX ${index}`, TYPE]);
    });

    test(`${name}, all of its rows`, () => {
      const [search = ""] = readPlan(keysAlong(name as LogIndex, true));
      assert.equal(search.replace("COVERING ", ""), `SEARCH d USING INDEX ${index}`);
      assert.equal(search.includes("COVERING"), ["all", "unsent", "backlog"].includes(name));
    });

    test(`${name}, how far back some rows of each destination reach`, () => {
      const searches = readPlan(reachAlong(name as LogIndex));
      assert.match(searches.at(-1) ?? "", new RegExp(` (COVERING )?INDEX ${index.split(" ")[0]} `));
      assert.ok(searches.every((detail) => detail.startsWith("SEARCH")));
    });
  }

  test("the destinations that an account's page is of", () => {
    assert.deepEqual(readPlan(LIST_DESTINATION_IDS), [
      "SEARCH destinations USING INDEX destinations_of_account (account_id=?)",
    ]);
  });

  test("the destinations that counters name are found by searches", () => {
    const search = "SEARCH c USING PRIMARY KEY (destination_id=? AND at>? AND at<?)";
    assert.deepEqual(readPlan(LIST_COUNTED), [search, DELTAS]);
  });

  test("the rows of a page", () => {
    assert.deepEqual(readPlan(LIST_BY_IDS).slice(-2), ["SEARCH d USING PRIMARY KEY (id=?)", EVENT]);
  });

  test("tests", () => {
    const search = `SEARCH d USING INDEX deliveries_tested (account_id=? AND ${BEHIND})`;
    assert.deepEqual(readPlan(LIST_TESTS), [search, EVENT]);
  });
});

test("few that wait are sorted, and so are those of one id; both are found by searches", () => {
  assert.deepEqual(readPlan(keysAlong("queue", false)), [
    "SEARCH d USING INDEX deliveries_pending (destination_id=?)",
    TYPE,
    "USE TEMP B-TREE FOR ORDER BY",
  ]);
  const searches = readPlan(LIST_BY_ID);
  assert.equal(searches[0], "SEARCH d USING PRIMARY KEY (id=?)");
  assert.deepEqual(
    searches.filter((detail) => detail.startsWith("SCAN")),
    [],
  );
});

test("a type's events lead to their deliveries by searches, whatever lies between", () => {
  const event = "SEARCH e USING INDEX events_listed (account_id=? AND type=?)";
  const delivery = "SEARCH d USING PRIMARY KEY (id=?)";
  assert.deepEqual(readPlan(LIST_OF_TYPE), [event, delivery, "USE TEMP B-TREE FOR ORDER BY"]);
  assert.deepEqual(readPlan(COUNT_OF_TYPE), [event, delivery]);
  assert.deepEqual(readPlan(COUNT_EVENTS_OF_TYPE), [event.replace(" e ", " events ")]);
  assert.deepEqual(readPlan(COUNT_NAMED_OF_TYPE), [event]);
});

test("events are read from the newest of their assistant", () => {
  const search = "SEARCH events USING INDEX events_listed (account_id=? AND";
  assert.deepEqual(readPlan(LIST_SEQS), [`${search} type=? AND assistant_id=? AND rowid>? AND rowid<?)`]);
  assert.deepEqual(readPlan(FIND_NEXT_ASSISTANT), [`${search} type=? AND assistant_id>?)`]);
});

test("deliveries in memory are found behind the mark, of all accounts or in one list of events", () => {
  const row = "SEARCH deliveries USING PRIMARY KEY (id=?)";
  assert.deepEqual(readPlan(LIST_BEHIND_MARK), ["SEARCH e USING INTEGER PRIMARY KEY (rowid>?)", row]);
  const list = "SEARCH e USING INDEX events_listed (account_id=? AND type=? AND assistant_id=? AND rowid>?)";
  assert.deepEqual(readPlan(LIST_IN_LIST), [list, row]);
});

test("a destination's report is a few searches", () => {
  const owner = (table: string) => `SEARCH ${table} USING PRIMARY KEY (account_id=? AND id=?) LEFT-JOIN`;
  const plan = readPlan(LIST_DESTINATIONS);
  assert.deepEqual(
    plan.filter((detail) => !detail.startsWith("SEARCH ")),
    ["USE TEMP B-TREE FOR ORDER BY"],
  );
  const searches = ["SEARCH d USING INDEX destinations_of_account (account_id=?)", ...["l", "c", "w"].map(owner)];
  for (const search of searches) assert.ok(plan.includes(search), plan.join("\n"));
});

test("what waits for an account is a search for each destination", () => {
  assert.deepEqual(readPlan(COUNT_WAITING), [
    "SEARCH d USING INDEX destinations_of_account (account_id=?)",
    "SEARCH deliveries USING COVERING INDEX deliveries_pending (destination_id=?)",
  ]);
});

test("blocks of search are read from the newest, or by their words", () => {
  const byTime = "search_blocks_of_account (account_id=? AND newest_at>? AND newest_at<?)";
  assert.deepEqual(readPlan(LIST_BLOCKS), [`SEARCH search_blocks USING COVERING INDEX ${byTime}`]);
  assert.deepEqual(
    readPlan(LIST_BLOCKS_WITH).filter((detail) => detail.startsWith("SCAN") && !detail.includes("VIRTUAL TABLE")),
    [],
  );
});

test("replays are read from the newest", () => {
  assert.deepEqual(readPlan(LIST_REPLAYS), ["SEARCH replays USING INDEX replays_of_account (account_id=?)"]);
});

test("figures are read from each destination's own span, or from the account's", () => {
  const span = "id=? AND at>? AND at<?";
  for (const sql of [LIST_OF_DESTINATIONS, LIST_RESULTS]) {
    const searches = readPlan(sql);
    assert.ok(searches.includes("SEARCH d USING INDEX destinations_of_account (account_id=?)"));
    assert.ok(searches.includes(`SEARCH c USING PRIMARY KEY (destination_${span})`));
  }
  const search = `SEARCH account_attempt_counts USING PRIMARY KEY (account_${span})`;
  assert.deepEqual(readPlan(LIST_OF_ACCOUNT), [search, DELTAS]);
});

for (const scope of ["destination", "account"] as const) {
  test(`old figures of one ${scope} are found by what is still to do`, () => {
    const { table } = COUNTERS[scope];
    for (const tier of ["minutes", "quarters", "hours"] as const) {
      const [first = "", second, ...others] = readPlan(takeOld(scope, tier));
      assert.ok(first.startsWith(`SEARCH ${table} USING PRIMARY KEY`), first);
      assert.equal(second, `SEARCH ${table} USING COVERING INDEX ${table}_of_${tier} (at<?)`);
      assert.deepEqual(others, []);
    }
  });
}
