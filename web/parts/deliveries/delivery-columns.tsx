/** The columns of the log in each width, and of the deliveries of one session or conversation. */
import clsx from "clsx";
import { Filter, type LucideIcon, MessageSquareText, MonitorPlay, Zap } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { OwnerKind } from "../../../src/domain/event.ts";
import type { DeliveryRow } from "../../../src/dashboard/contract/deliveries.ts";
import { Badge, DELIVERY_LOOKS, DeliveryStatusChip } from "../../ui/chips.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { RelativeTime, useNow } from "../../ui/relative-time.tsx";
import { count } from "../../words.ts";
import { eventLabel, eventWords } from "../event-words.ts";
import { MatchLine } from "../search/search-notes.tsx";
import { useMedia } from "../../ui/use-media.ts";
import { type FilterName, responseLabel, responseTime, toResponseFilter } from "./filters.ts";

/** The address of the list with one filter more. */
export type FilterHref = (name: FilterName, value: string) => string;

/** Identity first, then what became of it and where it went. The widths fill the page's narrowest desktop. */
export function deliveryColumns(filterHref: FilterHref): readonly Column<DeliveryRow>[] {
  return [
    { id: "who", header: "Visitor", isMain: true, cell: (row) => <Identity row={row} /> },
    {
      id: "status",
      header: "Status",
      className: "w-34",
      cell: (row) => (
        <Filtered
          href={filterHref("status", row.status)}
          what={`status is ${DELIVERY_LOOKS[row.status].word.toLowerCase()}`}
        >
          <DeliveryStatusChip status={row.status} />
        </Filtered>
      ),
    },
    {
      id: "destination",
      header: "Webhook",
      className: "w-[22%]",
      cell: (row) => <Destination row={row} filterHref={filterHref} />,
    },
    {
      id: "response",
      header: "Response",
      className: "w-48",
      cell: (row) => (
        <>
          <Answer row={row} filterHref={filterHref} />
          <span className="block truncate text-sm text-ink-soft">
            {isHeld(row) ? (
              "Waits until turned on"
            ) : (
              <>
                <Attempts row={row} />
                <NextAttempt row={row} />
              </>
            )}
          </span>
        </>
      ),
    },
    {
      id: "time",
      header: "Accepted",
      align: "end",
      className: "w-28",
      cell: (row) => <RelativeTime atMs={row.createdAtMs} />,
    },
  ];
}

/** Who and what, then where to: two lines that tell a row from the next in any width. */
const TWO_LINES: Column<DeliveryRow> = {
  id: "who",
  header: "Delivery",
  isMain: true,
  cell: (row) => <Identity row={row} withDestination />,
};

