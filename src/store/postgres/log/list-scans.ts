/**
 * Which indexes a page of the log follows on PostgreSQL. Two things differ from SQLite:
 *
 * - There is no index of what was sent again after a 2xx and has not arrived since: every insert would open it, and
 *   such rows are looked for among those that failed or wait. A 2xx of any state was counted when it arrived.
 * - A day is a table of its own, so even a filter that an index knows would search every destination in every day for
 *   what is rare. The counters of attempts say where a refusal can be.
 */
import type { ListDeliveries } from "../../contract/log.ts";
import { findHundreds } from "../../sql/log/log-rows.ts";
import { type LogIndex, type LogScan, planScans } from "../../sql/log/log-scans.ts";

export type DeliveryIndex = Exclude<LogIndex, "recalled">;

export interface DeliveryScan extends LogScan {
  readonly index: DeliveryIndex;
  /** Whether what has ended, and what waits, can be among its rows. */
  readonly withEnded: boolean;
  readonly withPending: boolean;
}

/** A list of more rows than this may read as many of each destination; an export asks for so many. Guess. */
const LISTED_MAX = 200;

export function planDeliveryScans(params: ListDeliveries): DeliveryScan[] {
  const { statuses, response } = params;
  if (statuses === undefined && response === undefined && params.limit > LISTED_MAX) {
    return [{ index: "all", key: null, filter: params, looksFor: "uncounted", ...BOTH }];
  }
  if (statuses === undefined && findHundreds(response) === 2) {
    return [{ index: "all", key: null, filter: params, looksFor: "delivery", ...BOTH }];
  }
  return planScans(params).map(toDeliveryScan);
}

const BOTH = { withEnded: true, withPending: true };
const ENDED = { withEnded: true, withPending: false };
const PENDING = { withEnded: false, withPending: true };

/** Each status has a scan of its own, where the filter names one at all. */
function toDeliveryScan(scan: LogScan): DeliveryScan {
  const { index, key, filter, looksFor } = scan;
  const [status] = filter.statuses ?? [];
  const where = status === undefined ? BOTH : status === "waiting" || status === "retrying" ? PENDING : ENDED;
  if (index === "refused") return { ...scan, ...where, index, looksFor: looksFor ?? "attempt" };
  if (index !== "recalled") return { ...scan, ...where, index };
  return key === "pending"
    ? { ...scan, ...where, index: "backlog", key: null, looksFor: "uncounted" }
    : { ...scan, ...where, index: "unsent", looksFor: "uncounted" };
}
