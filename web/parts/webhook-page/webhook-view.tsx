/**
 * How one webhook does: what it is, its figures over time, what failed last, its events by type, what it would do with
 * an event, its incidents, and who changed it. The form is one press away.
 */
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { isPulled } from "../../../src/domain/pull.ts";
import { useAnswer, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { HealthBanner, SendTest } from "../health/health-banner.tsx";
import { OrderBanner } from "../health/lazy-order-banner.tsx";
import { StateButton } from "../health/state-button.tsx";
import { Incidents } from "../incidents/lazy-incidents.tsx";
import { chooseRange } from "../overview/choose-range.ts";
import { Figures } from "../overview/figures.tsx";
import { parseRange, RangeSwitch } from "../overview/range-switch.tsx";
import { useRefetchEvery } from "../overview/use-refetch-every.ts";
import { DecisionsCard } from "./decisions-card.tsx";
import { ActsCard, FailuresCard, TypesCard } from "./report-cards.tsx";
import { SettingsCard, type ShownFact } from "./settings-card.tsx";

interface Props {
  readonly destination: DestinationView;
  readonly facts: readonly ShownFact[];
  readonly changed: { readonly by: string; readonly atMs: number } | null;
}

/** As the charts. */
const REPORT_MS = 30_000;

export function WebhookView({ destination, facts, changed }: Props) {
  const { id } = destination;
  const [search, setSearch] = useSearchParams();
  const [byData] = useState(() => chooseRange([destination]));
  const range = parseRange(search.get("range")) ?? byData;
  const report = useAnswer("GET /destinations/:id/report", { params: { id }, query: { range } });
  useRefetchEvery(report.refetch, REPORT_MS);
  return (
    <div className="space-y-5">
      <HealthBanner destination={destination} />
      <OrderBanner destination={destination} />
      <div className="flex flex-wrap items-center gap-2">
        <Buttons destination={destination} />
        <div className="ml-auto">
          <RangeSwitch
            range={range}
            onChoose={(chosen) =>
              setSearch((before) => ({ ...Object.fromEntries(before), range: chosen }), { replace: true })
            }
          />
        </div>
      </div>
      <Figures range={range} destinations={[destination]} destinationId={id}>
        <div className="grid grid-cols-1 gap-5 xl:grid-cols-2">
          <SettingsCard destination={destination} facts={facts} changed={changed} />
          <Loaded what="what failed" query={report}>
            {({ failures }) => <FailuresCard destination={destination} failures={failures} />}
          </Loaded>
        </div>
      </Figures>
      {report.data !== undefined && <TypesCard report={report.data} destinationId={id} />}
      <DecisionsCard destination={destination} />
      <Incidents destinationId={id} />
      {report.data !== undefined && <ActsCard report={report.data} name={destination.owner.name} />}
    </div>
  );
}

/** What can be done with it at once. While it is in trouble the banner above has them. */
function Buttons({ destination }: Pick<Props, "destination">) {
  const { id, state, health } = destination;
  const [result, setResult] = useState<TestAnswer | null>(null);
  const disabledReason = useOwnersOnly("test, pause or turn on a webhook");
  const isWell = health.word === "healthy" || health.word === "no_deliveries";
  return (
    <>
      <LinkButton size="sm" href={`/deliveries?destination=${id}`}>
        View deliveries
      </LinkButton>
      {isWell && state === "on" && (
        <>
          {!isPulled(destination) && <SendTest id={id} onTested={setResult} disabledReason={disabledReason} />}
          <StateButton destination={destination} disabledReason={disabledReason} />
        </>
      )}
      <div role="status" className="basis-full empty:hidden">
        {result !== null && (
          <Banner tone={result.outcome.class === "success" ? "ok" : "bad"} title={`Test: ${result.outcome.status}`}>
            {result.outcome.sentence} {result.outcome.advice}
          </Banner>
        )}
      </div>
    </>
  );
}
