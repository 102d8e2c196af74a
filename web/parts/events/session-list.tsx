/** Sessions as they were accepted, newest first, with what became of their deliveries. */
import { useQueryClient } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useSearchParams } from "wouter";
import type { EventList, EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import type { SearchedPage } from "../../../src/dashboard/contract/routes.ts";
import { useLive } from "../../live.ts";
import { useAnswer, useSession } from "../../query.ts";
import { LinkButton } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState, Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { useIsAtTop } from "../deliveries/use-delivery-list.ts";
import { Matches, NothingFound, SearchNotes } from "../search/search-notes.tsx";
import { Reasons, useEventColumns } from "./event-columns.tsx";
import { noMatch } from "./event-list-words.ts";

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

/* Sessions and conversations as they are filtered: what the address asks for, and the rows found, with why. */

/** A text that somebody wrote there by hand goes on as it is: the service says what it cannot read. */
export function parseListQuery(search: URLSearchParams): SearchedPage {
  const names = ["cursor", "q", "not_sent"] as const;
  return Object.fromEntries(names.flatMap((name) => (search.has(name) ? [[name, search.get(name)]] : [])));
}

interface Props extends Pick<EventList, "search" | "notSent"> {
  /** The rows. */
  readonly children: ReactNode;
}

export function Found({ search, notSent, children }: Props) {
  return (
    <Matches value={search?.matches ?? {}}>
      <Reasons value={notSent ?? {}}>
        <SearchNotes search={search} />
        {children}
      </Reasons>
    </Matches>
  );
}

/*
 * Keeps the list of sessions up to date: counts of its rows always; new rows only while the reader is at the top of the
 * first page, so that nothing moves under somebody who reads further down.
 */

/** A busy account changes many times a second; a list of events need not. A guess. */
const REFRESH_MS = 2_000;

export function useFreshSessions(route: "GET /sessions" | "GET /assistants/:id/conversations" = "GET /sessions"): void {
  const client = useQueryClient();
  const [search] = useSearchParams();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isAtTop = useIsAtTop();
  const refresh = (): void => {
    timer.current = undefined;
    void client.invalidateQueries({ queryKey: [route] });
  };
  useLive("deliveries", ({ changed, isCut }) => {
    const bringsRows = isCut || changed.some(({ isNew }) => isNew);
    // On an older page a cursor holds the rows where they are.
    const isHeld = !isAtTop && !search.has("cursor");
    if (timer.current !== undefined || (bringsRows && isHeld)) return;
    timer.current = setTimeout(refresh, REFRESH_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
