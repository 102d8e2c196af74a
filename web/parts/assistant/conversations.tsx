/** A chat assistant's conversations as they were accepted, each with how far its webhook has come. */
import { MessagesSquare } from "lucide-react";
import { useSearchParams } from "wouter";
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswer } from "../../query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { MatchLine, Matches } from "../search/match-line.tsx";
import { SearchBox } from "../search/search-box.tsx";
import { NothingFound, SearchNotes } from "../search/search-notes.tsx";
import { DeliveryCounts } from "../events/delivery-counts.tsx";
import { useFreshSessions } from "../events/use-fresh-sessions.ts";

export function Conversations({ assistantId }: { readonly assistantId: string }) {
  const [search] = useSearchParams();
  const cursor = search.get("cursor") ?? undefined;
  const q = search.get("q");
  const query = useAnswer("GET /assistants/:id/conversations", {
    params: { id: assistantId },
    query: { ...(cursor === undefined ? {} : { cursor }), ...(q === null ? {} : { q }) },
  });
  useFreshSessions("GET /assistants/:id/conversations");
  return (
    <Card isFlush>
      <SearchBox label="Search conversations" />
      <Loaded what="the conversations" query={query}>
        {({ events, nextCursor, search: found }) =>
          events.length === 0 && found !== null ? (
            <>
              <SearchNotes search={found} />
              <NothingFound search={found} what="conversations">
                No conversation of this assistant has all of these words, and none has this id.
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
            <Matches value={found?.matches ?? {}}>
              <SearchNotes search={found} />
              <DataTable
                caption="Conversations, newest first"
                columns={COLUMNS}
                rows={events}
                toKey={({ eventId }) => eventId}
                toHref={({ sourceId }) => `/assistants/${encodeURIComponent(assistantId)}/conversations/${sourceId}`}
                isBusy={query.isPlaceholderData}
              />
              <Pager label="conversations" nextCursor={nextCursor} />
            </Matches>
          )
        }
      </Loaded>
    </Card>
  );
}

const COLUMNS: readonly Column<EventRow>[] = [
  {
    id: "title",
    header: "Conversation",
    isMain: true,
    className: "sm:max-w-96",
    cell: ({ about, isPurged, eventId }) => (
      <>
        <span className="block [overflow-wrap:anywhere] sm:truncate">{about.what ?? untitled(isPurged)}</span>
        <MatchLine id={eventId} />
      </>
    ),
  },
  {
    id: "visitor",
    header: "Visitor",
    cell: ({ about }) => <span className="[overflow-wrap:anywhere]">{about.who ?? "Unknown"}</span>,
  },
  {
    id: "intent",
    header: "Intent",
    cell: ({ intentLevel }) => (intentLevel === "" ? "–" : <Badge>{intentLevel}</Badge>),
  },
  { id: "deliveries", header: "Deliveries", cell: ({ deliveries }) => <DeliveryCounts counts={deliveries} /> },
  { id: "time", header: "Time", align: "end", cell: ({ acceptedAtMs }) => <RelativeTime atMs={acceptedAtMs} /> },
];

const untitled = (isPurged: boolean): string => (isPurged ? "Deleted after its retention time" : "No summary");
