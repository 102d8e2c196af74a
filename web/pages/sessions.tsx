/** Audience → Sessions: every demo session that was accepted, with what became of its deliveries. */
import { RefusedBanner } from "../parts/events/refused-records.tsx";
import { SearchBox } from "../parts/events/event-filters.tsx";
import { SessionList } from "../parts/events/session-list.tsx";
import { Card } from "../ui/card.tsx";
import { Page } from "../ui/page.tsx";

export function SessionsPage() {
  return (
    <Page
      title="Sessions"
      section="Audience"
      description="Demo sessions as they were accepted, and what became of their webhooks."
    >
      <RefusedBanner />
      <Card isFlush>
        <SearchBox label="Search sessions" />
        <SessionList />
      </Card>
    </Page>
  );
}
