/** The overview's four charts. */
import type { StatisticsAnswer } from "../../../src/dashboard/contract/statistics.ts";
import { timeZone } from "../../words.ts";
import { Card } from "../../ui/card.tsx";
import { Chart } from "../charts/chart.tsx";
import { CodeBars } from "../charts/code-bars.tsx";
import { attemptsChart, deliverChart, responseChart } from "../charts/statistics-data.ts";

export function Charts({ answer }: { readonly answer: StatisticsAnswer }) {
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
        <Card title="Answers" description="Every attempt by what came back. Each line leads to its deliveries.">
          <CodeBars codes={answer.codes} />
        </Card>
      </div>
      <p className="text-xs text-ink-faint">Times are {timeZone()}.</p>
    </>
  );
}
