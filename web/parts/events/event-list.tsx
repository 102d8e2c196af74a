/** A list of events as they were accepted, newest first, with what became of their deliveries. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import type { EventList, EventRow, SearchedQuery } from "../../../src/dashboard/contract/deliveries.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { upperFirst } from "../../words.ts";
import { useIsAtTop } from "../deliveries/use-delivery-list.ts";
import { Matches, NothingFound, SearchNotes } from "../search/search-notes.tsx";
import { type Frame, useFresh } from "../search/use-fresh.ts";
import { Reasons } from "./event-columns.tsx";
import { noMatch } from "./event-list-words.ts";

interface Props {
  readonly query: UseQueryResult<EventList>;
  /** More than one, such as "sessions", and one where none matches. */
  readonly what: readonly [many: string, one: string];
  readonly columns: readonly Column<EventRow>[];
  readonly toHref: (row: EventRow) => string;
  /** In place of rows, where nothing was searched for. */
  readonly empty: ReactNode;
}

export function EventRows({ query, what: [many, one], columns, toHref, empty }: Props) {
  const [search] = useSearchParams();
  return (
    <Loaded what={many} query={query}>
      {({ events, nextCursor, search: found, notSent }) =>
        events.length === 0 && found !== null ? (
          <>
            <SearchNotes search={found} />
            <NothingFound search={found} what={many}>
              {noMatch(search, one, found.searchedBackToMs !== null)}
            </NothingFound>
            <Pager label={many} nextCursor={nextCursor} />
          </>
        ) : events.length === 0 ? (
          empty
        ) : (
          <Matches value={found?.matches ?? {}}>
            <Reasons value={notSent ?? {}}>
              <SearchNotes search={found} />
              <DataTable
                caption={`${upperFirst(many)}, newest first`}
                columns={columns}
                rows={events}
                toKey={({ eventId }) => eventId}
                toHref={toHref}
                isBusy={query.isPlaceholderData}
                isAlwaysTable
              />
              <Pager label={many} nextCursor={nextCursor} />
            </Reasons>
          </Matches>
        )
      }
    </Loaded>
  );
}

/** A text that somebody wrote there by hand goes on as it is: the service says what it cannot read. */
export function parseListQuery(search: URLSearchParams): SearchedQuery {
  const names = ["cursor", "q", "not_sent", "webhook"] as const;
  return Object.fromEntries(names.flatMap((name) => (search.has(name) ? [[name, search.get(name)]] : [])));
}

/*
 * Keeps a list up to date: counts of its rows always; new rows only while the reader is at the top of the first page,
 * so that nothing moves under somebody who reads further down.
 */

/** A busy account changes many times a second; a list of events need not. A guess. */
const REFRESH_MS = 2_000;

export function useFreshEvents(route: "GET /events" | "GET /sessions" | "GET /assistants/:id/conversations"): void {
  const [search] = useSearchParams();
  const isAtTop = useIsAtTop();
  // On an older page a cursor holds the rows where they are.
  const isHeld = !isAtTop && !search.has("cursor");
  const isConcerned = ({ changed, isCut }: Frame): boolean => !isHeld || !(isCut || changed.some(({ isNew }) => isNew));
  useFresh(route, { search, everyMs: REFRESH_MS, isConcerned });
}
