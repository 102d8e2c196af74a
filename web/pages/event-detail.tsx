/** /audience/events/:type/:id: one event of a type that has no room of its own, beside its webhooks. */
import { useParams } from "wouter";
import { eventLabel, titleOf } from "../parts/event-words.ts";
import { EventRecord } from "../parts/record/event-record.tsx";
import { useAnswer } from "../query.ts";
import { LoadedCards } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Instant } from "../ui/relative-time.tsx";
import { minute } from "../words.ts";

export function EventDetailPage() {
  const { type, id } = useParams<{ type: string; id: string }>();
  const query = useAnswer("GET /events/:type/:id", { params: { type, id } });
  const { data } = query;
  return (
    <Page
      title={data === undefined ? "Event" : titleOf(data)}
      section="Events"
      back={{ href: "/audience/events", label: "Events" }}
      description={
        data && (
          <span className="[overflow-wrap:anywhere]">
            {eventLabel(type)}
            {"\u00a0· "}
            <Instant atMs={data.acceptedAtMs}>{minute(data.acceptedAtMs)}</Instant>
          </span>
        )
      }
    >
      <LoadedCards what="this event" query={query}>
        {(detail) => <EventRecord detail={detail} />}
      </LoadedCards>
    </Page>
  );
}
