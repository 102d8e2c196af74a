/** The columns of the log, wide and beside an open delivery; also for the deliveries of one session or conversation. */
import { Filter } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { DeliveryRow } from "../../../src/dashboard/contract/deliveries.ts";
import { Badge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { RelativeTime, useNow } from "../../ui/relative-time.tsx";
import { DELIVERY_LOOKS, DeliveryStatusChip } from "../../ui/status-chip.tsx";
import { eventLabel } from "../event-words.ts";
import type { FilterName } from "./filters.ts";
import { toResponseFilter, responseLabel, responseTime } from "./response-words.ts";

/** The address of the list with one filter more; empty where a list has no filters. */
export type FilterHref = (name: FilterName, value: string) => string;

export function deliveryColumns(filterHref: FilterHref): readonly Column<DeliveryRow>[] {
  return [
    {
      id: "status",
      header: "Status",
      cell: (row) => (
        <Filtered
          href={filterHref("status", row.status)}
          what={`status is ${DELIVERY_LOOKS[row.status].word.toLowerCase()}`}
        >
          <DeliveryStatusChip status={row.status} />
        </Filtered>
      ),
    },
    eventColumn(filterHref),
    {
      id: "destination",
      header: "Destination",
      className: "sm:max-w-64",
      cell: (row) => <Destination row={row} filterHref={filterHref} />,
    },
    ...outcomeColumns(filterHref),
    { id: "time", header: "Accepted", align: "end", cell: (row) => <RelativeTime atMs={row.createdAtMs} /> },
  ];
}

function eventColumn(filterHref: FilterHref): Column<DeliveryRow> {
  return {
    id: "event",
    header: "Event",
    isMain: true,
    cell: (row) => (
      <Filtered href={filterHref("event", row.eventType)} what={`event is ${eventLabel(row.eventType)}`} isInLink>
        <EventName row={row} />
      </Filtered>
    ),
  };
}

function outcomeColumns(filterHref: FilterHref): readonly Column<DeliveryRow>[] {
  return [
    {
      id: "response",
      header: "Response",
      className: NOT_EMPTY_IN_CARD,
      cell: ({ last }) =>
        last === null ? (
          <None />
        ) : (
          <Filtered
            href={filterHref("response", toResponseFilter(last.code))}
            what={`response is ${responseLabel(last.code)}`}
          >
            <Response last={last} />
          </Filtered>
        ),
    },
    { id: "attempts", header: "Attempts", cell: (row) => <Attempts row={row} /> },
    { id: "next", header: "Next attempt", className: NOT_EMPTY_IN_CARD, cell: (row) => <NextAttempt row={row} /> },
  ];
}

/** A card has no column to keep: what there is nothing of is left out. */
const NOT_EMPTY_IN_CARD = "max-sm:has-data-none:hidden";

const NARROW_EVENT: Column<DeliveryRow> = {
  id: "event",
  header: "Delivery",
  isMain: true,
  // Takes what is left, and cuts what is longer, so that the table never scrolls sideways.
  className: "w-full max-w-0",
  cell: (row) => (
    <>
      <EventName row={row} />
      <span className="block truncate text-sm font-normal text-ink-soft">{ownerName(row)}</span>
    </>
  ),
};

const NARROW_STATUS: Column<DeliveryRow> = {
  id: "status",
  header: "Status",
  align: "end",
  cell: (row) => (
    <>
      <DeliveryStatusChip status={row.status} />
      <span className="mt-0.5 block text-xs text-ink-soft">
        <RelativeTime atMs={row.createdAtMs} />
      </span>
    </>
  ),
};

/** Beside its session or conversation, which says already who and what: where it went and the answer. */
export const BESIDE_EVENT_COLUMNS: readonly Column<DeliveryRow>[] = [
  {
    id: "destination",
    header: "Webhook",
    isMain: true,
    className: "w-full max-w-0",
    cell: (row) => (
      <>
        <span className="block truncate">{ownerName(row)}</span>
        <span className="block truncate text-sm font-normal text-ink-soft">
          {row.last === null ? eventLabel(row.eventType) : <Response last={row.last} />}
        </span>
        <span className="sr-only">
          {eventLabel(row.eventType)}, {DELIVERY_LOOKS[row.status].word.toLowerCase()}
        </span>
      </>
    ),
  },
  NARROW_STATUS,
];

/** Beside an open delivery there is room for what tells the rows apart. */
export const NARROW_COLUMNS: readonly Column<DeliveryRow>[] = [NARROW_EVENT, NARROW_STATUS];

/** On a tablet, where the rail takes a third of the window. */
export const MEDIUM_COLUMNS: readonly Column<DeliveryRow>[] = [
  NARROW_EVENT,
  { id: "response", header: "Response", cell: ({ last }) => (last === null ? <None /> : <Response last={last} />) },
  NARROW_STATUS,
];

/** Where those belong: below it are cards, above it is room for all. */
export const TABLET = "(min-width: 40rem) and (max-width: 64rem)";

/** The link of a row is named by more than its event, or a reader of the screen hears fifty times the same. */
function EventName({ row }: { readonly row: DeliveryRow }) {
  return (
    <span className="block min-w-0">
      <span className="inline-flex flex-wrap items-center gap-x-2">
        {eventLabel(row.eventType)}
        {row.isTest && <Badge>Test</Badge>}
        <span className="sr-only">
          to {ownerName(row)}, {DELIVERY_LOOKS[row.status].word.toLowerCase()}
        </span>
      </span>
      <AboutLine about={row.about} />
    </span>
  );
}

function AboutLine({ about: { who, what } }: Pick<DeliveryRow, "about">) {
  const text = [who, what].filter((part) => part !== null).join(" · ");
  if (text === "") return null;
  return <span className="block text-sm font-normal text-ink-soft sm:max-w-72 sm:truncate">{text}</span>;
}

export function ownerName({ destination, isTest }: Pick<DeliveryRow, "destination" | "isTest">): string {
  if (destination === null) return isTest ? "Unsaved values" : "A deleted destination";
  return destination.owner.isDeleted ? `${destination.owner.name} (deleted)` : destination.owner.name;
}

function Destination({ row, filterHref }: { readonly row: DeliveryRow; readonly filterHref: FilterHref }) {
  const { destination } = row;
  const name = ownerName(row);
  if (destination === null) return <span className="text-ink-soft">{name}</span>;
  return (
    <Filtered href={filterHref("destination", destination.id)} what={`destination is ${name}`}>
      <span className="block min-w-0">
        <span className="block truncate">{name}</span>
        <span className="block truncate text-xs text-ink-soft" title={destination.url}>
          {parseHost(destination.url)}
        </span>
      </span>
    </Filtered>
  );
}

function parseHost(url: string): string {
  return URL.parse(url)?.host ?? url;
}

function Response({ last }: { readonly last: NonNullable<DeliveryRow["last"]> }) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {responseLabel(last.code)} <span className="text-ink-soft">· {responseTime(last.totalMs)}</span>
    </span>
  );
}

