/**
 * An incident's deliveries, counted by what became of them: the newest of its time first, as many as the
 * caller lets it look at.
 */
import type { CountIncident, IncidentFigures } from "../../contract/incidents.ts";
import { findIncidentSpan, type LookedAt, sumIncident, toLookedAt } from "../../sql/figures/incident-figures.ts";
import type { Transaction } from "../transaction.ts";

export async function countIncident(tx: Transaction, params: CountIncident): Promise<IncidentFigures | null> {
  const span = await findIncidentSpan(tx, params);
  if (span === null) return null;
  const { destinationId, fromMs, toMs, oldestMs } = span;
  const rows = tx.db.all<LookedAt>(LOOK_AT, destinationId, oldestMs, toMs, params.rowsMax, fromMs);
  return sumIncident(rows, span, params.rowsMax);
}

/** Exported for the test that reads its plan. */
export const LOOK_AT = `-- name: look at deliveries of incident
  with looked_at as materialized (
    select state, created_at, settled_at, attempts_made, last_outcome, last_status
    from deliveries indexed by deliveries_of_destination
    where destination_id = ?1 and is_test = 0 and created_at >= ?2 and created_at < ?3
    order by created_at desc
    limit ?4
  )
  select ${toLookedAt("?5")}
  from looked_at d
  group by 1, 2`;
