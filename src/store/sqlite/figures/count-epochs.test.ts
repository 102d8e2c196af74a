import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { toCall } from "../../calls.ts";
import { acceptCalls, setUpCalls, settleCalls } from "../../../../test/budget/path-calls.ts";
import { newFolder } from "../../../../test/kit/folder.ts";
import { T0 } from "../../conformance/world.ts";
import type { AttemptCount } from "../../contract/log.ts";
import { packAttempt } from "../attempts.ts";
import { commitAtOnce, commitCalls } from "../commit.ts";
import type { Connection } from "../connection/connection.ts";
import { loadPathMarks } from "./count-epochs.ts";
import { openDatabaseFile, openMemory, restart } from "../writer/database-file.ts";

const CONFIG_VERSION = 3;

const findMarks = (db: Connection) => commitAtOnce(db, loadPathMarks);

test("the mark of open deliveries follows events that all wait, so that a start need not read them", async () => {
  using file = openMemory({ nowMs: T0 });
  await commitCalls(file.db, setUpCalls());
  const pausing = { accountId: "acc_1", destinationId: "dst_1", state: "paused", reason: "", nowMs: T0 } as const;
  await commitCalls(file.db, [toCall("setDestinationState", { ...pausing, by: { person: "ada", role: "owner" } })]);
  const [version] = file.db.all<{ version: number }>("select config_version as version from accounts");
  await commitCalls(file.db, acceptCalls({ first: 1, count: 4_999 }, version?.version ?? 0));
  assert.equal(findMarks(file.db).openFrom, 0);
  await commitCalls(file.db, acceptCalls({ first: 5_000, count: 1 }, version?.version ?? 0));
  assert.equal(findMarks(file.db).openFrom, 5_001);
});

test("the mark stays before the oldest open delivery, and a start moves it behind all", async () => {
  using file = openMemory({ nowMs: T0 });
  await commitCalls(file.db, setUpCalls());
  await commitCalls(file.db, acceptCalls({ first: 1, count: 5_000 }, CONFIG_VERSION));
  assert.equal(findMarks(file.db).openFrom, 1);
  restart(file.db, T0);
  assert.equal(findMarks(file.db).openFrom, 5_001);
});

test("an event's number is never used twice, also when every event is purged and the process dies", async () => {
  using file = openMemory({ nowMs: T0 });
  const { db } = file;
  await commitCalls(db, setUpCalls());
  await commitCalls(db, acceptCalls({ first: 1, count: 3 }, CONFIG_VERSION));
  await commitCalls(db, settleCalls({ first: 1, count: 3 }, packAttempt));
  restart(db, T0);
  const before = { payloadsBeforeMs: T0 + 9, attemptBodiesBeforeMs: T0 + 9, rowsBeforeMs: T0 + 9 };
  for (let step = 0; step < 9; step += 1) {
    await commitCalls(db, [toCall("purge", { nowMs: T0 + 9, ...before, rowsMax: 100 })]);
  }
  assert.deepEqual(db.all("select seq from events"), []);
  restart(db, T0);
  const [again, fresh] = await commitCalls(db, [
    ...acceptCalls<never>({ first: 1, count: 1 }, CONFIG_VERSION),
    ...acceptCalls<never>({ first: 4, count: 1 }, CONFIG_VERSION),
  ]);
  const eventId = "evt_01m7wdafa00000000000000001";
  assert.deepEqual(again, { kind: "done", value: [{ kind: "duplicate", eventId, deliveries: 1 }] });
  assert.equal(fresh?.kind, "done");
  assert.equal(db.get<{ seq: number }>("select seq from events")?.seq, 4);
});

test("a process whose disk takes nothing any more ends all the same, and the next one counts for it", async () => {
  using folder = newFolder();
  const opening = { path: join(folder.path, "full.db"), nowMs: T0 };
  const file = openDatabaseFile(opening);
  await commitCalls(file.db, setUpCalls());
  await commitCalls(file.db, acceptCalls({ first: 1, count: 3 }, CONFIG_VERSION));
  await commitCalls(file.db, settleCalls({ first: 1, count: 3 }, packAttempt));
  file.db.exec("pragma query_only = 1");
  file[Symbol.dispose]();
  using next = openDatabaseFile(opening);
  const span = { fromMs: T0 - 60_000, toMs: T0 + 60_000, bucketMs: 60_000, joined: "destinations" } as const;
  const [counted] = await commitCalls(next.db, [toCall("countAttempts", { accountId: "acc_1", ...span })]);
  assert.ok(counted?.kind === "done");
  const attempts = (counted.value as AttemptCount[]).filter(({ kind }) => kind === "attempt");
  assert.equal(attempts[0]?.count, 3);
});
