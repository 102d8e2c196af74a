import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "./metrics.ts";
import { registerShards, type ShardCall, type ShardFigure } from "./shards.ts";

test("each shard has its figures, one that is away has no count, and one that was taken away is gone", async () => {
  const metrics = createMetrics();
  const here: ShardFigure = {
    name: "0",
    isAway: false,
    waits: { waiting: 4, oldestDueAtMs: 500 },
  };
  let shards: readonly ShardFigure[] = [here, { name: "1", isAway: true, waits: null }];
  let tell: (call: ShardCall) => void = () => {};
  let counts = 0;
  registerShards(metrics, {
    list: () => shards,
    follow: (onCall) => void (tell = onCall),
    count: async () => (counts += 1),
    nowMs: () => 2_000,
  });
  tell({ shard: "0", result: "done", durationMs: 3 });
  tell({ shard: "1", result: "lost", durationMs: 2_000 });
  tell({ shard: "1", result: "refused", durationMs: 0 });
  const read = async () =>
    (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith("bellwire_shard"));
  const first = await read();
  for (const line of [
    'bellwire_shard_away{shard="0"} 0',
    'bellwire_shard_away{shard="1"} 1',
    'bellwire_shard_deliveries_waiting{shard="0"} 4',
    'bellwire_shard_oldest_due_seconds{shard="0"} 1.5',
    'bellwire_shard_calls_failed_total{shard="0",reason="lost"} 0',
    'bellwire_shard_calls_failed_total{shard="1",reason="lost"} 1',
    'bellwire_shard_calls_failed_total{shard="1",reason="refused"} 1',
    'bellwire_shard_transaction_seconds_count{shard="0"} 1',
    'bellwire_shard_transaction_seconds_sum{shard="1"} 2',
  ]) {
    assert.ok(first.includes(line), `${line} is not in\n${first.join("\n")}`);
  }
  assert.ok(!first.some((line) => line.includes("waiting{") && line.includes('shard="1"')));
  assert.ok(counts > 0);
  shards = [here];
  const later = await read();
  assert.ok(!later.some((line) => line.startsWith("bellwire_shard_away") && line.includes('shard="1"')));
});

test("a program with one shard shows nothing of them", async () => {
  assert.ok(!(await createMetrics().registry.metrics()).includes("bellwire_shard"));
});
