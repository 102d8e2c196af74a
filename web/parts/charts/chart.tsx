/**
 * A chart over time: a caption that says what it shows, the plot, a legend in words, and the same figures as a table.
 *
 * The plot is a slider over the buckets: arrow keys move its cursor, and a reader of the screen hears the bucket's
 * figures; a pointer does the same by hovering. Own SVG, because chart libraries cost 20 times as much as this page.
 */
import { useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { bucketWords, isEmpty, keepUnits } from "./geometry.ts";
import { Legend, Plot } from "./plot.tsx";
import type { ChartData } from "./series.ts";

interface Props {
  readonly title: string;
  /** One sentence with the figures that matter. */
  readonly summary: string;
  readonly data: ChartData;
}

export function Chart({ title, summary, data }: Props) {
  const id = useId();
  const [isTable, setTable] = useState(false);
  const hasData = !isEmpty(data.series.map(({ values }) => values));
  return (
    <figure aria-labelledby={id} className="min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-start gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <h2 id={id} className="text-lg font-semibold">
            {title}
          </h2>
          <p className="text-ink-soft">{keepUnits(summary)}</p>
        </div>
        {hasData && (
          <Button size="sm" tone="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? "Show as chart" : "Show as table"}
          </Button>
        )}
      </figcaption>
      {!hasData && <NoDeliveries />}
      {hasData && isTable && <ChartTable title={title} data={data} />}
      {hasData && !isTable && (
        <>
          <Plot title={title} data={data} />
          <Legend data={data} />
        </>
      )}
    </figure>
  );
}

/* A chart's figures as a table, for people who read or copy figures, or cannot see the chart. */

interface ChartTableProps {
  readonly title: string;
  readonly data: ChartData;
}

function ChartTable({ title, data }: ChartTableProps) {
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

/** The place of a chart that has nothing to draw: as high as a plot, so that nothing jumps. */
export function NoDeliveries() {
  return (
    <p className="flex h-40 items-center justify-center rounded-lg border border-dashed border-line text-ink-soft">
      No deliveries in this period
    </p>
  );
}
