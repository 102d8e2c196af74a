/** The key figures and the charts of a stretch of time, asked again while somebody looks at them. */
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import type { StatisticsRange } from "../../../src/dashboard/contract/statistics.ts";
import { useAnswer } from "../../query.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Charts } from "./charts.tsx";
import { KeyFigures } from "./key-figures.tsx";
import { sumOverdue } from "./success.ts";
import { useRefetchEvery } from "./use-refetch-every.ts";

/** The charts count by the minute, and the live stream has no figures. */
const FIGURES_MS = 30_000;

interface Props {
  readonly range: StatisticsRange;
  readonly destinations: readonly DestinationView[];
}

export function Figures({ range, destinations }: Props) {
  const statistics = useAnswer("GET /statistics", { query: { range } });
  useRefetchEvery(statistics.refetch, FIGURES_MS);
  return (
    <Loaded what="the figures" query={statistics}>
      {(answer) => (
        <>
          <KeyFigures answer={answer} overdue={sumOverdue(destinations)} />
          <Charts answer={answer} />
        </>
      )}
    </Loaded>
  );
}
