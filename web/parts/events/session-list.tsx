/** Sessions as they were accepted, newest first, with what became of their deliveries. */
import { Users } from "lucide-react";
import { useSearchParams } from "wouter";
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswer } from "../../query.ts";
import { useSession } from "../../session.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { NothingFound, SearchNotes } from "../search/search-notes.tsx";
import { useEventColumns } from "./event-columns.tsx";
import { Found, parseListQuery } from "./found.tsx";
import { noMatch } from "./no-match.ts";
import { useFreshSessions } from "./use-fresh-sessions.ts";

export function SessionList() {
  const [search] = useSearchParams();
  const { hasPlayground } = useSession();
  const cursor = search.get("cursor");
  const query = useAnswer("GET /sessions", { query: parseListQuery(search) });
  const columns = useEventColumns();
  useFreshSessions();
  return (
    <Loaded what="sessions" query={query}>
      {({ events, nextCursor, search: found, notSent }) =>
        events.length === 0 && found !== null ? (
          <>
            <SearchNotes search={found} />
            <NothingFound search={found} what="sessions">
              {noMatch(search, "session", found.searchedBackToMs !== null)}
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
          <Found search={found} notSent={notSent}>
            <DataTable
              caption="Sessions, newest first"
              columns={columns}
              rows={events}
              toKey={({ eventId }) => eventId}
              toHref={({ sourceId }) => `/audience/sessions/${encodeURIComponent(sourceId)}`}
              isBusy={query.isPlaceholderData}
              isAlwaysTable
            />
            <Pager label="sessions" nextCursor={nextCursor} />
          </Found>
        )
      }
    </Loaded>
  );
}

/** Its name, or its id once the payload is gone. */
export const eventTitle = ({ about, sourceId }: Pick<EventRow, "about" | "sourceId">): string => about.what ?? sourceId;
