/**
 * The facts of intake's calls and of the inbox, as log lines and metrics. A refusal's line has the code, the sentence
 * and the fields' paths, as an answer over HTTP would; never the record, which is personal data. Each is stored too, so
 * the log has an example.
 */
import type { InboxReport, IntakeReport } from "../intake/report.ts";
import type { TellFailure } from "./failures.ts";
import type { Metrics } from "./metrics.ts";
import type { Repeats } from "../lib/repeats.ts";
import type { Traces } from "./traces.ts";

export interface InboxReportContext {
  readonly metrics: Metrics;
  readonly repeats: Repeats;
  readonly tellFailure: TellFailure;
}

export function createInboxReport({ metrics, repeats, tellFailure }: InboxReportContext): InboxReport {
  return {
    // The log line `event.accepted` already reports the event.
    taken: ({ type, duplicate }) =>
      metrics.inboxRecords.inc({ event: type, result: duplicate ? "duplicate" : "accepted" }),
    refused({ seq, accountId, type, problem }) {
      metrics.inboxRecords.inc({ event: type, result: "refused" });
      const { code, detail, errors } = problem;
      repeats.tell({
        key: `${accountId} ${type} ${code}`,
        level: "warn",
        message: "record.refused",
        fields: { account_id: accountId, event_type: type, code },
        first: { inbox_id: seq, detail, fields: errors?.map(({ path }) => path) },
      });
    },
    failed: tellFailure,
  };
}

/*
 * Intake's facts as metrics and traces. Calls leave no log lines: the records they bring are reported when they are
 * sent.
 */

export function createIntakeReport(metrics: Metrics, traces: Traces | null): IntakeReport {
  return {
    answered({ route, status, durationMs }) {
      metrics.intakeSeconds.observe({ route, status: String(status) }, durationMs / 1000);
    },
    begin: (headers) => traces?.begin(headers) ?? null,
  };
}
