/** The subjects of a page of events, for rows that name them. */
import { type About, NO_ABOUT } from "../../../domain/about.ts";
import { SUMMARY_COLUMNS, summaryOf, type SummaryRow } from "../../sql/log/event-rows.ts";
import type { Transaction } from "../transaction.ts";

export function withAbouts<Row extends { readonly eventId: string }>(
  tx: Transaction,
  rows: readonly Row[],
): (Row & { readonly about: About })[] {
  const ids = [...new Set(rows.map(({ eventId }) => eventId))];
  const found = tx.db.all<SummaryRow & { readonly id: string }>(LIST_SUMMARIES, JSON.stringify(ids));
  const abouts = new Map(found.map((row) => [row.id, summaryOf(row).about]));
  return rows.map((row) => ({ ...row, about: abouts.get(row.eventId) ?? NO_ABOUT }));
}

const LIST_SUMMARIES = `-- name: list what events are about
  select e.id, ${SUMMARY_COLUMNS}
  from json_each(?) wanted
  cross join events e on e.id = wanted.value
  left join search_entries s on s.event_id = e.id`;
