/** A chat assistant's conversations as they were accepted, each with how far its webhook has come. */
import { MessagesSquare } from "lucide-react";
import { useSearchParams } from "wouter";
import { useAnswer } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState, Loaded } from "../../ui/loaded.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Pager } from "../../ui/pager.tsx";
import { SearchBox } from "../search/search-box.tsx";
import { NothingFound, SearchNotes } from "../search/search-notes.tsx";
import { useEventColumns } from "../events/event-columns.tsx";
import { Found, parseListQuery, useFreshSessions } from "../events/session-list.tsx";
import { noMatch } from "../events/event-list-words.ts";

export function Conversations({ assistantId }: { readonly assistantId: string }) {
  const [search] = useSearchParams();
  const cursor = search.get("cursor") ?? undefined;
  const query = useAnswer("GET /assistants/:id/conversations", {
    params: { id: assistantId },
    query: parseListQuery(search),
  });
  const columns = useEventColumns();
  useFreshSessions("GET /assistants/:id/conversations");
  return (
    <Card isFlush>
      <SearchBox label="Search conversations" />
      <Loaded what="the conversations" query={query}>
        {({ events, nextCursor, search: found, notSent }) =>
          events.length === 0 && found !== null ? (
            <>
              <SearchNotes search={found} />
              <NothingFound search={found} what="conversations">
                {noMatch(search, "conversation of this assistant", found.searchedBackToMs !== null)}
              </NothingFound>
              <Pager label="conversations" nextCursor={nextCursor} />
            </>
          ) : events.length === 0 ? (
            <EmptyState
              icon={MessagesSquare}
              title={cursor === undefined ? "No conversations yet" : "No older conversations"}
              action={
                cursor === undefined && (
                  <LinkButton href={`/assistants/${encodeURIComponent(assistantId)}/integrations`}>
                    Set up the webhook
                  </LinkButton>
                )
              }
            >
              A conversation appears here once it is complete and its processing has finished.
            </EmptyState>
          ) : (
            <Found search={found} notSent={notSent}>
              <DataTable
                caption="Conversations, newest first"
                columns={columns}
                rows={events}
                toKey={({ eventId }) => eventId}
                toHref={({ sourceId }) => `/assistants/${encodeURIComponent(assistantId)}/conversations/${sourceId}`}
                isBusy={query.isPlaceholderData}
                isAlwaysTable
              />
              <Pager label="conversations" nextCursor={nextCursor} />
            </Found>
          )
        }
      </Loaded>
    </Card>
  );
}
