/**
 * Intake's facts as metrics and traces. Calls leave no log lines: the records they bring are reported when they are
 * sent.
 */
import type { IntakeReport } from "../intake/report.ts";
import type { Metrics } from "./metrics.ts";
import type { Traces } from "./traces.ts";

export function createIntakeReport(metrics: Metrics, traces: Traces | null): IntakeReport {
  return {
    answered({ route, status, durationMs }) {
      metrics.intakeSeconds.observe({ route, status: String(status) }, durationMs / 1000);
    },
    begin: (headers) => traces?.begin(headers) ?? null,
  };
}
