import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { setUpCalls } from "../../../../test/budget/path-calls.ts";
import { hoursMs, minutesMs } from "../../../lib/duration.ts";
import { T0 } from "../../conformance/world.ts";
import type { AttemptCount, CountAttempts } from "../../contract/log.ts";
import { joinCounts, noteCounts } from "./attempt-counts.ts";
import { commit, commitAtOnce, commitCalls } from "../commit.ts";
import type { Connection } from "../connection/connection.ts";
import { countAttempts } from "./count-attempts.ts";
import { openMemory } from "../writer/database-file.ts";

const HOURS = 24;
const START = T0 - (T0 % hoursMs(1));
const BARS: CountAttempts = {
  accountId: "acc_1",
  fromMs: START,
  toMs: START + hoursMs(HOURS),
  bucketMs: hoursMs(1),
  joined: "answers",
};

const toSet = (counts: readonly AttemptCount[]): string[] => counts.map((count) => JSON.stringify(count)).toSorted();

const read = async (db: Connection): Promise<string[]> => toSet(await commit(db, (tx) => countAttempts(tx, BARS)));

async function readAnew(db: Connection): Promise<string[]> {
  db.keptHours.clear();
  return await read(db);
}

function attemptAt(db: Connection, startedAtMs: number): void {
  const summary = { number: 1, startedAtMs, outcome: "response", status: 503, totalMs: 5 } as const;
  const settled = { accountId: "acc_1", destinationId: "dst_1", acceptedAtMs: startedAtMs, summary };
  commitAtOnce(db, (tx) => noteCounts(tx.counts, { ...settled, next: { state: "failed" } }));
}

const joinHours = (db: Connection): void => {
  const old = { scope: "destination", tier: "minutes", beforeMs: BARS.toMs, limit: 9 } as const;
  commitAtOnce(db, (tx) => joinCounts(tx, old, hoursMs(1)));
};

test("bars that are read again are what the file has by then, whatever was written in between", async () => {
  const minute = fc.nat({ max: HOURS * 60 - 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(minute, fc.constant("join" as const)), { maxLength: 12 }), async (writes) => {
      using file = openMemory({ nowMs: T0 });
      await commitCalls(file.db, setUpCalls());
      for (const write of writes) {
        await read(file.db);
        if (write === "join") joinHours(file.db);
        else attemptAt(file.db, START + minutesMs(write));
        assert.deepEqual(await read(file.db), await readAnew(file.db));
      }
    }),
    { numRuns: 30 },
  );
});

test("a second look at bars reads no counts but those of hours that have changed", async () => {
  using file = openMemory({ nowMs: T0 });
  await commitCalls(file.db, setUpCalls());
  attemptAt(file.db, START + minutesMs(5));
  attemptAt(file.db, START + hoursMs(7));
  const before = await read(file.db);
  // Behind the store's back, so that only what is kept has it still.
  file.db.run("delete from attempt_counts");
  assert.deepEqual(await read(file.db), before);
  attemptAt(file.db, START + hoursMs(7));
  assert.equal((await read(file.db)).length, 2);
  attemptAt(file.db, START + minutesMs(5));
  assert.deepEqual(await read(file.db), await readAnew(file.db));
});
