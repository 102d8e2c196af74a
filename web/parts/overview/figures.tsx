/** The overview's numbers and charts. */
import type { ReactNode } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import type {
  StatisticsAnswer,
  StatisticsRange,
  StatisticsTotals,
} from "../../../src/dashboard/contract/statistics.ts";
import { computeSuccess, FINISHED_MIN } from "../../../src/domain/success.ts";
import { useAnswer } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import { duration, number, timeZone } from "../../words.ts";
import { Chart } from "../charts/chart.tsx";
import { CodeBars } from "../charts/code-bars.tsx";
import { answersChart, attemptsChart, deliverChart, responseChart, trimYoung } from "../charts/series.ts";
import { type Overdue, shareInWords, sumOverdue } from "./success.ts";
import { useRefetchEvery } from "./use-refetch-every.ts";

/** The charts count by the minute, and the live stream has no figures. */
const FIGURES_MS = 30_000;

interface Props {
  readonly range: StatisticsRange;
  readonly destinations: readonly DestinationView[];
  /** Of this one alone, which is then all of `destinations`. */
  readonly destinationId?: string;
  /** Between the figures and the charts. */
  readonly children: ReactNode;
}

export function Figures({ range, destinations, destinationId, children }: Props) {
  const which = destinationId === undefined ? {} : { destination: destinationId };
  const statistics = useAnswer("GET /statistics", { query: { range, ...which } });
  useRefetchEvery(statistics.refetch, FIGURES_MS);
  return (
    <>
      <Loaded what="the figures" query={statistics} skeleton={<Skeleton className="h-28" />}>
        {(answer) => <KeyFigures answer={answer} overdue={sumOverdue(destinations)} />}
      </Loaded>
      {children}
      {statistics.data !== undefined && <Charts answer={trimYoung(statistics.data)} destinationId={destinationId} />}
    </>
  );
}

/* The four figures that answer "is it all right?", each beside the period before; what each means is its tooltip. */

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
    show: (totals, overdue) => shareInWords(successOf(totals, overdue), overdue.isCapped),
  },
  {
    label: "Delivered",
    help: "Deliveries that your endpoints accepted with a 2xx, or your program acknowledged.",
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

function successOf({ delivered, failed }: StatisticsTotals, { count }: Overdue): number | null {
  return computeSuccess({ delivered, failed, overdue: count });
}

/** Nothing of an earlier period is overdue now. */
const NOT_OVERDUE: Overdue = { count: 0, isCapped: false };

interface KeyFiguresProps {
  readonly answer: StatisticsAnswer;
  readonly overdue: Overdue;
}

function KeyFigures({ answer: { totals, before }, overdue }: KeyFiguresProps) {
  return (
    <dl className="grid grid-cols-2 gap-3 xl:grid-cols-4">
      {FIGURES.map((figure) => {
        const { label, help, show } = figure;
        const earlier = before === null ? null : show(before, NOT_OVERDUE);
        const below = figure === FIGURES[0] ? successNote(totals, overdue, earlier) : earlierWords(earlier);
        return (
          <div
            key={label}
            className="flex flex-col rounded-xl border border-line bg-surface px-5 py-4 shadow-card max-sm:px-4"
          >
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

/** What explains the share, or why there is none yet. */
function successNote(totals: StatisticsTotals, overdue: Overdue, earlier: string | null): string | null {
  if (overdue.count > 0) return overdueWords(overdue);
  const isMissing = totals.attempts > 0 && successOf(totals, overdue) === null;
  return isMissing ? `Shown from ${FINISHED_MIN} deliveries on` : earlierWords(earlier);
}

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

/* The overview's four charts. */

interface ChartsProps {
  readonly answer: StatisticsAnswer;
  readonly destinationId: string | undefined;
}

function Charts({ answer, destinationId }: ChartsProps) {
  return (
    <>
      <div className="grid grid-cols-1 gap-5 xl:grid-cols-2">
        <Card>
          <Chart title="Attempts" {...attemptsChart(answer)} />
        </Card>
        <Card>
          <Chart title="Response time" {...responseChart(answer)} />
        </Card>
        <Card>
          <Chart title="Time to deliver" {...deliverChart(answer)} />
        </Card>
        <Card
          title="Answers"
          // A retry of now may be of a delivery from days ago, and the log’s times are those of acceptance.
          description="Every attempt by what came back. Each line leads to deliveries of any time that had it last."
        >
          <CodeBars codes={answer.codes} destinationId={destinationId} />
        </Card>
        {answer.answers !== undefined && (
          <Card className="xl:col-span-2">
            <Chart title="Answers over time" {...answersChart(answer, answer.answers)} />
          </Card>
        )}
      </div>
      <p className="text-xs text-ink-faint">Times are {timeZone()}.</p>
    </>
  );
}
