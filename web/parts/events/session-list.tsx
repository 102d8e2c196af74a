/** Sessions as they were accepted, newest first, with what became of their deliveries. */
import { Users } from "lucide-react";
import { useSearchParams } from "wouter";
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswer } from "../../query.ts";
import { useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { MatchLine, Matches } from "../search/match-line.tsx";
import { NothingFound, SearchNotes } from "../search/search-notes.tsx";
import { DeliveryCounts } from "./delivery-counts.tsx";
import { useFreshSessions } from "./use-fresh-sessions.ts";

export function SessionList() {
  const [search] = useSearchParams();
  const { hasPlayground } = useSession();
  const cursor = search.get("cursor");
  const q = search.get("q");
  const page = { ...(cursor === null ? {} : { cursor }), ...(q === null ? {} : { q }) };
  const query = useAnswer("GET /sessions", { query: page });
  useFreshSessions();
  return (
    <Loaded what="sessions" query={query}>
      {({ events, nextCursor, search: found }) =>
        events.length === 0 && found !== null ? (
          <>
            <SearchNotes search={found} />
            <NothingFound search={found} what="sessions">
              No session has all of these words, and none has this id.
            </NothingFound>
            <Pager label="sessions" nextCursor={nextCursor} />
          </>
        ) : events.length === 0 ? (
          <EmptyState
            icon={Users}
            title={cursor === null ? "No sessions yet" : "There is nothing older"}
            action={hasPlayground && <LinkButton href="/playground">Send one by hand</LinkButton>}
          >
            Sessions appear here as soon as your product sends them.
          </EmptyState>
        ) : (
          <Matches value={found?.matches ?? {}}>
            <SearchNotes search={found} />
            <DataTable
              caption="Sessions, newest first"
              columns={COLUMNS}
              rows={events}
              toKey={({ eventId }) => eventId}
              toHref={({ sourceId }) => `/audience/sessions/${encodeURIComponent(sourceId)}`}
              isBusy={query.isPlaceholderData}
            />
            <Pager label="sessions" nextCursor={nextCursor} />
          </Matches>
        )
      }
    </Loaded>
  );
}

const COLUMNS: readonly Column<EventRow>[] = [
  {
    id: "title",
    header: "Demo",
    isMain: true,
    className: "sm:w-2/5",
    cell: (row) => (
      <>
        <span className="line-clamp-2 [overflow-wrap:anywhere]">{eventTitle(row)}</span>
        <MatchLine id={row.eventId} />
      </>
    ),
  },
  {
    id: "visitor",
    header: "Visitor",
    className: "sm:max-w-56",
    cell: ({ about: { who } }) =>
      who === null ? <Unknown /> : <span className="block truncate max-sm:whitespace-normal">{who}</span>,
  },
  {
    id: "intent",
    header: "Intent",
    cell: ({ intentLevel }) => (intentLevel === "" ? <Unknown /> : <Badge>{intentLevel}</Badge>),
  },
  { id: "deliveries", header: "Deliveries", cell: ({ deliveries }) => <DeliveryCounts counts={deliveries} /> },
  {
    id: "time",
    header: "Accepted",
    align: "end",
    cell: ({ acceptedAtMs }) => <RelativeTime atMs={acceptedAtMs} />,
  },
];

/** Its name, or its id once the payload is gone. */
export const eventTitle = ({ about, sourceId }: Pick<EventRow, "about" | "sourceId">): string => about.what ?? sourceId;

function Unknown() {
  return <span className="text-ink-faint">Unknown</span>;
}
