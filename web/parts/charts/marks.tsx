/** The marks of a plot: stacked bars, or lines. */
import clsx from "clsx";
import { type Frame, linePath, plotWidth, stackAt, xOf, yOf } from "./geometry.ts";
import { type ChartData, FILLS, STROKES } from "./series.ts";

interface Properties {
  readonly data: ChartData;
  readonly frame: Frame;
  readonly top: number;
  readonly cursor: number | null;
}

export function Marks(properties: Properties) {
  return properties.data.kind === "stack" ? <Bars {...properties} /> : <Lines {...properties} />;
}

function Bars({ data: { series, bucketsAtMs }, frame, top, cursor }: Properties) {
  const count = bucketsAtMs.length;
  const width = Math.max(1, (plotWidth(frame) / count) * 0.78);
  const values = series.map((one) => one.values);
  return bucketsAtMs.map((atMs, index) => (
    <g key={atMs} className={clsx(cursor !== null && cursor !== index && "opacity-60")}>
      {stackAt(values, index).map(({ from, to }, place) => {
        const y = yOf(to, top, frame);
        const one = series[place];
        if (to === from || one === undefined) return null;
        const x = xOf(index, count, frame) - width / 2;
        return (
          <rect key={one.id} x={x} y={y} width={width} height={yOf(from, top, frame) - y} className={FILLS[one.tone]} />
        );
      })}
    </g>
  ));
}

function Lines({ data: { series }, frame, top }: Properties) {
  return series.map(({ id, tone, dash, values }) => (
    <path
      key={id}
      d={linePath(values, top, frame)}
      fill="none"
      strokeWidth="2"
      strokeLinejoin="round"
      strokeDasharray={dash}
      className={STROKES[tone]}
    />
  ));
}
