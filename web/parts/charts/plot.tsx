/** The plot itself: axes, marks, and the cursor with its figures. See chart.tsx. */
import clsx from "clsx";
import { type KeyboardEvent, type PointerEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import {
  bucketWords,
  findLargest,
  type Frame,
  indexAt,
  linePath,
  plotWidth,
  stackAt,
  ticksUpTo,
  timeLabels,
  toTimeX,
  toX,
  toY,
} from "./geometry.ts";
import { type ChartData, FILLS, isInIncident, type Series, STROKES } from "./series.ts";

const HEIGHT = 190;
/** The longest label decides how much room the axis takes. 8 px a character fit the widest of the system fonts seen. */
const CHARACTER_PX = 8;

interface Props {
  readonly title: string;
  readonly data: ChartData;
}

export function Plot({ title, data }: Props) {
  const [element, width] = useWidth();
  const [cursor, setCursor] = useState<number | null>(null);
  const count = data.bucketsAtMs.length;
  const { frame, ticks, top } = layOut(data, width);
  const index = Math.min(cursor ?? count - 1, count - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = afterKey(event.key, index, count);
    if (next === null) return;
    event.preventDefault();
    setCursor(next);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const { left } = event.currentTarget.getBoundingClientRect();
    setCursor(indexAt(event.clientX - left, count, frame));
  };
  return (
    <div
      ref={element}
      role="slider"
      tabIndex={0}
      aria-label={`${title}: move through time with the arrow keys`}
      aria-valuemin={0}
      aria-valuemax={count - 1}
      aria-valuenow={index}
      aria-valuetext={wordsAt(data, index)}
      onKeyDown={onKeyDown}
      onFocus={() => setCursor(index)}
      onBlur={() => setCursor(null)}
      onPointerMove={onPointerMove}
      onPointerLeave={() => setCursor(null)}
      className="relative cursor-crosshair rounded-md"
    >
      <svg aria-hidden="true" width={width} height={HEIGHT} className="block">
        <Axes data={data} frame={frame} ticks={ticks} top={top} />
        <Marks data={data} frame={frame} top={top} cursor={cursor} />
        {cursor !== null && <CursorLine x={toX(cursor, count, frame)} frame={frame} />}
      </svg>
      {cursor !== null && <CursorFigures data={data} index={cursor} x={toX(cursor, count, frame)} width={width} />}
    </div>
  );
}

function layOut(data: ChartData, width: number): { frame: Frame; ticks: number[]; top: number } {
  const largest = findLargest(
    data.series.map(({ values }) => values),
    data.kind === "stack",
  );
  // A limit far above everything would flatten the lines; near them it belongs into the picture.
  const limit = data.limit !== undefined && data.limit.value <= largest * 2 ? data.limit.value : 0;
  const ticks = ticksUpTo(Math.max(largest, limit), data.steps);
  const characters = Math.max(...ticks.map((tick) => data.format(tick).length));
  const left = characters * CHARACTER_PX + 8;
  return { ticks, top: ticks.at(-1) ?? 1, frame: { width, height: HEIGHT, left, bottom: 24, top: 8, right: 4 } };
}

function afterKey(key: string, index: number, count: number): number | null {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, index - 1);
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(count - 1, index + 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

function wordsAt(data: ChartData, index: number): string {
  const { bucketsAtMs, bucketMs, series, format } = data;
  const figures = series.map(({ label, values }) => `${label} ${valueWords(values[index] ?? null, format)}`);
  const during = isInIncident(data, index) ? ", during an incident" : "";
  return `${bucketWords(bucketsAtMs[index] ?? 0, bucketMs)}${during}: ${figures.join(", ")}`;
}

const valueWords = (value: number | null, format: ChartData["format"]): string =>
  value === null ? "no data" : format(value);

function CursorLine({ x, frame }: { readonly x: number; readonly frame: Frame }) {
  return <path d={`M${x} ${frame.top}V${frame.height - frame.bottom}`} className="stroke-ink-faint" />;
}

/* Lines and labels of both axes, the limit, the present, and the times of trouble behind all of it. */

interface AxesProps {
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

function Axes({ data, frame, ticks, top }: AxesProps) {
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

type Part = Pick<AxesProps, "data" | "frame">;

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

/* The marks of a plot: stacked bars, or lines. */

interface MarksProps {
  readonly data: ChartData;
  readonly frame: Frame;
  readonly top: number;
  readonly cursor: number | null;
}

function Marks(props: MarksProps) {
  return props.data.kind === "stack" ? <Bars {...props} /> : <Lines {...props} />;
}

function Bars({ data: { series, bucketsAtMs }, frame, top, cursor }: MarksProps) {
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

function Lines({ data: { series }, frame, top }: MarksProps) {
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

/* The figures of the bucket under the cursor: beside it, and inside the chart. */

interface CursorFiguresProps {
  readonly data: ChartData;
  readonly index: number;
  readonly x: number;
  readonly width: number;
}

function CursorFigures({ data, index, x, width }: CursorFiguresProps) {
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

/* How wide an element is, kept up to date: charts are drawn in real pixels, so that their text is never scaled. */

const FIRST_PX = 560;

function useWidth(): [element: RefObject<HTMLDivElement | null>, width: number] {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_PX);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? FIRST_PX)));
    observer.observe(current);
    setWidth(Math.floor(current.getBoundingClientRect().width));
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

/* The meaning of each colour and stroke of a chart, in words. */

export function Legend({ data: { kind, series, limit, incidents } }: { readonly data: ChartData }) {
  return (
    <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm text-ink-soft">
      {series.map((one) => (
        <li key={one.id} className="flex items-center gap-2">
          <Swatch series={one} kind={kind} />
          {one.label}
        </li>
      ))}
      {incidents.length > 0 && (
        <li className="flex items-center gap-2">
          <svg aria-hidden="true" width="18" height="10">
            <rect x="1" y="0.5" width="16" height="9" className="fill-bad-soft stroke-bad-mark" />
          </svg>
          Incident
        </li>
      )}
      {limit !== undefined && (
        <li className="flex items-center gap-2">
          <svg aria-hidden="true" width="18" height="10">
            <path d="M0 5h18" strokeDasharray="1 3" strokeWidth="2" className="stroke-ink-faint" />
          </svg>
          {limit.label}
        </li>
      )}
    </ul>
  );
}

function Swatch({ series, kind }: { readonly series: Series; readonly kind: ChartData["kind"] }) {
  return (
    <svg aria-hidden="true" width="18" height="10" className="shrink-0">
      {kind === "stack" ? (
        <rect x="4" width="10" height="10" rx="2" className={FILLS[series.tone]} />
      ) : (
        <path d="M0 5h18" strokeWidth="2" strokeDasharray={series.dash} className={STROKES[series.tone]} />
      )}
    </svg>
  );
}
