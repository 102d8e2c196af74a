/** Settings → Alerts: every alert with where it sends and how that goes. */
import { Bell, Plus } from "lucide-react";
import type { AlertSummary } from "../../src/dashboard/contract/alerts.ts";
import { AlertMenu } from "../parts/alert/alert-menu.tsx";
import { byNeed, conditionsInWords, idleWord } from "../parts/alert/alert-state.ts";
import { Sparkline } from "../parts/health/health-label.tsx";
import { DestinationStatus, DestinationUrl } from "../parts/webhook/destination.tsx";
import { useAnswer, useOwnersOnly, useSession } from "../query.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState, Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

const NONE = <span className="text-ink-faint">–</span>;
const NEW = "/settings/alerts/new";

export function AlertsPage() {
  const query = useAnswer("GET /alerts");
  const { alertWebhooksGate } = useSession();
  const hasAlerts = (query.data?.alerts.length ?? 0) > 0;
  return (
    <Page title="Alerts" section="Settings" actions={hasAlerts && <Create label="Create alert" />}>
      <Card isFlush>
        <Loaded what="the alerts" query={query}>
          {({ alerts }) =>
            alerts.length === 0 ? (
              <EmptyState icon={Bell} title="No alerts yet" action={<Create label="Create the first alert" />}>
                An alert sends an HTTP request to your server when somebody has viewed a demo, such as a new lead.
              </EmptyState>
            ) : (
              <DataTable
                caption="Alerts, those that need attention first"
                columns={columns(alertWebhooksGate !== null)}
                rows={alerts.toSorted(byNeed)}
                toKey={({ id }) => id}
                toHref={({ id }) => `/settings/alerts/${id}`}
              />
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function Create({ label }: { readonly label: string }) {
  const ownersOnly = useOwnersOnly("create alerts");
  if (ownersOnly !== undefined) {
    return (
      <Button tone="primary" icon={<Plus />} disabledReason={ownersOnly}>
        {label}
      </Button>
    );
  }
  return (
    <LinkButton href={NEW} tone="primary" icon={<Plus />}>
      {label}
    </LinkButton>
  );
}

function columns(isGated: boolean): readonly Column<AlertSummary>[] {
  return [
    {
      id: "name",
      header: "Alert",
      isMain: true,
      className: "as-table:w-3/10",
      cell: (alert) => (
        <>
          <span className="block [overflow-wrap:anywhere]">{alert.name}</span>
          <span className="block text-sm font-normal text-ink-soft [overflow-wrap:anywhere]">
            {conditionsInWords(alert)}
          </span>
        </>
      ),
    },
    {
      id: "destination",
      header: "Destination",
      // Cuts what is longer, so that the name beside it keeps its place.
      className: "as-table:w-3/10 as-table:max-w-0",
      cell: ({ destination }) => (destination === null ? NONE : <DestinationUrl url={destination.url} />),
    },
    {
      id: "day",
      header: "Last 24 h",
      cell: ({ destination }) => (destination === null ? NONE : <Sparkline hours={destination.health.lastDay} />),
    },
    {
      id: "status",
      header: "Status",
      cell: (alert) => <DestinationStatus destination={alert.destination} none={idleWord(alert, isGated)} />,
    },
    { id: "menu", header: "Actions", align: "end", cell: (alert) => <AlertMenu alert={alert} /> },
  ];
}
