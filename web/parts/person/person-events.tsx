/** A person's events, newest first: each with what went where, and what did not and why. */
import { useQuery } from "@tanstack/react-query";
import { UserRoundX } from "lucide-react";
import { useState } from "react";
import type { PersonEvent } from "../../../src/dashboard/contract/people.ts";
import { call } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { PageLink } from "../../ui/links.tsx";
import { EmptyState, LoadedCards } from "../../ui/loaded.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { count } from "../../words.ts";
import { besideEventColumns } from "../deliveries/delivery-columns.tsx";
import { kindTitle, sourceHref, sourceWord, titleOf } from "../event-words.ts";
import { NotSentList } from "../record/not-sent-list.tsx";
import { SearchNotes } from "../search/search-notes.tsx";
import { type Frame, useFresh } from "../search/use-fresh.ts";
import { useMarks } from "../tell-apart.ts";

/** Guess, as for a list that is searched for values of fields: this search reads bodies too. */
const REFRESH_MS = 30_000;

export function PersonEvents({ email }: { readonly email: string }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const body = cursor === undefined ? { email } : { email, cursor };
  const query = useQuery({ queryKey: ["POST /people", body], queryFn: () => call("POST /people", { body }) });
  const shown = query.data?.events.flatMap(({ rows }) => rows.map(({ id }) => id)) ?? [];
  const isConcerned = ({ isCut, changed }: Frame): boolean =>
    isCut || changed.some(({ id, isNew }) => isNew || shown.includes(id));
  useFresh("POST /people", { everyMs: REFRESH_MS, isConcerned });
  return (
    <LoadedCards what="this person’s events" query={query}>
      {({ events, nextCursor, search }) => (
        <>
          {(search.searchedBackToMs !== null || search.missingFromMs !== null) && (
            <Card isFlush>
              <SearchNotes search={search} />
            </Card>
          )}
          {events.length === 0 && <Nobody isPart={search.searchedBackToMs !== null} email={email} />}
          {events.map((event) => (
            <EventCard key={event.eventId} event={event} />
          ))}
          {(cursors.length > 0 || nextCursor !== null) && (
            <nav aria-label="Pages of events" className="flex justify-end gap-2">
              {cursors.length > 0 && <Button onClick={() => setCursors([])}>Newest</Button>}
              {nextCursor !== null && <Button onClick={() => setCursors([...cursors, nextCursor])}>Older</Button>}
            </nav>
          )}
        </>
      )}
    </LoadedCards>
  );
}

function Nobody({ isPart, email }: { readonly isPart: boolean; readonly email: string }) {
  return (
    <Card>
      <EmptyState icon={UserRoundX} title={isPart ? "No event of theirs so far" : "No event has this address"}>
        {isPart
          ? "“Older” looks further back."
          : `No event whose payload is still kept has ${email} where search looks: the visitor’s e-mail, or the fields
             that a type of your own names for search.`}
      </EmptyState>
    </Card>
  );
}

function EventCard({ event }: { readonly event: PersonEvent }) {
  const { type, sourceId, assistantId, about, acceptedAtMs, rows, deliveries, notSent } = event;
  const marks = useMarks();
  const href = sourceHref(type, sourceId, assistantId ?? undefined);
  const more = deliveries.total - rows.length;
  const what = [kindTitle(type), about.what].filter((part) => part !== null).join(" · ");
  return (
    <Card
      title={titleOf(event)}
      description={
        <span className="[overflow-wrap:anywhere]">
          {what} · <RelativeTime atMs={acceptedAtMs} />
        </span>
      }
      actions={
        <PageLink href={href} className="font-medium text-accent underline underline-offset-2">
          Open<span className="sr-only"> this {sourceWord(type)}</span>
        </PageLink>
      }
      isFlush
      isListed
    >
      {rows.length === 0 ? (
        <p className="px-5 pb-4 text-ink-soft">
          {notSent.webhooks.length > 0 ? "Nothing was sent." : "Nothing was sent: no webhook was meant for it."}
        </p>
      ) : (
        <DataTable
          caption={`Deliveries of this ${sourceWord(type)}`}
          columns={besideEventColumns(marks)}
          rows={rows}
          toKey={({ id }) => id}
          toHref={({ id }) => `/deliveries/${id}`}
          isAlwaysTable
        />
      )}
      {more > 0 && (
        <p className="border-t border-line px-5 py-3 text-sm">
          <PageLink href={href} className="text-accent underline underline-offset-2">
            {count(more, "more webhook")}
          </PageLink>
        </p>
      )}
      <NotSentList notSent={notSent} />
    </Card>
  );
}
