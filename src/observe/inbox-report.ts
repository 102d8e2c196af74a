/**
 * The inbox's facts as log lines and metrics. A refusal's line has the code, the sentence and the fields' paths, as an
 * answer over HTTP would; never the record, which is personal data.
 */
import type { InboxReport } from "../intake/report.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";

export function createInboxReport(log: Logger, metrics: Metrics): InboxReport {
  return {
    // The line `event.accepted` already reports it.
    taken: ({ type, duplicate }) => metrics.inboxRecords.of(type, duplicate ? "duplicate" : "accepted").inc(),
    refused({ seq, accountId, type, problem }) {
      metrics.inboxRecords.of(type, "refused").inc();
      const fields = problem.errors?.map(({ path }) => path);
      const line = { inbox_id: seq, account_id: accountId, event_type: type, code: problem.code };
      log.warn({ ...line, detail: problem.detail, fields }, "record.refused");
    },
    failed({ what, error }) {
      metrics.failures.inc();
      log.error({ err: error, what }, "bellwire.failed");
    },
  };
}
