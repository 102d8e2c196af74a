/**
 * An incident's deliveries, counted by what became of them: some days at once, back in time, as many as
 * the caller lets it look at.
 */
import type { CountIncident, IncidentFigures } from "../../contract/incidents.ts";
import { findIncidentSpan, type LookedAt, sumIncident, toLookedAt } from "../../sql/figures/incident-figures.ts";
import { isInDays, spansBack, toPlaceholders } from "../days.ts";
import type { Transaction } from "../transaction.ts";

export async function countIncident(tx: Transaction, params: CountIncident): Promise<IncidentFigures | null> {
  const { rowsMax, nowMs } = params;
  const span = await findIncidentSpan(tx, params);
  if (span === null) return null;
  const { destinationId, fromMs, toMs, oldestMs } = span;
  const rows: LookedAt[] = [];
  let left = rowsMax;
  for (const { ids } of spansBack({ newestMs: Math.min(toMs, nowMs), oldestMs, nowMs })) {
    if (left <= 0) break;
    const found = await tx.db.all<LookedAt>(
      LOOK_AT,
      destinationId,
      oldestMs,
      toMs,
      left,
      fromMs,
      ...toPlaceholders(ids("dlv")),
    );
    rows.push(...found);
    left -= found.reduce((sum, { count }) => sum + count, 0);
  }
  return sumIncident(rows, span, rowsMax);
}

/** Exported for the test that reads its plan. */
export const LOOK_AT = `-- name: look at deliveries of incident
  with looked_at as materialized (
    select d.id, d.state, d.created_at, d.settled_at, d.attempts_made, d.last_outcome, d.last_status
    from deliveries d
    where d.destination_id = $1 and not d.is_test and d.created_at >= $2 and d.created_at < $3
      and ${isInDays("d", 6)}
    order by d.created_at desc
    limit $4
  )
  select ${toLookedAt("$5::bigint")}
  from looked_at d
  group by 1, 2`;
