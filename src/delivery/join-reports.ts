/** Joins several listeners of the path's facts, such as the log and the metrics, into one. */
import type { DeliveryReport } from "./report.ts";

/** Reports every fact to each of them, in their order. */
export function joinReports(...reports: readonly DeliveryReport[]): DeliveryReport {
  const each = (tell: (report: DeliveryReport) => void): void => reports.forEach(tell);
  return {
    accepted: (fact) => each((report) => report.accepted(fact)),
    queued: (fact) => each((report) => report.queued(fact)),
    claimed: (fact) => each((report) => report.claimed(fact)),
    attempted: (fact) => each((report) => report.attempted(fact)),
    claimLost: (fact) => each((report) => report.claimLost(fact)),
    turnedOff: (fact) => each((report) => report.turnedOff(fact)),
    tested: (fact) => each((report) => report.tested(fact)),
    replaysStepped: (fact) => each((report) => report.replaysStepped(fact)),
    failed: (fact) => each((report) => report.failed(fact)),
  };
}
