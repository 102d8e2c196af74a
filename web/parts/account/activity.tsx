/** Acts of people in a table: who did what, and when. */
import type { AuditEntry } from "../../../src/dashboard/contract/session.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

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
