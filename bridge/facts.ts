/** The facts of a bridge as log lines and metrics. No line has a record, a header's value or a broker's address. */
import type { Logger } from "pino";
import type { Repeats } from "../src/lib/repeats.ts";
import type { BridgeMetrics } from "./metrics.ts";
import type { BridgeReport } from "./report.ts";

export interface BridgeReportContext {
  readonly log: Logger;
  readonly metrics: BridgeMetrics;
  readonly repeats: Repeats;
}

export function createBridgeReport({ log, metrics, repeats }: BridgeReportContext): BridgeReport {
  return {
    pulled: (messages) => log.debug({ messages }, "bridge.pulled"),
    forwarded({ event, accepted, duplicates }) {
      // Both, also with zero: Prometheus sees no growth in a series that appears with 1.
      metrics.records.inc({ event, result: "accepted" }, accepted);
      metrics.records.inc({ event, result: "duplicate" }, duplicates);
      log.debug({ event_type: event, accepted, duplicates }, "bridge.forwarded");
    },
    refused({ accountId, event, origin, line, fault: { code } }) {
      metrics.refused.inc({ reason: code });
      repeats.tell({
        key: `${accountId} ${event} ${code}`,
        level: "warn",
        message: "bridge.record_refused",
        fields: { account_id: accountId, event_type: event, code },
        first: { origin, line },
      });
    },
    acknowledged: (messages) => metrics.messages.inc({ result: "acknowledged" }, messages),
    gaveBack(messages) {
      metrics.messages.inc({ result: "given_back" }, messages);
      log.info({ messages }, "bridge.messages_given_back");
    },
    heldBack({ accountId, event, reason, pauseMs, failures }) {
      metrics.heldBack.inc();
      const fields = { account_id: accountId, event_type: event, reason, pause_ms: Math.round(pauseMs), failures };
      // The first says it; the others would say it again every ten seconds.
      log[failures === 1 ? "warn" : "debug"](fields, "bridge.held_back");
    },
    resumed: () => log.info("bridge.resumed"),
    brokerFailed({ what, error }) {
      metrics.brokerFailures.inc();
      const fields = { what, reason: describe(error) };
      repeats.tell({ key: `${what} ${fields.reason}`, level: "warn", message: "bridge.broker_failed", fields });
    },
  };
}

/** A client's message, never its stack; addresses in it lose their passwords. */
export function describe(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll(/\/\/[^/@\s]*@/g, "//").slice(0, 300);
}
