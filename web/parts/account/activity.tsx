/** The audit of this account: who did what, and when. */
import { History } from "lucide-react";
import { useSearchParams } from "wouter";
import type { AuditEntry } from "../../../src/dashboard/contract/session.ts";
import { useAnswer } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState, Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

export function Activity() {
  const [search] = useSearchParams();
  const cursor = search.get("cursor");
  const audit = useAnswer("GET /audit", { query: cursor === null ? {} : { cursor } });
  return (
    <Card title="Activity" description="Who signed in, changed, tested, sent again or revealed something." isFlush>
      <Loaded what="the activity" query={audit}>
        {({ entries, nextCursor }) =>
          entries.length === 0 ? (
            <EmptyState icon={History} title="Nothing yet">
              What people do here is written down.
            </EmptyState>
          ) : (
            <>
              <Acts entries={entries} isBusy={audit.isPlaceholderData} />
              <Pager label="activity" nextCursor={nextCursor} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

interface ActsProps {
  readonly entries: readonly AuditEntry[];
  readonly isBusy?: boolean;
}

export function Acts({ entries, isBusy = false }: ActsProps) {
  const caption = "Activity, newest first";
  return <DataTable caption={caption} columns={COLUMNS} rows={entries} toKey={toKey} isSlim isBusy={isBusy} />;
}

const toKey = ({ atMs, person, action, subject }: AuditEntry): string => `${atMs} ${person} ${action} ${subject}`;

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    id: "action",
    header: "What",
    isMain: true,
    cell: ({ action, subject }) => (
      <>
        {action}
        {subject !== "" && (
          <span className="block text-sm font-normal text-ink-soft [overflow-wrap:anywhere]">{subject}</span>
        )}
      </>
    ),
  },
  {
    id: "person",
    header: "Who",
    cell: ({ person, address }) => (
      <span className="[overflow-wrap:anywhere]">
        {person}
        {address !== null && <span className="block text-sm font-normal text-ink-soft">{address}</span>}
      </span>
    ),
  },
  { id: "at", header: "When", align: "end", cell: ({ atMs }) => <RelativeTime atMs={atMs} /> },
];
