/** The columns of the log in each width, and of the deliveries of one session or conversation. */
import clsx from "clsx";
import { Filter, type LucideIcon, MessageSquareText, MonitorPlay, Zap } from "lucide-react";
import type { ReactNode } from "react";
import type { OwnerKind } from "../../../src/domain/event.ts";
import type { DeliveryRow } from "../../../src/dashboard/contract/deliveries.ts";
import { CutBehind } from "../../ui/cut-behind.tsx";
import { Cut } from "../../ui/cut.tsx";
import { Badge, DELIVERY_LOOKS, DeliveryStatusChip } from "../../ui/chips.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { RelativeTime, useNow } from "../../ui/relative-time.tsx";
import { count } from "../../words.ts";
import { eventLabel, eventWords, titleOf } from "../event-words.ts";
import { Found, MatchLine } from "../search/search-notes.tsx";
import { targetInWords } from "../target-words.ts";
import { toEnd, useMarks } from "../tell-apart.ts";
import { useMedia } from "../../ui/use-media.ts";
import { type FilterName, responseLabel, responseTime, toResponseFilter } from "./filters.ts";
import { PageLink } from "../../ui/links.tsx";

/** The address of the list with one filter more. */
export type FilterHref = (name: FilterName, value: string) => string;

/** The marks that tell webhooks of one name apart, by the destination's id. */
type Marks = ReadonlyMap<string, string>;

interface Looks {
  readonly filterHref: FilterHref;
  readonly marks: Marks;
}

/** Identity first, then what became of it and where it went, in one line. What is left over is for what it is about. */
function oneLineColumns({ filterHref, marks }: Looks): readonly Column<DeliveryRow>[] {
  return [
    { id: "who", header: "About", isMain: true, cell: (row) => <OneLine row={row} /> },
    {
      id: "event",
      header: "Event",
      className: "w-[12%]",
      cell: ({ eventType }) => <Cut title={eventLabel(eventType)}>{eventLabel(eventType)}</Cut>,
    },
    {
      id: "status",
      header: "Status",
      className: "w-30",
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
      className: "w-[16%]",
      cell: (row) => <Destination row={row} filterHref={filterHref} marks={marks} />,
    },
    {
      id: "response",
      header: "Response",
      className: "w-38",
      cell: (row) => <Answer row={row} filterHref={filterHref} />,
    },
  ];
}

const ATTEMPTS: Column<DeliveryRow> = {
  id: "attempts",
  header: "Attempts",
  className: "w-46",
  cell: (row) => (
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
  ),
};

const TIME: Column<DeliveryRow> = {
  id: "time",
  header: "Accepted",
  align: "end",
  className: "w-24",
  cell: (row) => <RelativeTime atMs={row.createdAtMs} />,
};

/** Whom it is about, then which event went where: what tells a row from the next, in any width. */
const fewLines = (marks: Marks, isNarrow: boolean): Column<DeliveryRow> => ({
  id: "who",
  header: "Delivery",
  isMain: true,
  cell: (row) => <FewLines row={row} mark={marks.get(row.destination?.id ?? "")} isNarrow={isNarrow} />,
});

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
export const besideEventColumns = (marks: Marks): readonly Column<DeliveryRow>[] => [
  {
    id: "destination",
    header: "Webhook",
    isMain: true,
    className: "w-full max-w-0",
    cell: (row) => (
      <>
        <Cut>{ownerName(row)}</Cut>
        <span className="flex min-w-0 gap-2 text-sm font-normal text-ink-soft">
          {row.last === null ? eventLabel(row.eventType) : <Response last={row.last} />}
          <span className="shrink-0">{toEnd(marks.get(row.destination?.id ?? "") ?? "")}</span>
        </span>
        <span className="sr-only">
          {eventLabel(row.eventType)}, {DELIVERY_LOOKS[row.status].word.toLowerCase()}
        </span>
      </>
    ),
  },
  NARROW_STATUS,
];

/** Wider than a phone: where a name beside five columns would be cut, though the answer has room. */
const mediumColumns = (marks: Marks): readonly Column<DeliveryRow>[] => [
  fewLines(marks, false),
  {
    id: "response",
    header: "Response",
    className: "w-44",
    cell: ({ last }) => (last === null ? <None /> : <Response last={last} />),
  },
  NARROW_STATUS,
];

const PHONE = "(max-width: 40rem)";
const TABLET = "(max-width: 70rem)";
/** Wide enough for how often it was tried and when it is tried again. */
const WIDE = "(min-width: 84rem)";

export interface DeliveryColumns {
  readonly columns: readonly Column<DeliveryRow>[];
  /** Each row has one line. */
  readonly isDense: boolean;
}

/** Those that fit: some lines on small screens and beside an open delivery, else one. */
export function useDeliveryColumns(filterHref: FilterHref, isOneOpen: boolean): DeliveryColumns {
  const isPhone = useMedia(PHONE);
  const isTablet = useMedia(TABLET);
  const isWide = useMedia(WIDE);
  const marks = useMarks();
  if (isOneOpen || isPhone) return { columns: [fewLines(marks, true), NARROW_STATUS], isDense: false };
  if (isTablet) return { columns: mediumColumns(marks), isDense: false };
  const columns = oneLineColumns({ filterHref, marks });
  return { columns: isWide ? [...columns, ATTEMPTS, TIME] : [...columns, TIME], isDense: true };
}

