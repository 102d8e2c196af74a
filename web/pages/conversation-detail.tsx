/** /assistants/:id/conversations/:conversationId: one chat conversation beside its webhooks. */
import { useParams } from "wouter";
import { ConversationRecord } from "../parts/record/conversation-record.tsx";
import { RecordHead, titleOfConversation } from "../parts/record/record-head.tsx";
import { useAnswer } from "../query.ts";
import { LoadedCards } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

export function ConversationDetailPage() {
  const { id, conversationId } = useParams<{ id: string; conversationId: string }>();
  const query = useAnswer("GET /conversations/:id", { params: { id: conversationId } });
  const { data } = query;
  return (
    <Page
      title={data === undefined ? "Conversation" : titleOfConversation(data)}
      section="Assistants"
      back={{ href: `/assistants/${encodeURIComponent(id)}`, label: data?.assistant?.name ?? "Assistant" }}
      description={data && <RecordHead detail={data} timeField="started_at" />}
    >
      <LoadedCards what="this conversation" query={query}>
        {(detail) => <ConversationRecord detail={detail} />}
      </LoadedCards>
    </Page>
  );
}
