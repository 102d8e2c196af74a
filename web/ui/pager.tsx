/**
 * Pages of a list by cursors, which lie in the address: reload, Back and a shared link show the same page. Pages
 * have no numbers, because rows arrive while somebody reads.
 */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useSearchParams } from "wouter";
import { LinkButton } from "./button.tsx";

interface Props {
  /** The noun of its rows: "deliveries". */
  readonly label: string;
  /** From the answer; `null` on the last page. */
  readonly nextCursor: string | null;
  /** "50 deliveries", only when it is exact. */
  readonly note?: string;
  /** Its name in the address; a page with two lists gives each its own. */
  readonly parameter?: string;
}

export function Pager({ label, nextCursor, note, parameter = "cursor" }: Props) {
  const [search] = useSearchParams();
  const isFirst = !search.has(parameter);
  if (isFirst && nextCursor === null && note === undefined) return null;
  const page = (cursor: string | null): string => {
    const next = new URLSearchParams(search);
    if (cursor === null) next.delete(parameter);
    else next.set(parameter, cursor);
    const text = next.toString();
    return `${location.pathname}${text === "" ? "" : `?${text}`}`;
  };
  return (
    <nav aria-label={`Pages of ${label}`} className="flex items-center gap-2 border-t border-line px-5 py-2.5">
      <span className="mr-auto text-sm text-ink-soft">{note}</span>
      {!isFirst && (
        <LinkButton size="sm" href={`~${page(null)}`} icon={<ChevronLeft />}>
          Newest
        </LinkButton>
      )}
      {nextCursor !== null && (
        <LinkButton size="sm" href={`~${page(nextCursor)}`} icon={<ChevronRight />}>
          Older
        </LinkButton>
      )}
    </nav>
  );
}
