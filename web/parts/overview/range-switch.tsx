/** Which stretch of time the figures cover; the choice is in the address. */
import clsx from "clsx";
import type { StatisticsRange } from "../../../src/dashboard/contract/statistics.ts";

const RANGES: readonly { readonly value: StatisticsRange; readonly label: string; readonly words: string }[] = [
  { value: "1h", label: "1 h", words: "Last hour" },
  { value: "24h", label: "24 h", words: "Last 24 hours" },
  { value: "7d", label: "7 d", words: "Last 7 days" },
  { value: "30d", label: "30 d", words: "Last 30 days" },
];

/** The range in the address, if it names one. */
export function parseRange(text: string | null): StatisticsRange | null {
  return RANGES.find(({ value }) => value === text)?.value ?? null;
}

interface Props {
  readonly range: StatisticsRange;
  readonly onChoose: (range: StatisticsRange) => void;
}

export function RangeSwitch({ range, onChoose }: Props) {
  return (
    <div
      role="group"
      aria-label="Time range"
      className="flex rounded-md border border-line bg-surface p-0.5 shadow-card"
    >
      {RANGES.map(({ value, label, words }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === range}
          aria-label={`${label}, ${words.toLowerCase()}`}
          onClick={() => onChoose(value)}
          className={clsx(
            "min-h-7.5 rounded px-2.5 text-sm font-medium transition-colors duration-100",
            value === range ? "bg-accent-soft text-accent" : "text-ink-soft hover:bg-hover hover:text-ink",
          )}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
