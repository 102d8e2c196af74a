/** A search that has not seen everything says so: the index may be behind, and a long search goes on page by page. */
import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { SearchView, UnsentEvent } from "../../../src/dashboard/contract/deliveries.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { sourceHref } from "../event-words.ts";
import { unsentInWords } from "./unsent-in-words.ts";

export function SearchNotes({ search }: { readonly search: SearchView | null }) {
  const { missingFromMs = null, searchedBackToMs = null } = search ?? {};
  if (missingFromMs === null && searchedBackToMs === null) return null;
  return (
    <div role="status" className="space-y-1 border-b border-line bg-info-soft px-5 py-2 text-sm">
      {missingFromMs !== null && (
        <p>
          Search is still catching up: what was accepted after <RelativeTime atMs={missingFromMs} /> may be missing.
        </p>
      )}
      {searchedBackToMs !== null && (
        <p>
          Searched back to <RelativeTime atMs={searchedBackToMs} /> so far. “Older” goes on from there.
        </p>
      )}
    </div>
  );
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
            <Link
              href={sourceHref(eventType, sourceId, assistantId ?? undefined)}
              className="font-medium text-accent underline underline-offset-2"
            >
              {[about.who ?? "Unknown visitor", about.what].filter((part) => part !== null).join(" · ")}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
