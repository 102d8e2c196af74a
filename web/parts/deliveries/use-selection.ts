/** The selection of the rows that are shown. Other filters and other pages have rows of their own, so it ends there. */
import { useState } from "react";
import { NOTHING, type Selected, selectAll, toggle, toggleAll } from "./selection.ts";

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Every row of the page is selected. */
  readonly isPage: boolean;
  readonly toggle: (id: string, isRange: boolean) => void;
  readonly togglePage: () => void;
  readonly select: (ids: readonly string[]) => void;
  readonly clear: () => void;
}

interface Kept {
  readonly selected: Selected;
  readonly keep: (next: Selected) => void;
}

/** `place` is the address's filters and page. */
export function useSelected(place: string): Kept {
  const [kept, setKept] = useState({ selected: NOTHING, place });
  return {
    selected: kept.place === place ? kept.selected : NOTHING,
    keep: (selected) => setKept({ selected, place }),
  };
}

export function toSelection({ selected, keep }: Kept, rows: readonly { readonly id: string }[]): Selection {
  const ids = rows.map(({ id }) => id);
  return {
    ids: selected.ids,
    isPage: ids.length > 0 && ids.every((id) => selected.ids.has(id)),
    toggle: (id, isRange) => keep(toggle(selected, ids, { id, isRange })),
    togglePage: () => keep(toggleAll(selected, ids)),
    select: (wanted) => keep(selectAll(wanted)),
    clear: () => keep(NOTHING),
  };
}
