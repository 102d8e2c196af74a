/** Destinations with their health, those that need somebody first; each banner has the buttons that help. */
import { Suspense, lazy } from "react";
import type { DestinationView, HealthWord } from "../../../src/dashboard/contract/destinations.ts";
import { ownerPage } from "../../../src/domain/event.ts";
import { useSession } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { HealthLabel, Sparkline } from "../health/health-label.tsx";
import { parseHost, waitingWords } from "../health/health-words.ts";
import { successInWords } from "./success.ts";

/** Fetched only when there is something to say. */
const HealthBanner = lazy(async () => ({ default: (await import("../health/health-banner.tsx")).HealthBanner }));

/** The worst first. */
const ORDER: readonly HealthWord[] = ["off", "failing", "paused", "unsteady", "healthy", "no_deliveries"];
const BANNERS_MAX = 3;

export function Attention({ destinations }: { readonly destinations: readonly DestinationView[] }) {
  const { hasWebhooks } = useSession();
  const sorted = destinations
    .filter(({ owner }) => !owner.isDeleted)
    .toSorted((a, b) => ORDER.indexOf(a.health.word) - ORDER.indexOf(b.health.word));
  const urgent = sorted.filter(({ health }) => health.word === "off" || health.word === "failing");
  if (sorted.length === 0) return null;
  return (
    <>
      <Suspense>
        {urgent.slice(0, BANNERS_MAX).map((destination) => (
          <HealthBanner key={destination.id} destination={destination} />
        ))}
      </Suspense>
      <Card title="Destinations" isFlush>
        <DataTable
          caption="Destinations, those that need attention first"
          columns={columns(hasWebhooks)}
          rows={sorted}
          toKey={({ id }) => id}
          toHref={({ owner }) => ownerPage(owner)}
        />
      </Card>
    </>
  );
}

const columns = (hasWebhooks: boolean): readonly Column<DestinationView>[] => [
  {
    id: "name",
    header: hasWebhooks ? "Alert, assistant or webhook" : "Alert or assistant",
    isMain: true,
    className: "as-table:w-3/10",
    cell: ({ owner, url }) => (
      // A table takes the width of what may not wrap: a long name would push the figures off its edge.
      <>
        <span className="block [overflow-wrap:anywhere]">{owner.name}</span>
        <span className="block text-sm font-normal text-ink-soft [overflow-wrap:anywhere]">{parseHost(url)}</span>
      </>
    ),
  },
  { id: "health", header: "Health", cell: ({ health }) => <HealthLabel health={health} /> },
  { id: "day", header: "Last 24 hours", cell: ({ health }) => <Sparkline hours={health.lastDay} /> },
  {
    id: "success",
    header: "Success",
    align: "end",
    cell: ({ health }) => successInWords(health),
  },
  { id: "waiting", header: "Waiting", align: "end", cell: ({ health }) => waitingWords(health) },
];
