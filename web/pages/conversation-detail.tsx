/** /assistants/:id/conversations/:conversationId: one chat conversation with its deliveries and its payload. */
import { useParams } from "wouter";
import { EventView } from "../parts/events/event-view.tsx";
import { useAnswer } from "../query.ts";
import { Card } from "../ui/card.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

export function ConversationDetailPage() {
  const { id, conversationId } = useParams<{ id: string; conversationId: string }>();
  const query = useAnswer("GET /conversations/:id", { params: { id: conversationId } });
  const { data } = query;
  return (
    <Page
      title="Conversation"
      section="Assistants"
      back={{ href: `/assistants/${encodeURIComponent(id)}`, label: data?.assistant?.name ?? "Assistant" }}
      description={data?.about.what ?? undefined}
    >
      {data === undefined ? (
        <Card isFlush>
          <Loaded what="this conversation" query={query}>
            {() => null}
          </Loaded>
        </Card>
      ) : (
        <Loaded what="this conversation" query={query}>
          {(detail) => <EventView detail={detail} />}
        </Loaded>
      )}
    </Page>
  );
}