function Attempts({ row }: { readonly row: DeliveryRow }) {
  const { attemptsMade, attemptsInSchedule, attemptsMax, isTest } = row;
  if (isTest) return <span className="whitespace-nowrap tabular-nums">{attemptsMade}</span>;
  const isMore = attemptsMade > attemptsInSchedule;
  return (
    <span className="whitespace-nowrap tabular-nums">
      {attemptsInSchedule} of {attemptsMax}
      {isMore && <span className="text-ink-soft"> · {attemptsMade} in all</span>}
    </span>
  );
}

function NextAttempt({ row }: { readonly row: DeliveryRow }) {
  const nowMs = useNow();
  const { status, nextAttemptAtMs } = row;
  if (status !== "waiting" && status !== "retrying") return <None />;
  if (nextAttemptAtMs === null) return <span className="text-ink-soft">When turned on</span>;
  return nextAttemptAtMs <= nowMs ? <span>Now</span> : <RelativeTime atMs={nextAttemptAtMs} />;
}

function None() {
  return (
    <span data-none className="text-ink-faint">
      <span aria-hidden="true">–</span>
      <span className="sr-only">None</span>
    </span>
  );
}

interface FilteredProps {
  readonly href: string;
  /** "status is failed" */
  readonly what: string;
  readonly children: ReactNode;
  /** Inside the row's own link there can be no other. */
  readonly isInLink?: boolean;
}

/**
 * A value with a link that narrows the list to it, shown while the pointer is on the row. It is not in the tab order,
 * because the bar above does the same for keyboards, and for fingers, without four stops more in each row.
 */
function Filtered({ href, what, children, isInLink = false }: FilteredProps) {
  if (isInLink || href === "") return children;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-0.5">
      {children}
      <Link
        href={href}
        tabIndex={-1}
        aria-label={`Only where ${what}`}
        title={`Only where ${what}`}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-soft opacity-0
          in-[tr:hover]:opacity-100
          hover:bg-hover hover:text-ink focus-visible:opacity-100 max-sm:hidden"
      >
        <Filter aria-hidden="true" className="size-3.5" />
      </Link>
    </span>
  );
}
