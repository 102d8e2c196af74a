import assert from "node:assert/strict";
import { test } from "node:test";
import { toCall } from "../calls.ts";
import { acceptCalls, setUpCalls } from "../../../test/budget/path-calls.ts";
import { T0 } from "../conformance/world.ts";
import { commitCalls } from "./commit-calls.ts";
import { commitAtOnce } from "./commit.ts";
import type { Connection } from "./connection.ts";
import { loadPathMarks } from "./count-epochs.ts";
import { openMemory, recover } from "./database-file.ts";

const CONFIG_VERSION = 3;

const findMarks = (db: Connection) => commitAtOnce(db, loadPathMarks);

test("the mark of open deliveries follows events that all wait, so that a start need not read them", async () => {
  using file = openMemory({ nowMs: T0 });
  await commitCalls(file.db, setUpCalls());
  const pausing = { accountId: "acc_1", destinationId: "dst_1", state: "paused", reason: "", nowMs: T0 } as const;
  await commitCalls(file.db, [toCall("setDestinationState", { ...pausing, by: { person: "ada", role: "owner" } })]);
  const [version] = file.db.all<{ version: number }>("select config_version as version from accounts");
  await commitCalls(file.db, acceptCalls(1, 4_999, version?.version ?? 0));
  assert.equal(findMarks(file.db).openFrom, 0);
  await commitCalls(file.db, acceptCalls(5_000, 1, version?.version ?? 0));
  assert.equal(findMarks(file.db).openFrom, 5_001);
});

test("the mark stays before the oldest open delivery, and a start moves it behind all", async () => {
  using file = openMemory({ nowMs: T0 });
  await commitCalls(file.db, setUpCalls());
  await commitCalls(file.db, acceptCalls(1, 5_000, CONFIG_VERSION));
  assert.equal(findMarks(file.db).openFrom, 1);
  file.db.open.clear();
  recover(file.db, T0);
  assert.equal(findMarks(file.db).openFrom, 5_001);
});
