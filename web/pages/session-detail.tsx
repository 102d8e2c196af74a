/** /audience/sessions/:id: one session. `analytics_url` in every payload leads here, with the id in either case. */
import { useParams } from "wouter";
import { eventTitle } from "../parts/events/session-list.tsx";
import { RecordHead } from "../parts/record/record-head.tsx";
import { SessionRecord } from "../parts/record/session-record.tsx";
import { useAnswer } from "../query.ts";
import { LoadedCards } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

export function SessionDetailPage() {
  const { id } = useParams<{ id: string }>();
  const query = useAnswer("GET /sessions/:id", { params: { id } });
  const { data } = query;
  return (
    <Page
      title={data === undefined ? "Session" : eventTitle(data)}
      section="Sessions"
      back={{ href: "/audience/sessions", label: "Sessions" }}
      description={data && <RecordHead detail={data} timeField="viewed_at" by="Seen by" />}
    >
      <LoadedCards what="this session" query={query}>
        {(detail) => <SessionRecord detail={detail} />}
      </LoadedCards>
    </Page>
  );
}
