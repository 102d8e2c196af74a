/** Lines and labels of both axes, and the limit. */
import { type Frame, toX, toY } from "./geometry.ts";
import type { ChartData } from "./series.ts";
import { timeLabels } from "./time-axis.ts";

interface Props {
  readonly data: ChartData;
  readonly frame: Frame;
  readonly ticks: readonly number[];
  readonly top: number;
}

/** Room for one label below the time axis. */
const LABEL_PX = 84;

export function Axes({ data, frame, ticks, top }: Props) {
  const { bucketsAtMs, format, limit } = data;
  const right = frame.width - frame.right;
  const labels = timeLabels(bucketsAtMs, Math.floor(frame.width / LABEL_PX));
  return (
    <g className="fill-ink-soft text-xs">
      {ticks.map((tick) => {
        const y = toY(tick, top, frame);
        return (
          <g key={tick}>
            <path d={`M${frame.left} ${y}H${right}`} className="stroke-line" />
            <text x={frame.left - 8} y={y} textAnchor="end" dominantBaseline="middle">
              {format(tick)}
            </text>
          </g>
        );
      })}
      {labels.map(({ index, text }) => (
        <text
          key={index}
          x={toX(index, bucketsAtMs.length, frame)}
          y={frame.height - 6}
          textAnchor={index === 0 ? "start" : "middle"}
        >
          {text}
        </text>
      ))}
      {limit !== undefined && limit.value <= top && (
        <path
          d={`M${frame.left} ${toY(limit.value, top, frame)}H${right}`}
          strokeDasharray="1 3"
          strokeWidth="2"
          className="stroke-ink-faint"
        />
      )}
    </g>
  );
}
