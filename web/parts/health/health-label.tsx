/** A webhook's health at a glance: a word, and its last day as a line. */
import type { DestinationHealthView } from "../../../src/dashboard/contract/destinations.ts";
import { HEALTH_LOOKS, StatusChip } from "../../ui/chips.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { count, number } from "../../words.ts";
import { healthLabel } from "./health-words.ts";

export function HealthLabel({ health }: { readonly health: DestinationHealthView }) {
  const nowMs = useNow();
  return <StatusChip {...HEALTH_LOOKS[health.word]} word={healthLabel(health, nowMs)} />;
}

/*
 * The last 24 hours as 24 bars: height is how many attempts there were, colour is whether they succeeded, a stub is an
 * hour without any. Its words say the same.
 */

const BAR = 4;
const GAP = 1;
const HEIGHT = 22;
/** An hour with a single attempt must still be seen. */
const BAR_MIN = 4;
const STUB = 2;

interface SparklineProps {
  readonly hours: DestinationHealthView["lastDay"];
  /** Instead of a sentence about the attempts of a day. */
  readonly words?: string;
}

export function Sparkline({ hours, words = sparklineWords(hours) }: SparklineProps) {
  const most = Math.max(1, ...hours.map(({ succeeded, failed }) => succeeded + failed));
  const width = hours.length * (BAR + GAP) - GAP;
  return (
    <svg role="img" aria-label={words} width={width} height={HEIGHT} className="shrink-0">
      {hours.map((hour, index) => (
        <Bar key={index} x={index * (BAR + GAP)} hour={hour} most={most} />
      ))}
    </svg>
  );
}

interface BarProps {
  readonly x: number;
  readonly hour: DestinationHealthView["lastDay"][number];
  readonly most: number;
}

function Bar({ x, hour: { succeeded, failed }, most }: BarProps) {
  const all = succeeded + failed;
  if (all === 0) return <rect x={x} y={HEIGHT - STUB} width={BAR} height={STUB} className="fill-line" />;
  const height = Math.max(BAR_MIN, (all / most) * HEIGHT);
  const bad = failed === 0 ? 0 : Math.max(2, (failed / all) * height);
  return (
    <>
      <rect x={x} y={HEIGHT - height} width={BAR} height={bad} className="fill-bad-mark" />
      <rect x={x} y={HEIGHT - height + bad} width={BAR} height={height - bad} className="fill-ok-mark" />
    </>
  );
}

function sparklineWords(hours: DestinationHealthView["lastDay"]): string {
  const succeeded = hours.reduce((sum, hour) => sum + hour.succeeded, 0);
  const all = hours.reduce((sum, hour) => sum + hour.succeeded + hour.failed, 0);
  if (all === 0) return "No attempts in the last 24 hours";
  // Counted, because the share of attempts is another one than the success rate beside it.
  return `Last 24 hours: ${count(all, "attempt")}, ${number(succeeded)} succeeded`;
}
