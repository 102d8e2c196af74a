/** The meaning of each colour and stroke of a chart, in words. */
import { type ChartData, FILLS, STROKES, type Series } from "./series.ts";

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

export function Swatch({ series, kind }: { readonly series: Series; readonly kind: ChartData["kind"] }) {
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
