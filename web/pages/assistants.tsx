/** Chat assistants with where each one's conversations are sent. */
import { Bot } from "lucide-react";
import type { AssistantSummary } from "../../src/dashboard/contract/alerts.ts";
import { DestinationStatus, DestinationUrl } from "../parts/webhook/destination.tsx";
import { Sparkline } from "../parts/health/health-label.tsx";
import { useAnswer } from "../query.ts";
import { Card } from "../ui/card.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState, Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

export function AssistantsPage() {
  const query = useAnswer("GET /assistants");
  return (
    <Page title="Assistants" description="Each assistant can send its conversations to your server.">
      <Card isFlush>
        <Loaded what="the chat assistants" query={query}>
          {({ assistants }) =>
            assistants.length === 0 ? (
              <EmptyState icon={Bot} title="No chat assistants yet">
                An assistant appears here with its first conversation, or when the product announces it. Then you can
                set the Webhook URL that its conversations are sent to.
              </EmptyState>
            ) : (
              <DataTable
                caption="Chat assistants"
                columns={COLUMNS}
                rows={assistants}
                toKey={({ id }) => id}
                toHref={({ id, destination }) =>
                  `/assistants/${encodeURIComponent(id)}${destination === null ? "/integrations" : ""}`
                }
              />
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

const NONE = <span className="text-ink-faint">–</span>;

const COLUMNS: readonly Column<AssistantSummary>[] = [
  { id: "name", header: "Assistant", isMain: true, cell: ({ name }) => name },
  {
    id: "destination",
    header: "Destination",
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
    cell: ({ destination }) => (
      <DestinationStatus destination={destination} none={destination === null ? "No webhook" : null} />
    ),
  },
];
