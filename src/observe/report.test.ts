import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { createTellFailure } from "./failures.ts";
import { createLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createRepeats } from "../lib/repeats.ts";
import { createReport } from "./report.ts";

test("a destination that is turned off is a warning of its own, and is counted by its reason", async () => {
  const lines: string[] = [];
  const metrics = createMetrics();
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const repeats = createRepeats(log, createVirtualClock());
  const tellFailure = createTellFailure(repeats, metrics);
  const report = createReport({ log, metrics, repeats, tellFailure, traces: null });
  report.turnedOff({ accountId: "acct-1", destinationId: "dst_1", reason: "failing" });
  const [line] = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
  assert.deepEqual(
    [line?.["msg"], line?.["level"], line?.["account_id"], line?.["destination_id"], line?.["reason"]],
    ["destination.turned_off", "warn", "acct-1", "dst_1", "failing"],
  );
  assert.match(await metrics.registry.metrics(), /^bellwire_destinations_turned_off_total\{reason="failing"\} 1$/m);
});
