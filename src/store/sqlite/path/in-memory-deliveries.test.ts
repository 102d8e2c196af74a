import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { acceptCalls, setUpCalls, settleCalls } from "../../../../test/budget/path-calls.ts";
import { systemClock } from "../../../lib/clock.ts";
import { toCall } from "../../calls.ts";
import { listInMemory } from "../log/list-in-memory.ts";
import { describeInMemory } from "../../conformance/in-memory.ts";
import { T0 } from "../../conformance/world.ts";
import { packAttempt } from "../attempts.ts";
import { commitAtOnce, commitCalls } from "../commit.ts";
import type { Connection } from "../connection/connection.ts";
import { openMemory, restart } from "../writer/database-file.ts";
import { type InlineStore, openInlineStore } from "../open.ts";
import { loadLowWaterMarks } from "./pending-rows.ts";

const WALKS = 60;

describe("SQLite, with a process that dies between any two calls", () => {
  let inline: InlineStore;
  describeInMemory(
    () => {
      inline = openInlineStore({ clock: systemClock });
      return Promise.resolve(inline.store);
    },
    WALKS,
    async ({ model, nowMs }) => {
      await inline.between((db) => restart(db, nowMs));
      model.restart(nowMs);
    },
  );
});

const CONFIG_VERSION = 3;

const findInMemoryFrom = (db: Connection): number => commitAtOnce(db, loadLowWaterMarks).inMemoryFrom;

test("the low-water mark follows events that all wait, so that a start need not read them", async () => {
  using file = openMemory({ nowMs: T0 });
  await commitCalls(file.db, setUpCalls());
  const pausing = { accountId: "acc_1", destinationId: "dst_1", state: "paused", reason: "", nowMs: T0 } as const;
  await commitCalls(file.db, [toCall("setDestinationState", { ...pausing, by: { person: "ada", role: "owner" } })]);
  const [version] = file.db.all<{ version: number }>("select config_version as version from accounts");
  await commitCalls(file.db, acceptCalls({ first: 1, count: 498 }, version?.version ?? 0));
  assert.equal(findInMemoryFrom(file.db), 0);
  await commitCalls(file.db, acceptCalls({ first: 499, count: 1 }, version?.version ?? 0));
  assert.equal(findInMemoryFrom(file.db), 500);
});

test("the low-water mark stays before the oldest in-memory delivery, and a start moves it behind all", async () => {
  using file = openMemory({ nowMs: T0 });
  await commitCalls(file.db, setUpCalls());
  await commitCalls(file.db, acceptCalls({ first: 1, count: 5_000 }, CONFIG_VERSION));
  assert.equal(findInMemoryFrom(file.db), 1);
  restart(file.db, T0);
  assert.equal(findInMemoryFrom(file.db), 5_001);
});

test("what is in memory is listed alike however far behind the mark is", async () => {
  using file = openMemory({ nowMs: T0 });
  const { db } = file;
  await commitCalls(db, setUpCalls());
  await commitCalls(db, acceptCalls({ first: 1, count: 5 }, CONFIG_VERSION));
  await commitCalls(db, settleCalls({ first: 2, count: 2 }, packAttempt));
  const list = () =>
    commitAtOnce(db, (tx) => listInMemory(tx, "acc_1")).toSorted((one, other) => one.eventSeq - other.eventSeq);
  const listed = list();
  assert.deepEqual(
    listed.map(({ eventSeq, destinationId }) => [eventSeq, destinationId]),
    [1, 4, 5].map((seq) => [seq, "dst_1"]),
  );
  db.run("update low_water_marks set in_memory_from = -100000");
  assert.deepEqual(list(), listed);
  assert.deepEqual(
    commitAtOnce(db, (tx) => listInMemory(tx, "acc_2")),
    [],
  );
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
  assert.deepEqual(again, { kind: "done", value: [{ kind: "duplicate", eventId, deliveries: 1, differs: false }] });
  assert.equal(fresh?.kind, "done");
  assert.equal(db.get<{ seq: number }>("select seq from events")?.seq, 4);
});
