/** Which rows of the log are selected: a set of ids, and the row that was touched last, where a range begins. Pure. */
export interface Selected {
  readonly ids: ReadonlySet<string>;
  readonly anchor: string | null;
}

export const NOTHING: Selected = { ids: new Set(), anchor: null };

/** One row changes. With a range all rows between it and the anchor become what it becomes. */
export function toggle(
  { ids, anchor }: Selected,
  rows: readonly string[],
  { id, isRange }: { readonly id: string; readonly isRange: boolean },
): Selected {
  const isOn = !ids.has(id);
  const from = anchor === null ? -1 : rows.indexOf(anchor);
  const to = rows.indexOf(id);
  const range = isRange && from !== -1 && to !== -1 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
  const next = new Set(ids);
  for (const each of range) {
    if (isOn) next.add(each);
    else next.delete(each);
  }
  return { ids: next, anchor: id };
}

/** All that match, on the other pages too; a range begins anew. */
export const selectAll = (ids: readonly string[]): Selected => ({ ids: new Set(ids), anchor: null });

/** All rows of the page, or none once all are. */
export function toggleAll({ ids }: Selected, rows: readonly string[]): Selected {
  return rows.every((id) => ids.has(id)) ? NOTHING : selectAll(rows);
}
