/** The marks of a plot: stacked bars, or lines. */
import clsx from "clsx";
import { type Frame, linePath, plotWidth, stackAt, toX, toY } from "./geometry.ts";
import { type ChartData, FILLS, STROKES } from "./series.ts";

interface Props {
  readonly data: ChartData;
  readonly frame: Frame;
  readonly top: number;
  readonly cursor: number | null;
}

export function Marks(props: Props) {
  return props.data.kind === "stack" ? <Bars {...props} /> : <Lines {...props} />;
}

function Bars({ data: { series, bucketsAtMs }, frame, top, cursor }: Props) {
  const count = bucketsAtMs.length;
  const width = Math.max(1, (plotWidth(frame) / count) * 0.78);
  const values = series.map((one) => one.values);
  return bucketsAtMs.map((atMs, index) => (
    <g key={atMs} className={clsx(cursor !== null && cursor !== index && "opacity-60")}>
      {stackAt(values, index).map(({ from, to }, place) => {
        const y = toY(to, top, frame);
        const one = series[place];
        if (to === from || one === undefined) return null;
        const x = toX(index, count, frame) - width / 2;
        return (
          <rect key={one.id} x={x} y={y} width={width} height={toY(from, top, frame) - y} className={FILLS[one.tone]} />
        );
      })}
    </g>
  ));
}

function Lines({ data: { series }, frame, top }: Props) {
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
