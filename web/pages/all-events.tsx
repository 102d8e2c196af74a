/** Audience → Events: events of every type that were accepted, with what became of their deliveries. */
import { Zap } from "lucide-react";
import { useSearchParams } from "wouter";
import { EventTypeFilter } from "../parts/deliveries/filter-choices.tsx";
import { sourceHref } from "../parts/event-words.ts";
import { useEventColumns } from "../parts/events/event-columns.tsx";
import { EventRows, parseListQuery, useFreshEvents } from "../parts/events/event-list.tsx";
import { RefusedBanner } from "../parts/events/refused-records.tsx";
import { SearchBox } from "../parts/events/event-filters.tsx";
import { useAnswer } from "../query.ts";
import { LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

export function AllEventsPage() {
  const [search, setSearch] = useSearchParams();
  const choose = (type: string | null): void => {
    const next = new URLSearchParams(search);
    next.delete("cursor");
    next.delete("type");
    if (type !== null) next.set("type", type);
    setSearch(next);
  };
  return (
    <Page
      title="Events"
      section="Audience"
      description="Events of every type as they were accepted, and what became of their webhooks."
    >
      <RefusedBanner />
      <Card isFlush>
        <SearchBox label="Search events">
          <EventTypeFilter chosen={search.get("type")} onChange={choose} />
        </SearchBox>
        <AllEvents type={search.get("type")} />
      </Card>
    </Page>
  );
}

function AllEvents({ type }: { readonly type: string | null }) {
  const [search] = useSearchParams();
  const ofType = type === null ? {} : { type };
  const query = useAnswer("GET /events", { query: { ...parseListQuery(search), ...ofType } });
  const columns = useEventColumns("event");
  useFreshEvents("GET /events");
  return (
    <EventRows
      query={query}
      what={["events", "event"]}
      columns={columns}
      toHref={(row) => sourceHref(row.type, row.sourceId, row.assistantId ?? undefined)}
      empty={
        <EmptyState
          icon={Zap}
          title={search.has("cursor") ? "There is nothing older" : "No events yet"}
          action={<LinkButton href="/events">See the event catalog</LinkButton>}
        >
          Events appear here as soon as your product sends them.
        </EmptyState>
      }
    />
  );
}
