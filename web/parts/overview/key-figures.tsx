/** The four figures that answer "is it all right?", each beside the period before; what each means is its tooltip. */
import type { StatisticsAnswer, StatisticsTotals } from "../../../src/dashboard/contract/statistics.ts";
import { Tooltip } from "../../ui/tooltip.tsx";
import { duration, number } from "../../words.ts";
import { computeSuccess, type Overdue, shareInWords } from "./success.ts";

interface Figure {
  readonly label: string;
  readonly help: string;
  readonly show: (totals: StatisticsTotals, overdue: Overdue) => string | null;
}

const FIGURES: readonly Figure[] = [
  {
    label: "Success rate",
    help:
      "Delivered, of those and of all that failed for good or is overdue: what waits while its endpoint fails or is " +
      "off. Shown from 20 deliveries on.",
    show: (totals, overdue) => shareInWords(computeSuccess(totals, overdue), overdue.isCapped),
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

/** Nothing of an earlier period is overdue now. */
const NOT_OVERDUE: Overdue = { count: 0, isCapped: false };

interface Props {
  readonly answer: StatisticsAnswer;
  readonly overdue: Overdue;
}

export function KeyFigures({ answer: { totals, before }, overdue }: Props) {
  return (
    <dl className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-4">
      {FIGURES.map((figure) => {
        const { label, help, show } = figure;
        const earlier = before === null ? null : show(before, NOT_OVERDUE);
        const below = figure === FIGURES[0] && overdue.count > 0 ? overdueWords(overdue) : earlierWords(earlier);
        return (
          <div key={label} className="flex flex-col rounded-xl border border-line bg-surface px-5 py-4 shadow-card">
            <dt className="text-ink-soft">
              <Explained label={label} help={help} />
            </dt>
            <dd className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{show(totals, overdue) ?? "–"}</dd>
            {below !== null && <dd className="mt-0.5 text-sm text-ink-soft">{below}</dd>}
          </div>
        );
      })}
    </dl>
  );
}

const earlierWords = (earlier: string | null): string | null =>
  earlier === null ? null : `${earlier} in the period before`;

const overdueWords = ({ count, isCapped }: Overdue): string => `${number(count)}${isCapped ? "+" : ""} overdue`;

function Explained({ label, help }: { readonly label: string; readonly help: string }) {
  return (
    <Tooltip content={help}>
      {(id) => (
        <span
          // The meaning is for keyboards too.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-describedby={id}
          className="rounded-sm underline decoration-dotted decoration-ink-faint underline-offset-4"
        >
          {label}
        </span>
      )}
    </Tooltip>
  );
}
