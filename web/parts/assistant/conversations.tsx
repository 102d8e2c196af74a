/** A chat assistant's conversations as they were accepted, each with how far its webhook has come. */
import { MessagesSquare } from "lucide-react";
import { useSearchParams } from "wouter";
import { useAnswer } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/loaded.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { SearchBox } from "../events/event-filters.tsx";
import { useEventColumns } from "../events/event-columns.tsx";
import { EventRows, parseListQuery, useFreshEvents } from "../events/event-list.tsx";

export function Conversations({ assistantId }: { readonly assistantId: string }) {
  const [search] = useSearchParams();
  const isFirst = !search.has("cursor");
  const query = useAnswer("GET /assistants/:id/conversations", {
    params: { id: assistantId },
    query: parseListQuery(search),
  });
  const columns = useEventColumns("visitor");
  useFreshEvents("GET /assistants/:id/conversations");
  return (
    <Card isFlush>
      <SearchBox label="Search conversations" />
      <EventRows
        query={query}
        what={["conversations", "conversation of this assistant"]}
        columns={columns}
        toHref={({ sourceId }) => `/assistants/${encodeURIComponent(assistantId)}/conversations/${sourceId}`}
        empty={
          <EmptyState
            icon={MessagesSquare}
            title={isFirst ? "No conversations yet" : "No older conversations"}
            action={
              isFirst && (
                <LinkButton href={`/assistants/${encodeURIComponent(assistantId)}/integrations`}>
                  Set up the webhook
                </LinkButton>
              )
            }
          >
            A conversation appears here once it is complete and its processing has finished.
          </EmptyState>
        }
      />
    </Card>
  );
}
