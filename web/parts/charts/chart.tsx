/**
 * A chart over time: a caption that says what it shows, the plot, a legend in words, and the same figures as a table.
 *
 * The plot is a slider over the buckets: arrow keys move its cursor, and a reader of the screen hears the bucket's
 * figures; a pointer does the same by hovering. Own SVG, because chart libraries cost 20 times as much as this page.
 */
import { useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ChartTable } from "./chart-table.tsx";
import { isEmpty } from "./geometry.ts";
import { keepUnits } from "./keep-units.ts";
import { Legend } from "./legend.tsx";
import { NoDeliveries } from "./no-deliveries.tsx";
import { Plot } from "./plot.tsx";
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
