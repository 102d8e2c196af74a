/** A chart's figures as a table, for people who read or copy figures, or cannot see the chart. */
import type { ChartData } from "./series.ts";
import { bucketWords } from "./time-axis.ts";

interface Props {
  readonly title: string;
  readonly data: ChartData;
}

export function ChartTable({ title, data }: Props) {
  const { bucketsAtMs, bucketMs, series, format } = data;
  return (
    <div
      role="region"
      aria-label={title}
      // A table that scrolls must be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="max-h-64 contain-inline-size overflow-auto rounded-lg border border-line"
    >
      <table className="w-full text-sm">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="sticky top-0 bg-sunken text-left text-xs text-ink-soft">
            <th scope="col" className="px-3 py-2 font-medium">
              Time
            </th>
            {series.map(({ id, label }) => (
              <th key={id} scope="col" className="px-3 py-2 text-right font-medium">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bucketsAtMs.map((atMs, index) => (
            <tr key={atMs} className="border-t border-line">
              <th scope="row" className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                {bucketWords(atMs, bucketMs)}
              </th>
              {series.map(({ id, values }) => {
                const value = values[index] ?? null;
                return (
                  <td key={id} className="px-3 py-1.5 text-right tabular-nums">
                    {value === null ? "–" : format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
