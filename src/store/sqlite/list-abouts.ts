/** The subjects of a page of events, for rows that name them. */
import type { About } from "../../domain/about.ts";
import { NO_ABOUT } from "../../domain/about.ts";
import { readGist } from "../../events/gist.ts";
import type { Transaction } from "./transaction.ts";

export function withAbouts<Row extends { readonly eventId: string }>(
  tx: Transaction,
  rows: readonly Row[],
): (Row & { readonly about: About })[] {
  const ids = [...new Set(rows.map(({ eventId }) => eventId))];
  const abouts = new Map<string, About>();
  // One by one, so that no more than one body is in memory.
  for (const { id, body } of tx.db.each<{ id: string; body: string }>(LIST_BODIES, JSON.stringify(ids))) {
    abouts.set(id, readGist(body).about);
  }
  return rows.map((row) => ({ ...row, about: abouts.get(row.eventId) ?? NO_ABOUT }));
}

const LIST_BODIES = `-- name: list bodies of events
  select e.id, e.body
  from json_each(?) wanted
  cross join events e on e.id = wanted.value`;
