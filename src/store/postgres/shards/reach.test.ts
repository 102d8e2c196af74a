/** A shard that is there and cannot be used, over PostgreSQL: calls for others go on, and it is asked again. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { eventually } from "../../../../test/kit/wait.ts";
import {
  assertIsOnlyIn,
  dump,
  inThisFile,
  moveAndDie,
  openTwoShards,
  options,
  type TwoShards,
} from "../../../../test/kit/world/two-shards.ts";
import { secondsMs } from "../../../lib/duration.ts";
import { systemClock } from "../../../lib/clock.ts";
import { ACCOUNT, claimIds } from "../../conformance/world.ts";
import { AccountAway, type Store } from "../../contract/store.ts";
import { moveAccount } from "./move/move-account.ts";
import { takeBack } from "./move/take-back.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

const OF_NEWER = "insert into bellwire_1.schema_migrations values (99, 'future', 0)";
const NEWER_IS_GONE = "delete from bellwire_1.schema_migrations where version = 99";

async function withAccountBeside(): Promise<TwoShards> {
  const over = await openTwoShards(cluster, { isApart: false });
  await moveAccount(over, { ...options, to: "1" });
  return over;
}

/** Both go to all shards: one asks them in turns, the other all at once. */
async function askAll(store: Store): Promise<void> {
  const nowMs = systemClock.nowMs();
  await claimIds(store, nowMs);
  await store.countWaiting({ nowMs });
}

const isAnswered = (store: Store): Promise<boolean> =>
  store.loadAccount({ accountId: ACCOUNT.id }).then(
    (account) => account !== null,
    () => false,
  );

test("a shard that a newer Bellwire has changed fails its own accounts, and no call for the others", async () => {
  await using over = await withAccountBeside();
  await cluster.query(over.url, OF_NEWER);
  await using store = await over.openStore();
  await assert.rejects(store.loadAccount({ accountId: ACCOUNT.id }), AccountAway);
  await askAll(store);
  assert.notEqual(await store.loadAccount({ accountId: "acc_2" }), null);
  await cluster.query(over.url, NEWER_IS_GONE);
  await eventually("the shard to be asked again", () => isAnswered(store));
});

test("a shard whose schema another process keeps for long is waited for by no call for the others", async () => {
  await using over = await withAccountBeside();
  const holder = new pg.Client({ connectionString: over.url });
  await holder.connect();
  await holder.query("select pg_advisory_lock(1113943148, hashtext('bellwire_1'))");
  await using store = await over.openStore();
  const startedMs = systemClock.monotonicMs();
  await assert.rejects(store.loadAccount({ accountId: ACCOUNT.id }), AccountAway);
  await askAll(store);
  assert.ok(systemClock.monotonicMs() - startedMs < secondsMs(10));
  await holder.end();
  await eventually("the shard to be opened", () => isAnswered(store));
});

test("an account whose move ends at a shard that is behind is refused like one whose server is away", async () => {
  await using over = await openTwoShards(cluster, { isApart: false });
  await moveAndDie(over, "1", "departed");
  await cluster.query(over.url, OF_NEWER);
  await using store = await over.openStore();
  await assert.rejects(store.loadAccount({ accountId: ACCOUNT.id }), AccountAway);
  await cluster.query(over.url, NEWER_IS_GONE);
  await eventually("the move to end", () => isAnswered(store));
});

const STUCK = inThisFile("bellwire move that is stuck");
const LOSE_LOCK = `
  select pg_terminate_backend(pid)
  from pg_stat_activity
  where application_name = '${STUCK}' and state = 'idle in transaction'`;

test("a mover that reaches its shard only after the move was taken back leaves nothing there", async () => {
  await using over = await openTwoShards(cluster, { isApart: true });
  await using stuck = over.connect(STUCK);
  const rows = await dump(over, "0", ACCOUNT.id);
  const setArriving: typeof stuck.steps.setArriving = async (tx, accountId, arriving) => {
    // The other server answers so late that this process has lost the account's lock meanwhile.
    if (arriving.before === null) {
      await cluster.query(cluster.toUrl("postgres"), LOSE_LOCK);
      assert.equal(await takeBack(over, { accountId }), "took back");
    }
    return await stuck.steps.setArriving(tx, accountId, arriving);
  };
  const late = { ...stuck, steps: { ...stuck.steps, setArriving } };
  await assert.rejects(moveAccount(late, { ...options, to: "1" }));
  await assertIsOnlyIn(over, "0", rows);
});