/** Of events by who sends them first. */
const ICONS: Readonly<Record<OwnerKind, LucideIcon>> = {
  alert: MonitorPlay,
  assistant: MessageSquareText,
  webhook: Zap,
};

function EventIcon({ eventType }: Pick<DeliveryRow, "eventType">) {
  const Icon = ICONS[eventWords(eventType).owners[0] ?? "webhook"];
  return (
    <span aria-hidden="true" title={eventLabel(eventType)} className="shrink-0 text-ink-soft">
      <Icon className="size-4" />
    </span>
  );
}

/** A line more where a search says what it has found. */
function OneLine({ row }: { readonly row: DeliveryRow }) {
  const { what } = row.about;
  return (
    <span className="flex min-w-0 items-center gap-3">
      <EventIcon eventType={row.eventType} />
      <span className="min-w-0 grow">
        <span className="flex min-w-0 items-baseline gap-2">
          {/* A long name leaves room for more than a sliver of what stands beside it. */}
          <Cut className={clsx("shrink-0", what === null && !row.isTest ? "max-w-full" : "max-w-[65%]")}>
            <Found id={row.id} text={nameOf(row)} />
          </Cut>
          {row.isTest && <Badge>Test</Badge>}
          {what !== null && <Cut className="text-sm font-normal text-ink-soft">{what}</Cut>}
        </span>
        <MatchLine id={row.id} name={nameOf(row)} />
        <Spoken row={row} />
      </span>
    </span>
  );
}

interface FewLinesProps {
  readonly row: DeliveryRow;
  readonly mark: string | undefined;
  /** The event and the webhook have a line each. */
  readonly isNarrow: boolean;
}

function FewLines({ row, mark, isNarrow }: FewLinesProps) {
  const { what } = row.about;
  const webhook = (
    <span className="flex min-w-0 gap-x-1.5">
      <Cut>{ownerName(row)}</Cut>
      {mark !== undefined && <span className="shrink-0">{toEnd(mark)}</span>}
    </span>
  );
  return (
    <span className="block min-w-0">
      <span className="flex min-w-0 items-center gap-2">
        <Cut>
          <Found id={row.id} text={nameOf(row)} />
        </Cut>
        {row.isTest && <Badge>Test</Badge>}
      </span>
      {isNarrow ? (
        <span className="block text-sm font-normal text-ink-soft">
          <CutBehind label={eventLabel(row.eventType)}>{what}</CutBehind>
          {webhook}
        </span>
      ) : (
        <span className="flex min-w-0 gap-x-1.5 text-sm font-normal text-ink-soft">
          <Cut className="max-w-[40%] shrink-0">{eventLabel(row.eventType)}</Cut>·
          <span className="max-w-[55%] min-w-0 shrink-0">{webhook}</span>
          {what !== null && <>·</>}
          {what !== null && <Cut>{what}</Cut>}
        </span>
      )}
      <MatchLine id={row.id} name={nameOf(row)} />
      <Spoken row={row} />
    </span>
  );
}

/** A reader of the screen hears all of the row's name, or it would be the same for each webhook of a session. */
const Spoken = ({ row }: { readonly row: DeliveryRow }) => (
  <span className="sr-only">
    {eventLabel(row.eventType)} to {ownerName(row)}, {DELIVERY_LOOKS[row.status].word.toLowerCase()}
  </span>
);

export const nameOf = ({ eventType, sourceId, about }: Pick<DeliveryRow, "eventType" | "sourceId" | "about">): string =>
  titleOf({ type: eventType, sourceId, about });

export function ownerName({ destination, isTest }: Pick<DeliveryRow, "destination" | "isTest">): string {
  if (destination === null) return isTest ? "Unsaved values" : "A deleted destination";
  return destination.owner.isDeleted ? `${destination.owner.name} (deleted)` : destination.owner.name;
}

function Destination({ row, filterHref, marks }: { readonly row: DeliveryRow } & Looks) {
  const { destination } = row;
  const name = ownerName(row);
  if (destination === null) return <span className="block truncate text-ink-soft">{name}</span>;
  const mark = marks.get(destination.id);
  return (
    <Filtered href={filterHref("destination", destination.id)} what={`destination is ${name}`}>
      <span className="flex min-w-0 items-baseline gap-2" title={`${name}, ${targetInWords(destination.url)}`}>
        <Cut>{name}</Cut>
        {mark !== undefined && <span className="shrink-0 text-sm text-ink-soft">{toEnd(mark)}</span>}
      </span>
    </Filtered>
  );
}

function Response({ last }: { readonly last: NonNullable<DeliveryRow["last"]> }) {
  return (
    <span className="block min-w-0 truncate tabular-nums">
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
      <PageLink
        href={href}
        tabIndex={-1}
        aria-label={`Only where ${what}`}
        title={`Only where ${what}`}
        className="-my-1 inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-soft opacity-0
          in-[tr:hover]:opacity-100
          hover:bg-hover hover:text-ink focus-visible:opacity-100 max-sm:hidden"
      >
        <Filter aria-hidden="true" className="size-3.5" />
      </PageLink>
    </span>
  );
}