const NARROW_STATUS: Column<DeliveryRow> = {
  id: "status",
  header: "Status",
  align: "end",
  className: "w-28 sm:w-31",
  cell: (row) => (
    <>
      <DeliveryStatusChip status={row.status} />
      <span className="mt-0.5 block truncate text-xs text-ink-soft">
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

/** On a phone, and beside an open delivery. */
const NARROW_COLUMNS: readonly Column<DeliveryRow>[] = [TWO_LINES, NARROW_STATUS];

/** On a tablet, where the rail takes a third of the window. */
const MEDIUM_COLUMNS: readonly Column<DeliveryRow>[] = [
  TWO_LINES,
  {
    id: "response",
    header: "Response",
    className: "w-36",
    cell: ({ last }) => (last === null ? <None /> : <Response last={last} />),
  },
  NARROW_STATUS,
];

const PHONE = "(max-width: 40rem)";
const TABLET = "(max-width: 64rem)";

/** Those that fit. */
export function useDeliveryColumns(filterHref: FilterHref, isOneOpen: boolean): readonly Column<DeliveryRow>[] {
  const isPhone = useMedia(PHONE);
  const isTablet = useMedia(TABLET);
  if (isOneOpen || isPhone) return NARROW_COLUMNS;
  return isTablet ? MEDIUM_COLUMNS : deliveryColumns(filterHref);
}

interface IdentityProps {
  readonly row: DeliveryRow;
  readonly withDestination?: boolean;
}

/** Of events by who sends them first. */
const ICONS: Readonly<Record<OwnerKind, LucideIcon>> = {
  alert: MonitorPlay,
  assistant: MessageSquareText,
  webhook: Zap,
};

/** The row's name. A reader of the screen hears all of it, or it would be the same for each webhook of a session. */
function Identity({ row, withDestination = false }: IdentityProps) {
  const { about, eventType, isTest, status } = row;
  const label = eventLabel(eventType);
  const Icon = ICONS[eventWords(eventType).owners[0] ?? "webhook"];
  const below = withDestination ? [about.what, ownerName(row)] : [about.what];
  return (
    <span className="flex min-w-0 items-center gap-3">
      <span
        aria-hidden="true"
        className={clsx(
          "flex size-8 shrink-0 items-center justify-center rounded-lg bg-hover text-ink-soft",
          withDestination && "max-sm:hidden",
        )}
      >
        <Icon className="size-4" />
      </span>
      <span className="min-w-0">
        <span className="flex min-w-0 items-center gap-2">
          <span className="min-w-0 truncate">{nameOf(row)}</span>
          {isTest && <Badge>Test</Badge>}
        </span>
        <span className="block truncate text-sm font-normal text-ink-soft">
          {below.filter((part) => part !== null).join(" · ")}
        </span>
        <MatchLine id={row.id} />
        <span className="sr-only">
          {label} to {ownerName(row)}, {DELIVERY_LOOKS[status].word.toLowerCase()}
        </span>
      </span>
    </span>
  );
}

/** A purged payload leaves its event only. */
export function nameOf({ about: { who, what }, eventType }: DeliveryRow): string {
  return who ?? (what === null ? eventLabel(eventType) : "Unknown visitor");
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
        <span className="block truncate text-sm text-ink-soft" title={destination.url}>
          {eventLabel(row.eventType)}
        </span>
      </span>
    </Filtered>
  );
}

function Response({ last }: { readonly last: NonNullable<DeliveryRow["last"]> }) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {responseLabel(last.code)} <span className="text-ink-soft">· {responseTime(last.totalMs)}</span>
    </span>
  );
}

interface AnswerProps {
  readonly row: DeliveryRow;
  readonly filterHref: FilterHref;
}

function Answer({ row: { last }, filterHref }: AnswerProps) {
  if (last === null) return <None />;
  return (
    <Filtered
      href={filterHref("response", toResponseFilter(last.code))}
      what={`response is ${responseLabel(last.code)}`}
    >
      <Response last={last} />
    </Filtered>
  );
}

function Attempts({ row }: { readonly row: DeliveryRow }) {
  const { attemptsMade, attemptsInSchedule, attemptsMax, isTest } = row;
  if (isTest) return <span className="tabular-nums">{count(attemptsMade, "attempt")}</span>;
  return (
    <span className="tabular-nums">
      {attemptsInSchedule} of {attemptsMax}
      {attemptsMade > attemptsInSchedule && ` · ${attemptsMade} in all`}
    </span>
  );
}

const waits = (status: DeliveryRow["status"]): boolean => status === "waiting" || status === "retrying";

/** Its webhook is paused or off, so there is no next attempt to speak of, and its place is for what happens instead. */
const isHeld = ({ status, nextAttemptAtMs }: DeliveryRow): boolean => waits(status) && nextAttemptAtMs === null;

function NextAttempt({ row: { status, nextAttemptAtMs } }: { readonly row: DeliveryRow }) {
  const nowMs = useNow();
  if (!waits(status) || nextAttemptAtMs === null) return null;
  if (nextAttemptAtMs <= nowMs) return <> · next now</>;
  return (
    <>
      {" · "}
      <RelativeTime atMs={nextAttemptAtMs} prefix="next" />
    </>
  );
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
}

/**
 * A value with a link that narrows the list to it, shown while the pointer is on the row. It is not in the tab order,
 * because the bar above does the same for keyboards, and for fingers, without four stops more in each row.
 */
function Filtered({ href, what, children }: FilteredProps) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-0.5">
      {children}
      <Link
        href={href}
        tabIndex={-1}
        aria-label={`Only where ${what}`}
        title={`Only where ${what}`}
        className="-my-1 inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-soft opacity-0
          in-[tr:hover]:opacity-100
          hover:bg-hover hover:text-ink focus-visible:opacity-100 max-sm:hidden"
      >
        <Filter aria-hidden="true" className="size-3.5" />
      </Link>
    </span>
  );
}
