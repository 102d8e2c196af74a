/** The subjects of a page of events, for rows that name them. */
import { type About, NO_ABOUT } from "../../../domain/about.ts";
import { GIST_COLUMNS, gistOf, type GistRow } from "../../sql/log/gist-rows.ts";
import type { Transaction } from "../transaction.ts";

export function withAbouts<Row extends { readonly eventId: string }>(
  tx: Transaction,
  rows: readonly Row[],
): (Row & { readonly about: About })[] {
  const ids = [...new Set(rows.map(({ eventId }) => eventId))];
  const found = tx.db.all<GistRow & { readonly id: string }>(LIST_GISTS, JSON.stringify(ids));
  const abouts = new Map(found.map((row) => [row.id, gistOf(row).about]));
  return rows.map((row) => ({ ...row, about: abouts.get(row.eventId) ?? NO_ABOUT }));
}

const LIST_GISTS = `-- name: list what events are about
  select e.id, ${GIST_COLUMNS}
  from json_each(?) wanted
  cross join events e on e.id = wanted.value
  left join search_entries s on s.event_id = e.id`;
