/** A directory that is older than its shards, and shards that are older than their directory. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { assertIsOnlyIn, dump, openTwoShards, options } from "../../../../test/kit/world/two-shards.ts";
import { moveAccount } from "./move/move-account.ts";
import type { MovesOver } from "./move/over.ts";
import { type Repaired, repairShards } from "./repair.ts";

const { accountId } = options;

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

async function repair(over: MovesOver, restored: string | null = null): Promise<readonly Repaired[]> {
  const found: Repaired[] = [];
  await repairShards(over, { restored, onRepaired: (repaired) => void found.push(repaired) });
  return found;
}

/** As it is now. Nobody may be connected. */
async function backUp(url: string) {
  const database = new URL(url).pathname.slice(1);
  const backup = `${database}_backup`;
  const admin = cluster.toUrl("postgres");
  await cluster.query(admin, `create database ${backup} template ${database}`);
  return {
    async restore(): Promise<void> {
      await cluster.query(admin, `drop database ${database} with (force)`);
      await cluster.query(admin, `alter database ${backup} rename to ${database}`);
    },
  };
}

test("an account that the directory does not know of is found in its shard", async () => {
  await using over = await openTwoShards(cluster, { isApart: false });
  const all = await dump(over, "0", accountId);
  await moveAccount(over, { ...options, to: "1" });
  await cluster.query(over.url, "delete from bellwire.accounts_at");
  assert.deepEqual(await repair(over), [{ kind: "found", accountId, shard: "1", before: "0" }]);
  await assertIsOnlyIn(over, "1", all);
  assert.deepEqual(await repair(over), []);
});

test("an account that had moved away from the shard which was restored is let go there", async () => {
  const world = await openTwoShards(cluster, { isApart: true });
  const all = await dump(world, "0", accountId);
  await world[Symbol.asyncDispose]();
  const backup = await backUp(world.url);
  const mover = world.connect("bellwire move");
  await moveAccount(mover, { ...options, to: "1" });
  await mover[Symbol.asyncDispose]();
  await backup.restore();
  await using over = world.connect("bellwire move");
  assert.deepEqual(await repair(over), [{ kind: "several", accountId, shards: ["0", "1"] }]);
  assert.deepEqual(await dump(over, "0", accountId), all);
  assert.deepEqual(await repair(over, "0"), [{ kind: "let go", accountId, shard: "1", before: "0" }]);
  await assertIsOnlyIn(over, "1", all);
  assert.equal((await moveAccount(over, { ...options, to: "0" })).kind, "moved");
  await assertIsOnlyIn(over, "0", all);
});
