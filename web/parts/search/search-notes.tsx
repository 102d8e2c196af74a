/** What a search shows beside its rows: what was matched in each, how far it came, and what was not sent. */
import { SearchX } from "lucide-react";
import { createContext, type ReactNode, useContext } from "react";
import { useSearchParams } from "wouter";
import type { Match, SearchView, UnsentEvent } from "../../../src/dashboard/contract/deliveries.ts";
import { Cut } from "../../ui/cut.tsx";
import { EmptyState } from "../../ui/loaded.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { count, number } from "../../words.ts";
import { sourceHref, titleOf, unsentInWords } from "../event-words.ts";
import { PageLink, TextLink } from "../../ui/links.tsx";
import { isAddress, personHref } from "../person-href.ts";

export function SearchNotes({ search }: { readonly search: SearchView | null }) {
  const { missingFromMs = null, searchedBackToMs = null, unknownFields = [] } = search ?? {};
  const lookedAt = lookedInWords(search);
  const text = useSearchParams()[0].get("q") ?? "";
  const isPerson = isAddress(text);
  if (missingFromMs === null && searchedBackToMs === null && lookedAt === null && !isPerson) return null;
  return (
    <div role="status" className="space-y-1 border-b border-line bg-info-soft px-5 py-2 text-sm">
      {isPerson && (
        <p className="[overflow-wrap:anywhere]">
          <TextLink href={personHref(text)}>All events of {text}</TextLink>, with what went where
        </p>
      )}
      {missingFromMs !== null && (
        <p>
          Search is still catching up: what was accepted after <RelativeTime atMs={missingFromMs} /> may be missing.
        </p>
      )}
      {lookedAt !== null && <p>{lookedAt}</p>}
      {unknownFields.map(({ field, nearest, lookedAt: among }) => (
        <p key={field}>
          None of the newest {number(among)} has a field “{field}”
          {nearest === null ? "." : `. Did you mean “${nearest}”?`}
        </p>
      ))}
      {searchedBackToMs !== null && (
        <p>
          Searched back to <RelativeTime atMs={searchedBackToMs} /> so far. “Older” goes on from there.
        </p>
      )}
    </div>
  );
}

/** Of a search for values of fields that did not fill its page. */
function lookedInWords(search: SearchView | null): string | null {
  const { lookedAt = null, searchedBackToMs = null, matches = {} } = search ?? {};
  if (lookedAt === null) return null;
  if (searchedBackToMs !== null) return `Looked for the value in ${count(lookedAt, "event")}.`;
  const isEmpty = Object.keys(matches).length === 0;
  return isEmpty ? `Looked for the value in ${count(lookedAt, "event")}: there are no older ones.` : null;
}

interface NothingFoundProps {
  readonly search: SearchView | null;
  /** Such as "deliveries". */
  readonly what: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** No row matches. Sessions that were never sent have no delivery to find, so they are named here. */
export function NothingFound({ search, what, children, action }: NothingFoundProps) {
  const unsent = search?.unsent ?? [];
  const isPart = (search?.searchedBackToMs ?? null) !== null;
  return (
    <EmptyState icon={SearchX} title={isPart ? `No ${what} match so far` : `No ${what} match`} action={action}>
      {unsent.length === 0 ? children : <Unsent unsent={unsent} />}
    </EmptyState>
  );
}

function Unsent({ unsent }: { readonly unsent: readonly UnsentEvent[] }) {
  return (
    <>
      <p>{unsentInWords(unsent)}</p>
      <ul className="mt-2 space-y-1">
        {unsent.map(({ eventType, sourceId, assistantId, about }) => (
          <li key={sourceId}>
            <PageLink
              href={sourceHref(eventType, sourceId, assistantId ?? undefined)}
              className="font-medium text-accent underline underline-offset-2"
            >
              {[titleOf({ type: eventType, sourceId, about }), about.what].filter((part) => part !== null).join(" · ")}
            </PageLink>
          </li>
        ))}
      </ul>
    </>
  );
}

/* Why a row was found: the kind of text, and the text with what was searched for marked. */

/** The matches of the list around a row. */
export const Matches = createContext<SearchView["matches"]>({});

/** A field of another name stands for itself. */
const FIELDS: Readonly<Record<string, string>> = {
  visitor: "Visitor",
  company: "Company",
  demo: "Demo",
  topic: "Topic",
  summary: "Summary",
  transcript: "Transcript",
  signal: "Signal",
};

interface MatchLineProps {
  readonly id: string;
  /** What the row is called by, where the match is marked (`Found`): it is not said twice. */
  readonly name: string | null;
}

export function MatchLine({ id, name }: MatchLineProps) {
  const match = useContext(Matches)[id];
  if (match === undefined || match.text === name) return null;
  return (
    <span className="mt-0.5 flex gap-1 text-sm font-normal text-ink-soft" title={match.text}>
      <span className="shrink-0">{FIELDS[match.field] ?? match.field}:</span>{" "}
      <Cut>
        <Marked {...match} />
      </Cut>
    </span>
  );
}

/** The name of a row, with what was searched for marked where it is what was found. */
export function Found({ id, text }: { readonly id: string; readonly text: string }) {
  const match = useContext(Matches)[id];
  return match?.text === text ? <Marked {...match} /> : <span>{text}</span>;
}

/* Text with the places marked that a search has found. It comes from a payload, so it is only ever shown as text. */

function Marked({ text, ranges }: Pick<Match, "text" | "ranges">) {
  return (
    <>
      {ranges.map(([from, to], place) => (
        <span key={from}>
          {text.slice(ranges[place - 1]?.[1] ?? 0, from)}
          <mark className="rounded-xs bg-warn-soft text-inherit underline decoration-warn-mark decoration-2">
            {text.slice(from, to)}
          </mark>
        </span>
      ))}
      {text.slice(ranges.at(-1)?.[1] ?? 0)}
    </>
  );
}
