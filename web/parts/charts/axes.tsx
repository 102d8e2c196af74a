/** Lines and labels of both axes, the limit, the present, and the times of trouble behind all of it. */
import { type Frame, toTimeX, toY } from "./geometry.ts";
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
/** Half of a label, so that none is cut off at an edge or lies on the word beside it. */
const HALF_LABEL_PX = 24;
/** The width of "now", which may stand at the right edge. */
const NOW_PX = 26;
/** An incident of seconds is a line that can be seen. */
const BAND_PX_MIN = 2;

export function Axes({ data, frame, ticks, top }: Props) {
  const { format, limit } = data;
  const right = frame.width - frame.right;
  return (
    <g className="fill-ink-soft text-xs">
      <Bands data={data} frame={frame} />
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
      <TimeAxis data={data} frame={frame} />
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

type Part = Pick<Props, "data" | "frame">;

function Bands({ data, frame }: Part) {
  const height = frame.height - frame.top - frame.bottom;
  const [startMs = 0] = data.bucketsAtMs;
  return data.incidents
    .filter(({ toMs }) => toMs === null || toMs >= startMs)
    .map(({ fromMs, toMs }) => {
      const x = toTimeX(fromMs, data, frame);
      const width = Math.max(BAND_PX_MIN, toTimeX(toMs ?? data.nowMs, data, frame) - x);
      return <rect key={fromMs} x={x} y={frame.top} width={width} height={height} className="fill-bad-soft" />;
    });
}

/** "now" stands at its own place, and the labels leave it room. */
function TimeAxis({ data, frame }: Part) {
  const { bucketsAtMs, bucketMs, nowMs } = data;
  const [fromMs = 0] = bucketsAtMs;
  const toMs = (bucketsAtMs.at(-1) ?? 0) + bucketMs;
  const axis = frame.height - frame.bottom;
  const nowX = toTimeX(nowMs, data, frame);
  const labels = timeLabels(fromMs, toMs, Math.floor(frame.width / LABEL_PX));
  return (
    <>
      {labels.map(({ atMs, text }) => {
        const x = toTimeX(atMs, data, frame);
        if (x < HALF_LABEL_PX || x > nowX - 2 * HALF_LABEL_PX) return null;
        return (
          <g key={atMs}>
            <path d={`M${x} ${axis}v4`} className="stroke-line-strong" />
            <text x={x} y={frame.height - 6} textAnchor="middle">
              {text}
            </text>
          </g>
        );
      })}
      <path d={`M${nowX} ${frame.top}V${axis + 4}`} strokeDasharray="3 3" className="stroke-ink-faint" />
      <text x={Math.min(nowX, frame.width - NOW_PX / 2)} y={frame.height - 6} textAnchor="middle">
        now
      </text>
    </>
  );
}
