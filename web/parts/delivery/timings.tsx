/** Where the time of an attempt went: one bar, and each piece in words beside it. */
import clsx from "clsx";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import { responseTime } from "../deliveries/response-words.ts";
import { type TimingSegment, timingSegments } from "./timing-segments.ts";

interface Props {
  readonly outcome: ExplainedOutcome;
}

/** Neither green nor amber: they would judge an attempt by where its time went. Red is time without an answer. */
const COLORS: Readonly<Record<TimingSegment["id"], { readonly fill: string; readonly ground: string }>> = {
  dns: { fill: "fill-info-mark/45", ground: "bg-info-mark/45" },
  connect: { fill: "fill-info-mark", ground: "bg-info-mark" },
  tls: { fill: "fill-accent", ground: "bg-accent" },
  waiting: { fill: "fill-line-strong", ground: "bg-line-strong" },
  reading: { fill: "fill-ink-soft", ground: "bg-ink-soft" },
  other: { fill: "fill-bad-mark", ground: "bg-bad-mark" },
};

const PHASES: Readonly<Record<NonNullable<ExplainedOutcome["phase"]>, string>> = {
  dns: "looking up the name",
  connect: "connecting",
  headers: "waiting for the answer",
  body: "reading the answer",
};

export function Timings({ outcome: { timings, address, phase, response } }: Props) {
  const segments = timingSegments(timings, response !== null);
  return (
    <div className="space-y-2 text-sm text-ink-soft">
      {segments.length > 0 && (
        <svg aria-hidden="true" className="block h-2 w-full overflow-hidden rounded-full bg-hover">
          {segments.map(({ id, start, share }) => (
            <rect key={id} x={percent(start)} width={percent(share)} height="100%" className={COLORS[id].fill} />
          ))}
        </svg>
      )}
      <ul aria-label="Where the time went" className="flex flex-wrap gap-x-4 gap-y-0.5">
        {segments.map(({ id, label, ms }) => (
          <li key={id} className="inline-flex items-baseline gap-1.5">
            <span
              aria-hidden="true"
              className={clsx("size-2 shrink-0 rounded-full forced-colors:border", COLORS[id].ground)}
            />
            {label} <span className="whitespace-nowrap text-ink tabular-nums">{responseTime(ms)}</span>
          </li>
        ))}
        <li>
          Total <span className="text-ink tabular-nums">{responseTime(timings.totalMs)}</span>
        </li>
      </ul>
      <p className="[overflow-wrap:anywhere]">
        {address === null ? "No address was reached." : `Reached at ${address}.`}
        {phase !== null && ` The time ran out while ${PHASES[phase]}.`}
        {address !== null && timings.connectMs === null && " An open connection was used again."}
      </p>
    </div>
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
