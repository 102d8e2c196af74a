/** What a move finds different, and what it need not read again (`copy.ts`). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareCluster } from "../../../../../test/kit/servers/postgres.ts";
import {
  assertIsOnlyIn,
  type Dump,
  dump,
  findPlaceOf,
  moveAndDie,
  openTwoShards,
  options,
  runIn,
  type TwoShards,
} from "../../../../../test/kit/world/two-shards.ts";
import { moveAccount } from "./move-account.ts";

const { accountId } = options;

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

for (const isApart of [false, true]) {
  describe(`a move between ${isApart ? "two databases" : "two schemas of one database"}`, () => {
    let over: TwoShards;
    let all: Dump;
    before(async () => {
      over = await openTwoShards(cluster, { isApart });
      all = await dump(over, "0", accountId);
    });
    after(() => over[Symbol.asyncDispose]());

    test("sees under the fence what either side has written since all was alike", async () => {
      const from = (await findPlaceOf(over)).shard;
      const to = from === "0" ? "1" : "0";
      await moveAndDie(over, to, "copied");
      let changed: Dump = all;
      const onStep = async (step: string): Promise<void> => {
        if (step !== "copied") return;
        await runIn(over, from, CHANGE_DELIVERY, EMPTY_EVENT, DELETE_COUNT, USE_KEY_AGAIN);
        await runIn(over, to, CHANGE_EVENT, DELETE_DELIVERY);
        changed = await dump(over, from, accountId);
      };
      const moved = await moveAccount(over, { ...options, to, onStep });
      assert.equal(moved.kind, "moved");
      assert.notDeepEqual(changed, all);
      await assertIsOnlyIn(over, to, changed);
      all = changed;
    });

    test("reads no row under the fence of what was found alike before", async () => {
      const from = (await findPlaceOf(over)).shard;
      const to = from === "0" ? "1" : "0";
      // The block that still takes events is read there.
      await runIn(over, from, SEAL_BLOCK);
      all = await dump(over, from, accountId);
      await moveAndDie(over, to, "copied");
      const asked: string[] = [];
      const copyRest: typeof over.steps.copyRest = (ends, copied) => {
        const noting = {
          ...ends.from.db,
          all: (sql: string, ...values: never[]) => (asked.push(sql), ends.from.db.all(sql, ...values)),
        };
        return over.steps.copyRest({ ...ends, from: { ...ends.from, db: noting as typeof ends.from.db } }, copied);
      };
      await moveAccount({ ...over, steps: { ...over.steps, copyRest } }, { ...options, to });
      const titles = asked.map((sql) => sql.split("\n")[0]);
      assert.ok(titles.includes("-- name: look at chunks of events"));
      assert.deepEqual(
        titles.filter((title) => /list hashes|hash blocks/.test(title ?? "")),
        [],
      );
      await assertIsOnlyIn(over, to, all);
    });
  });
}

const CHANGE_DELIVERY = `-- name: change an ended delivery
  update deliveries
  set last_ms = coalesce(last_ms, 0) + 1
  where is_ended and id = (
    select min(id)
    from deliveries
    where account_id = $1 and is_ended and not is_test
  )`;

const EMPTY_EVENT = `-- name: empty an event
  update events
  set body = ''
  where id = (
    select min(id)
    from events
    where account_id = $1 and source_id is not null and body <> ''
  )`;

const DELETE_COUNT = `-- name: delete a count of the account
  delete from account_attempt_counts
  where ctid = (
    select min(ctid)
    from account_attempt_counts
    where account_id = $1
  )`;

/** By an event of long ago, which is looked for before the one that it belonged to. */
const USE_KEY_AGAIN = `-- name: use an event key again
  update event_keys
  set event_id = 'evt_00000000000000000000000000'
  where account_id = $1 and event_id = (
    select max(event_id)
    from event_keys
    where account_id = $1
  )`;

const SEAL_BLOCK = `-- name: seal the block of search
  update search_blocks
  set words = array_to_tsvector('{}')
  where account_id = $1 and words is null`;

const CHANGE_EVENT = `-- name: change an event of the copy
  update events
  set type = type || '_'
  where id = (
    select max(id)
    from events
    where account_id = $1 and source_id is not null
  )`;

const DELETE_DELIVERY = `-- name: delete a delivery of the copy
  delete from deliveries
  where is_ended and id = (
    select max(id)
    from deliveries
    where account_id = $1 and is_ended and not is_test
  )`;
