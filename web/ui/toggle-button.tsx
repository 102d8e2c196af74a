/** A filter that is on or off, beside those that open. */
import clsx from "clsx";

interface Props {
  readonly label: string;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

export function ToggleButton({ label, isOn, onToggle }: Props) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className={clsx(
        "inline-flex min-h-8 shrink-0 items-center rounded-md border px-2.5 text-sm font-medium whitespace-nowrap",
        isOn
          ? "border-accent/40 bg-accent-soft text-accent"
          : "border-line bg-surface text-ink-soft hover:border-line-strong hover:text-ink",
      )}
    >
      {label}
    </button>
  );
}
