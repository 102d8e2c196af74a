/** Overview: how deliveries are doing, what needs attention, and for an empty account the first steps. */
import { Suspense, useState } from "react";
import { useSearchParams } from "wouter";
import type { StatisticsRange } from "../../src/dashboard/contract/statistics.ts";
import { Attention } from "../parts/overview/attention.tsx";
import { chooseRange } from "../parts/overview/choose-range.ts";
import { Figures } from "../parts/overview/figures.tsx";
import { RangeSwitch, parseRange } from "../parts/overview/range-switch.tsx";
import { useAnswer } from "../query.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { onDemand } from "../later.ts";

/** In a chunk of its own: an account needs it once. */
const FirstSteps = onDemand(() => import("../parts/overview/first-steps.tsx"), "FirstSteps");

export function OverviewPage() {
  const [search, setSearch] = useSearchParams();
  const destinations = useAnswer("GET /destinations");
  const isEmpty = destinations.data?.destinations.every(({ health }) => health.word === "no_deliveries") ?? false;
  // Chosen once, and not before there are charts: they do not jump to another range while somebody looks at them.
  const [byData, setByData] = useState<StatisticsRange | null>(null);
  if (byData === null && destinations.data !== undefined && !isEmpty) {
    setByData(chooseRange(destinations.data.destinations));
  }
  const range = parseRange(search.get("range")) ?? byData;
  const choose = (chosen: StatisticsRange): void => setSearch({ range: chosen }, { replace: true });
  return (
    <Page
      title="Overview"
      actions={isEmpty || range === null ? undefined : <RangeSwitch range={range} onChoose={choose} />}
    >
      <Loaded what="your destinations" query={destinations}>
        {(list) => (
          <>
            {isEmpty && (
              <Suspense fallback={<Skeleton className="h-72" />}>
                <FirstSteps destinations={list.destinations} />
              </Suspense>
            )}
            {isEmpty || range === null ? (
              <Attention destinations={list.destinations} />
            ) : (
              <Figures range={range} destinations={list.destinations}>
                <Attention destinations={list.destinations} />
              </Figures>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
