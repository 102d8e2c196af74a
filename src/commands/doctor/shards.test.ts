import assert from "node:assert/strict";
import { test } from "node:test";
import { NEWEST_VERSION } from "../../store/postgres/schema/migrations.ts";
import type { ListedShard } from "../../store/postgres/shards/admin.ts";
import { describeShards } from "./shards.ts";

const HERE = { accounts: 7, waiting: 3, bytes: 9, schemaVersion: NEWEST_VERSION };
const shard = (name: string, found: ListedShard["found"] = HERE): ListedShard => ({
  name,
  place: `the database of shard ${name}`,
  takesAccounts: true,
  found,
});

test("an installation of one shard has nothing to say about it", () => {
  assert.deepEqual(describeShards([shard("0")]), []);
});

test("several shards are listed with what is in each", () => {
  const [spread, ...others] = describeShards([shard("0"), shard("1")]);
  assert.deepEqual([spread?.level, spread?.text, others], ["fine", "Accounts lie in 2 shards.", []]);
  assert.match(spread?.details?.[1] ?? "", /^shard 1 is the database of shard 1: accounts 7, waiting deliveries 3$/);
});

test("one that is away and one that is behind are warned of, by their names", () => {
  const behind = shard("2", { ...HERE, schemaVersion: NEWEST_VERSION - 1 });
  const [, away, old] = describeShards([shard("0"), shard("1", "it cannot be reached now"), behind]);
  assert.match(away?.text ?? "", /^Shard 1 \(the database of shard 1\) cannot be asked: it cannot be reached now\.$/);
  assert.match(old?.text ?? "", /^Shard 2 .* has schema version \d+, this Bellwire \d+\.$/);
  assert.deepEqual([away?.level, old?.level], ["warning", "warning"]);
});
