/** Chat assistants with where each one's conversations are sent. */
import { Bot } from "lucide-react";
import type { AssistantSummary } from "../../src/dashboard/contract/alerts.ts";
import { Tags } from "../parts/webhook/tags.tsx";
import { NarrowedList } from "../parts/owner/narrowed-list.tsx";
import { destinationColumns } from "../parts/webhook/destination.tsx";
import { useAnswer } from "../query.ts";
import { Card } from "../ui/card.tsx";
import type { Column } from "../ui/data-table.tsx";
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
                An assistant appears here with its first conversation, or when your product registers it. Then you can
                set the Webhook URL that its conversations are sent to.
              </EmptyState>
            ) : (
              <NarrowedList
                what="assistants"
                columns={COLUMNS}
                rows={assistants}
                toKey={({ id }) => id}
                toOwner={({ id, destination }) => (destination === null ? null : { kind: "assistant", id })}
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

const COLUMNS: readonly Column<AssistantSummary>[] = [
  {
    id: "name",
    header: "Assistant",
    isMain: true,
    className: "[overflow-wrap:anywhere]",
    cell: ({ name, destination }) => (
      <>
        {name}
        <Tags tags={destination?.tags} />
      </>
    ),
  },
  ...destinationColumns<AssistantSummary>({
    idleWord: ({ destination }) => (destination === null ? "No webhook" : null),
    className: "as-table:w-3/10 as-table:max-w-0",
  }),
];
