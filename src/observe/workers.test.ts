import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "./metrics.ts";
import { registerWorkers, type WorkerCall, type WorkerFigures } from "./workers.ts";

test("each worker has its figures, one that is away has no count, and one without accounts is gone", async () => {
  const metrics = createMetrics();
  const here: WorkerFigures = {
    name: "db-1:5432",
    groups: 11,
    isAway: false,
    waits: { waiting: 4, oldestDueAtMs: 500 },
  };
  let workers: readonly WorkerFigures[] = [here, { name: "db-2:5432", groups: 21, isAway: true, waits: null }];
  let tell: (call: WorkerCall) => void = () => {};
  let counts = 0;
  registerWorkers(metrics, {
    list: () => workers,
    follow: (onCall) => void (tell = onCall),
    count: async () => (counts += 1),
    nowMs: () => 2_000,
  });
  tell({ server: "db-1:5432", result: "done", durationMs: 3 });
  tell({ server: "db-2:5432", result: "lost", durationMs: 2_000 });
  tell({ server: "db-2:5432", result: "refused", durationMs: 0 });
  const read = async () =>
    (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith("bellwire_worker"));
  const first = await read();
  for (const line of [
    'bellwire_worker_shard_groups{worker="db-1:5432"} 11',
    'bellwire_worker_away{worker="db-1:5432"} 0',
    'bellwire_worker_away{worker="db-2:5432"} 1',
    'bellwire_worker_deliveries_waiting{worker="db-1:5432"} 4',
    'bellwire_worker_oldest_due_seconds{worker="db-1:5432"} 1.5',
    'bellwire_worker_calls_failed_total{worker="db-1:5432",reason="lost"} 0',
    'bellwire_worker_calls_failed_total{worker="db-2:5432",reason="lost"} 1',
    'bellwire_worker_calls_failed_total{worker="db-2:5432",reason="refused"} 1',
    'bellwire_worker_transaction_seconds_count{worker="db-1:5432"} 1',
    'bellwire_worker_transaction_seconds_sum{worker="db-2:5432"} 2',
  ]) {
    assert.ok(first.includes(line), `${line} is not in\n${first.join("\n")}`);
  }
  assert.ok(!first.some((line) => line.includes("waiting{") && line.includes("db-2")));
  assert.ok(counts > 0);
  workers = [here];
  const later = await read();
  assert.ok(!later.some((line) => line.startsWith("bellwire_worker_away") && line.includes("db-2")));
});

test("a program without workers shows nothing of them", async () => {
  assert.ok(!(await createMetrics().registry.metrics()).includes("bellwire_worker"));
});
