/** Overview: how deliveries are doing, what needs attention, and for an empty account the first steps. */
import { Suspense, useState } from "react";
import { useSearchParams } from "wouter";
import type { StatisticsRange } from "../../src/dashboard/contract/statistics.ts";
import { chooseRange } from "../parts/overview/choose-range.ts";
import { RangeSwitch, parseRange } from "../parts/overview/range-switch.tsx";
import { useAnswer } from "../query.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { onDemand } from "../later.ts";

/** In chunks of their own: the first load stays within its budget, and an account needs one of the last two. */
const Attention = onDemand(() => import("../parts/overview/attention.tsx"), "Attention");
const Figures = onDemand(() => import("../parts/overview/figures.tsx"), "Figures");
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
            {/* One boundary: a table that came after the charts would move them from under a pointer. */}
            <Suspense fallback={<Skeleton className="h-96" />}>
              {isEmpty || range === null ? (
                <Attention destinations={list.destinations} />
              ) : (
                <Figures range={range} destinations={list.destinations}>
                  <Attention destinations={list.destinations} />
                </Figures>
              )}
            </Suspense>
          </>
        )}
      </Loaded>
    </Page>
  );
}
