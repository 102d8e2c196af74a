/** Every webhook of the account, whoever it belongs to: how it goes, and what waits for it. */
import { SendHorizontal } from "lucide-react";
import { ownerPage } from "../../src/domain/event.ts";
import { toListed, useDestinationColumns } from "../parts/overview/destination-list.tsx";
import { NarrowedList } from "../parts/owner/narrowed-list.tsx";
import { useAnswer } from "../query.ts";
import { Card } from "../ui/card.tsx";
import { EmptyState, Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

export function DestinationsPage() {
  const query = useAnswer("GET /destinations");
  const columns = useDestinationColumns();
  return (
    <Page title="All webhooks" back={{ href: "/", label: "Overview" }}>
      <Card isFlush>
        <Loaded what="your webhooks" query={query}>
          {({ destinations }) =>
            destinations.length === 0 ? (
              <EmptyState icon={SendHorizontal} title="No webhooks yet">
                All that sends somewhere is listed here.
              </EmptyState>
            ) : (
              <NarrowedList
                what="webhooks"
                rows={toListed(destinations)}
                columns={columns}
                toKey={({ id }) => id}
                toHref={({ owner }) => ownerPage(owner)}
                toOwner={({ owner: { kind, id } }) => ({ kind, id })}
              />
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}
