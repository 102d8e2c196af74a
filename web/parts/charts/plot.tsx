/** The plot itself: axes, marks, and the cursor with its figures. See chart.tsx. */
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { Axes } from "./axes.tsx";
import { CursorFigures } from "./cursor-figures.tsx";
import { type Frame, indexAt, findLargest, ticksUpTo, toX } from "./geometry.ts";
import { Marks } from "./marks.tsx";
import { type ChartData, isInIncident } from "./series.ts";
import { bucketWords } from "./time-axis.ts";
import { useWidth } from "./use-width.ts";

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
