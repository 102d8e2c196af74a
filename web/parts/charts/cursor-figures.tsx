/** The figures of the bucket under the cursor: beside it, and inside the chart. */
import { Swatch } from "./legend.tsx";
import type { ChartData } from "./series.ts";
import { bucketWords } from "./time-axis.ts";

interface Props {
  readonly data: ChartData;
  readonly index: number;
  readonly x: number;
  readonly width: number;
}

export function CursorFigures({ data, index, x, width }: Props) {
  const isLeft = x > width / 2;
  return (
    <div
      aria-hidden="true"
      // A position is a value and not a look: the policy against inline styles does not concern the DOM's own property.
      style={isLeft ? { right: width - x + 8 } : { left: x + 8 }}
      className={FIGURES}
    >
      <p className="mb-1 font-medium whitespace-nowrap">{bucketWords(data.bucketsAtMs[index] ?? 0, data.bucketMs)}</p>
      <dl className="grid grid-cols-[auto_1fr_auto] items-center gap-x-2 gap-y-0.5">
        {data.series.map((one) => {
          const value = one.values[index] ?? null;
          return (
            <div key={one.id} className="contents">
              <Swatch series={one} kind={data.kind} />
              <dt className="text-ink-soft whitespace-nowrap">{one.label}</dt>
              <dd className="text-right tabular-nums">{value === null ? "–" : data.format(value)}</dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}

const FIGURES =
  "pointer-events-none absolute top-2 z-10 rounded-md border border-line bg-raised px-2.5 py-2 text-sm shadow-popup";
