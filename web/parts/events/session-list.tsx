/** Sessions as they were accepted. */
import { Users } from "lucide-react";
import { useSearchParams } from "wouter";
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswer, useSession } from "../../query.ts";
import { LinkButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/loaded.tsx";
import { useEventColumns } from "./event-columns.tsx";
import { EventRows, parseListQuery, useFreshEvents } from "./event-list.tsx";

export function SessionList() {
  const [search] = useSearchParams();
  const { hasPlayground } = useSession();
  const query = useAnswer("GET /sessions", { query: parseListQuery(search) });
  const columns = useEventColumns("visitor");
  useFreshEvents("GET /sessions");
  return (
    <EventRows
      query={query}
      what={["sessions", "session"]}
      columns={columns}
      toHref={({ sourceId }) => `/audience/sessions/${encodeURIComponent(sourceId)}`}
      empty={
        <EmptyState
          icon={Users}
          title={search.has("cursor") ? "There is nothing older" : "No sessions yet"}
          action={hasPlayground && <LinkButton href="/playground">Send one by hand</LinkButton>}
        >
          Sessions appear here as soon as your product sends them.
        </EmptyState>
      }
    />
  );
}

/** Its name, or its id once the payload is gone. */
export const eventTitle = ({ about, sourceId }: Pick<EventRow, "about" | "sourceId">): string => about.what ?? sourceId;
