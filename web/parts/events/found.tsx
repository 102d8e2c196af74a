/** Sessions and conversations as they are filtered: what the address asks for, and the rows found, with why. */
import type { ReactNode } from "react";
import type { EventList } from "../../../src/dashboard/contract/deliveries.ts";
import type { SearchedPage } from "../../../src/dashboard/contract/routes.ts";
import { Matches } from "../search/match-line.tsx";
import { SearchNotes } from "../search/search-notes.tsx";
import { Reasons } from "./not-sent-line.tsx";

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
