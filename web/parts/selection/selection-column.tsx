/** Rows of a list that are chosen: their checkboxes, and for how long they stay chosen. */
import { type MouseEvent, useState } from "react";
import type { Column } from "../../ui/data-table.tsx";
import { NOTHING, selectAll, type Selected, toggle, toggleAll } from "./selection.ts";

interface ColumnOptions<Row> {
  readonly selection: Selection;
  /** Of the box in the head. */
  readonly all: string;
  readonly toId: (row: Row) => string;
  /** `null`: the row cannot be selected. */
  readonly toName: (row: Row) => string | null;
  readonly className: string;
}

/** One for each row, and one in the head for all. */
export function selectColumn<Row>({ selection, all, toId, toName, className }: ColumnOptions<Row>): Column<Row> {
  const { ids, isPage } = selection;
  return {
    id: "select",
    className: `relative ${className}`,
    inCard: "bare",
    header: (
      <RowCheckbox label={all} isChecked={isPage} isMixed={!isPage && ids.size > 0} onToggle={selection.togglePage} />
    ),
    cell: (row) => {
      const [id, name] = [toId(row), toName(row)];
      return (
        name !== null && (
          <RowCheckbox
            label={`Select ${name}`}
            isChecked={ids.has(id)}
            shortcut="x"
            onToggle={(isRange) => selection.toggle(id, isRange)}
          />
        )
      );
    },
  };
}

/* The checkbox of a table's row or head. Its whole cell can be pressed; Shift means the rows in between too. */

interface RowCheckboxProps {
  readonly label: string;
  readonly isChecked: boolean;
  /** Some of the rows, but not all. */
  readonly isMixed?: boolean;
  readonly shortcut?: string;
  readonly onToggle: (isRange: boolean) => void;
}

function RowCheckbox({ label, isChecked, isMixed = false, shortcut, onToggle }: RowCheckboxProps) {
  const press = (event: MouseEvent): void => onToggle(event.shiftKey);
  return (
    // A press with Shift would mark the text of the rows in between.
    <label className="absolute inset-y-0 left-0 z-1 flex w-10 sm:w-11 items-center justify-center select-none">
      <input
        type="checkbox"
        aria-label={label}
        aria-keyshortcuts={shortcut}
        checked={isChecked}
        ref={(box) => {
          if (box !== null) box.indeterminate = isMixed;
        }}
        onClick={press}
        // `onClick` knows of Shift.
        onChange={ignore}
        className="size-4 accent-accent-solid"
      />
    </label>
  );
}

const ignore = (): void => {};

/* The selection of the rows that are shown. Other filters and other pages have rows of their own, so it ends there. */

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Every row that is listed is selected: of the page, or of all that a filter shows. */
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

/** `place` is the address's filters and page: others have rows of their own, so the selection ends there. */
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
