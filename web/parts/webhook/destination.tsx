/** A destination in lists: its address, its last day and its status word. */
import { CircleDashed } from "lucide-react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { StatusChip } from "../../ui/chips.tsx";
import { WithEscapes } from "../../ui/cut.tsx";
import { isPulled } from "../../../src/domain/pull.ts";
import { targetInWords } from "../target-words.ts";
import type { Column } from "../../ui/data-table.tsx";
import { HealthLabel, Sparkline } from "../health/health-label.tsx";

interface WithDestination {
  readonly destination: DestinationView | null;
}

interface ColumnsOptions<Row> {
  /** The words when nothing is sent, such as "No webhook"; `null` where the destination's state says it. */
  readonly idleWord: (row: Row) => string | null;
  /** Classes of the address's cells. */
  readonly className?: string;
}

/** What lists of owners show of each one's destination. */
export function destinationColumns<Row extends WithDestination>({
  idleWord,
  className = "",
}: ColumnsOptions<Row>): readonly Column<Row>[] {
  return [
    {
      id: "destination",
      header: "Destination",
      className,
      inCard: "bare",
      cell: ({ destination }) => (destination === null ? NONE : <DestinationUrl url={destination.url} />),
    },
    {
      id: "day",
      header: "Last 24 h",
      inCard: "never",
      cell: ({ destination }) => (destination === null ? NONE : <Sparkline hours={destination.health.lastDay} />),
    },
    {
      id: "status",
      header: "Status",
      inCard: "bare",
      cell: (row) => <DestinationStatus destination={row.destination} none={idleWord(row)} />,
    },
  ];
}

const NONE = <span className="text-ink-faint">–</span>;

/** Where a webhook goes, for lists: the host as people know it, and the path. */
interface Props {
  readonly url: string;
}

/** Two lines in a table, cut at the end of the second: what one endpoint's path ends with has room there. */
function DestinationUrl({ url }: Props) {
  const { host, rest } = splitUrl(url);
  return (
    <span title={url} translate="no" className="block min-w-0 [overflow-wrap:anywhere] as-table:line-clamp-2">
      <span className="font-medium text-ink">{host}</span>
      <WithEscapes className="text-ink-soft" text={rest} />
    </span>
  );
}

/** A URL without the parts that readers assume: https, and a lone slash. */
function splitUrl(url: string): { readonly host: string; readonly rest: string } {
  if (isPulled({ url })) return { host: targetInWords(url), rest: "" };
  try {
    const { protocol, host, pathname, search } = new URL(url);
    const path = pathname === "/" ? "" : pathname;
    return { host: protocol === "https:" ? host : `${protocol}//${host}`, rest: `${path}${search}` };
  } catch {
    return { host: url, rest: "" };
  }
}

/* A destination's status word in lists, also where there is none. */

interface DestinationStatusProps {
  readonly destination: DestinationView | null;
  /** The words when nothing is sent, such as "No webhook". */
  readonly none: string | null;
}

export function DestinationStatus({ destination, none }: DestinationStatusProps) {
  if (none !== null) return <StatusChip word={none} tone="neutral" icon={CircleDashed} />;
  return destination !== null && <HealthLabel health={destination.health} />;
}
