/** The column of checkboxes: one for each row, and one in the head for the page. */
import type { DeliveryRow } from "../../../src/dashboard/contract/deliveries.ts";
import type { Column } from "../../ui/data-table.tsx";
import { nameOf, ownerName } from "./delivery-columns.tsx";
import { RowCheckbox } from "./row-checkbox.tsx";
import type { Selection } from "./use-selection.ts";

export function selectColumn({ ids, isPage, toggle, togglePage }: Selection): Column<DeliveryRow> {
  return {
    id: "select",
    className: "relative w-10 sm:w-11",
    header: (
      <RowCheckbox
        label="Select all rows of this page"
        isChecked={isPage}
        isMixed={!isPage && ids.size > 0}
        onToggle={togglePage}
      />
    ),
    cell: (row) => (
      <RowCheckbox
        label={`Select ${nameOf(row)} to ${ownerName(row)}`}
        isChecked={ids.has(row.id)}
        shortcut="x"
        onToggle={(isRange) => toggle(row.id, isRange)}
      />
    ),
  };
}
