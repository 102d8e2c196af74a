import assert from "node:assert/strict";
import { test } from "node:test";
import { registerGauges } from "./gauges.ts";
import { createMetrics } from "./metrics.ts";

test("what the store cannot tell now is left out, and comes back with it", async () => {
  let isAway = false;
  let asked = 0;
  const metrics = createMetrics();
  registerGauges(metrics, {
    lanes: () => ({ inFlight: 2, deliveries: 3 }),
    deliveriesMax: 10,
    logLinesDropped: () => 7,
    isHeld: () => true,
    backupAge: () => (isAway ? null : 9),
    waiting: async () => {
      asked += 1;
      return isAway ? null : { waiting: 5, oldestDueAgeSeconds: 1.5 };
    },
    inbox: async () => (isAway ? null : { waiting: 6, oldestAgeSeconds: 2.5 }),
    destinations: async () => (isAway ? null : { on: 4, held: 1 }),
    build: { version: "1.2.3", node: "24.0.0", store: "sqlite" },
  });
  const read = async () => (await metrics.registry.metrics()).split("\n");
  const ofTheStore = [
    "bellwire_oldest_due_seconds 1.5",
    "bellwire_deliveries_waiting 5",
    "bellwire_backup_age_seconds 9",
    "bellwire_inbox_oldest_seconds 2.5",
    "bellwire_inbox_waiting 6",
    'bellwire_destinations{condition="on"} 4',
    'bellwire_destinations{condition="held"} 1',
  ];
  const ofTheNode = [
    'bellwire_build_info{version="1.2.3",node="24.0.0",store="sqlite"} 1',
    "bellwire_attempts_in_flight 2",
    "bellwire_deliveries_held 3",
    "bellwire_deliveries_held_max 10",
    "bellwire_log_lines_dropped_total 7",
  ];
  const first = await read();
  for (const line of [...ofTheStore, ...ofTheNode]) assert.ok(first.includes(line), line);
  assert.equal(asked, 1, "two gauges ask once");
  isAway = true;
  const away = await read();
  for (const line of ofTheNode) assert.ok(away.includes(line), line);
  assert.ok(
    !away.some((line) =>
      /^bellwire_(?:oldest|backup|deliveries_waiting|inbox_(?:oldest|waiting)|destinations)\b.* \d/.test(line),
    ),
    away.join("\n"),
  );
  isAway = false;
  const back = await read();
  for (const line of ofTheStore) assert.ok(back.includes(line), line);
});
