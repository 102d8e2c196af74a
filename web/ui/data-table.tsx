/**
 * A list of like things: a table, and one card each where its own place is too narrow for that, unless its few columns
 * have room everywhere. The window says little about that place: from 1024 px on the rail takes a third of it. The main
 * column's cell is a real link that covers its row; other controls in the row lie above it. The roles are written out
 * because some browsers forget them once a table is laid out as cards.
 */
import clsx from "clsx";
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { count } from "../words.ts";
import { announce } from "./announcer.tsx";
import { PageLink } from "./links.tsx";

export interface Column<Row> {
  readonly id: string;
  /** Words, but for a column of checkboxes. */
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** The column that names the row: it carries the link, and heads the card. */
  readonly isMain?: boolean;
  readonly align?: "start" | "end";
  /** Classes of the cells, such as a width: "w-32", or "as-table:w-32" where there are cards. */
  readonly className?: string;
  /** In cards, "never" leaves the cell out for lack of room, and "bare" leaves out a label that its content repeats. */
  readonly inCard?: "labelled" | "bare" | "never";
}

interface Props<Row> {
  /** Its content, for screen readers: "Deliveries, newest first". */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly toKey: (row: Row) => string;
  readonly toHref?: (row: Row) => string;
  /** The row that is open beside the table. */
  readonly selectedKey?: string | undefined;
  /** Other rows are on their way; these stay until then. */
  readonly isBusy?: boolean;
  /** Its few columns fit the narrowest window: no cards. */
  readonly isAlwaysTable?: boolean;
  /** Its few columns fit most places: cards on a phone only. */
  readonly isSlim?: boolean;
  /**
   * Its head stays in sight while the page scrolls. Its columns must fit: a table that scrolls sideways by itself has
   * no head that stays in the window.
   */
  readonly isHeadSticky?: boolean;
  /** Its rows have one line each: 40 px, for lists that are read from top to bottom. */
  readonly isDense?: boolean;
}

export function DataTable<Row>(props: Props<Row>) {
  const {
    caption,
    columns,
    rows,
    toKey,
    toHref,
    selectedKey,
    isBusy = false,
    isAlwaysTable = false,
    isSlim = false,
    isHeadSticky = false,
    isDense = false,
  } = props;
  const isCards = !isAlwaysTable;
  useRowsAnnounced(isBusy, `${caption}: ${count(rows.length, "row")}`);
  return (
    // A table that is wider than its place scrolls, and a keyboard must be able to scroll it.
    <div
      role="region"
      aria-label={caption}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className={clsx(
        "focus-visible:-outline-offset-2",
        isCards && (isSlim ? "@container/slim-table" : "@container/table"),
        !isHeadSticky && "contain-inline-size overflow-x-auto",
      )}
    >
      {isBusy && (
        // A line and no fading: the rows of before stay as readable as they were.
        <div aria-hidden="true" className={ON_THE_WAY}>
          <div className="h-0.5 animate-appear bg-accent" />
        </div>
      )}
      <table
        role="table"
        aria-busy={isBusy}
        className={clsx("w-full", isHeadSticky && "table-fixed", isCards && "as-cards:block")}
      >
        <caption className="sr-only">{caption}</caption>
        {isHeadSticky && (
          // A head that is only there to be read out does not give the columns their widths.
          <colgroup>
            {columns.map(({ id, className }) => (
              <col key={id} className={className} />
            ))}
          </colgroup>
        )}
        <thead role="rowgroup" className={isCards ? "as-cards:sr-only" : "max-sm:sr-only"}>
          <tr role="row" className={clsx("text-left text-xs text-ink-soft", !isHeadSticky && "border-b border-line")}>
            {columns.map(({ id, header, align, className }) => (
              <th
                key={id}
                role="columnheader"
                scope="col"
                className={clsx(
                  CELL,
                  isCards ? IN_CARD : IN_TABLE,
                  "py-2 font-medium whitespace-nowrap",
                  align === "end" && "text-right",
                  isHeadSticky && STICKY,
                  className,
                )}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className={clsx(isCards && "as-cards:block")}>
          {rows.map((row) => {
            const key = toKey(row);
            const href = toHref?.(row);
            return (
              <tr
                key={key}
                role="row"
                aria-current={key === selectedKey || undefined}
                className={clsx(ROW, isCards && CARD, href !== undefined && "hover:bg-hover/60")}
              >
                {columns.map((column) => (
                  <Cell key={column.id} column={column} row={row} href={href} isCards={isCards} isDense={isDense} />
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Once the rows that were asked for are there: the focus is still on the filter or page that asked. */
function useRowsAnnounced(isBusy: boolean, text: string): void {
  const say = useEffectEvent(() => announce(text));
  useEffect(() => (isBusy ? () => say() : undefined), [isBusy]);
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly href: string | undefined;
  readonly isCards: boolean;
  readonly isDense: boolean;
}

function Cell<Row>({ column, row, href, isCards, isDense }: CellProps<Row>) {
  const { header, isMain = false, align = "start", inCard = isMain ? "bare" : "labelled", className } = column;
  const content = column.cell(row);
  return (
    <td
      role="cell"
      className={clsx(
        CELL,
        isCards ? IN_CARD : IN_TABLE,
        isDense ? "py-2" : "py-2.5",
        "align-middle",
        isCards && "as-cards:flex as-cards:items-baseline as-cards:justify-between as-cards:gap-4 as-cards:py-1",
        align === "end" && (isCards ? "as-table:text-right as-table:tabular-nums" : "text-right tabular-nums"),
        isCards && inCard === "never" && "as-cards:hidden",
        isCards && isMain && "as-cards:order-first",
        className,
      )}
    >
      {isCards && inCard === "labelled" && (
        <span aria-hidden="true" className="shrink-0 text-xs text-ink-soft as-table:hidden">
          {header}
        </span>
      )}
      {isMain && href !== undefined ? (
        <PageLink href={href} data-row className={COVERING_LINK}>
          {content}
        </PageLink>
      ) : (
        <div className={clsx(CONTENT, isCards && "as-cards:text-right as-cards:first:text-left")}>{content}</div>
      )}
    </td>
  );
}

const CELL = "px-3 first:pl-5 last:pr-5 min-w-0";
const IN_CARD = "as-cards:px-4!";
const IN_TABLE = "max-sm:px-1.5 max-sm:first:pl-4 max-sm:last:pr-4";
/** Below the bar that a small window has at its top. A border would stay behind in the table, a shadow does not. */
const STICKY = "sticky top-14 z-2 bg-surface shadow-[inset_0_-1px_0_var(--color-line)] lg:top-0";
const ON_THE_WAY = "sticky top-14 z-3 h-0 lg:top-0";
/** Controls lie above the link that covers the row. */
const CONTENT = "min-w-0 [&_:is(a,button,time)]:relative [&_:is(a,button,time)]:z-1";
/** A box for choosing the row stands beside all of its lines. */
const CARD = "as-cards:flex as-cards:flex-col as-cards:py-2.5 as-cards:has-[label]:pl-7";
const ROW = clsx(
  "relative border-b border-line transition-colors duration-100 last:border-b-0",
  "has-checked:bg-accent-soft/60 aria-current:bg-accent-soft aria-current:hover:bg-accent-soft",
);
const COVERING_LINK = clsx(
  "block min-w-0 scroll-mt-28 rounded-sm font-medium text-ink hover:text-accent lg:scroll-mt-14",
  "after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2",
  "focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent",
);
