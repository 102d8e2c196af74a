/** The checkbox of a table's row or head. Its whole cell can be pressed; Shift means the rows in between too. */
import type { MouseEvent } from "react";

interface Props {
  readonly label: string;
  readonly isChecked: boolean;
  /** Some of the rows, but not all. */
  readonly isMixed?: boolean;
  readonly shortcut?: string;
  readonly onToggle: (isRange: boolean) => void;
}

export function RowCheckbox({ label, isChecked, isMixed = false, shortcut, onToggle }: Props) {
  const toggle = (event: MouseEvent): void => onToggle(event.shiftKey);
  return (
    // A press with Shift would mark the text of the rows in between.
    <label className="absolute inset-0 z-1 flex items-center justify-center select-none">
      <input
        type="checkbox"
        aria-label={label}
        aria-keyshortcuts={shortcut}
        checked={isChecked}
        ref={(box) => {
          if (box !== null) box.indeterminate = isMixed;
        }}
        onClick={toggle}
        // `onClick` knows of Shift.
        onChange={ignore}
        className="size-4 accent-accent-solid"
      />
    </label>
  );
}

const ignore = (): void => {};
