/** The four figures that answer "is it all right?", each beside the period before, each with what it means. */
import type { StatisticsAnswer, StatisticsTotals } from "../../../src/dashboard/contract/statistics.ts";
import { duration, number } from "../../words.ts";
import { percent } from "../health/health-words.ts";

interface Figure {
  readonly label: string;
  readonly help: string;
  readonly show: (totals: StatisticsTotals) => string | null;
}

const FIGURES: readonly Figure[] = [
  {
    label: "Success rate",
    help: "Delivered, of the deliveries that have ended. Shown from 20 of them on.",
    show: ({ successRate }) => (successRate === null ? null : percent(successRate)),
  },
  {
    label: "Delivered",
    help: "Deliveries that your endpoints accepted with a 2xx.",
    show: ({ delivered }) => number(delivered),
  },
  {
    label: "Failed for good",
    help: "Deliveries with no attempt left. They can be sent again.",
    show: ({ failed }) => number(failed),
  },
  {
    label: "Response time, 95 %",
    help: "95 of 100 answers came within this time. Attempts without an answer are not in it.",
    show: ({ responseMs }) => (responseMs === null ? null : duration(responseMs.p95)),
  },
];

export function KeyFigures({ answer: { totals, before } }: { readonly answer: StatisticsAnswer }) {
  return (
    <dl className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-4">
      {FIGURES.map(({ label, help, show }) => {
        const earlier = before === null ? null : show(before);
        return (
          <div key={label} className="flex flex-col rounded-xl border border-line bg-surface px-5 py-4 shadow-card">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{show(totals) ?? "–"}</dd>
            <dd className="mt-0.5 text-sm text-ink-soft">
              {earlier === null ? "No figure for the period before" : `${earlier} in the period before`}
            </dd>
            <dd className="mt-2 text-xs text-ink-faint">{help}</dd>
          </div>
        );
      })}
    </dl>
  );
}
