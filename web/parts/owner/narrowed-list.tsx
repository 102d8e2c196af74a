/**
 * A list of webhooks that somebody can search, narrow, put in order and page through once it is longer than a glance,
 * and in which an owner chooses some, or all that the filter shows, for one step. The address has all but the choice.
 */
import clsx from "clsx";
import { ChevronLeft, ChevronRight, SearchX } from "lucide-react";
import { Suspense, useState } from "react";
import { useSearchParams } from "wouter";
import type { Owner } from "../../../src/domain/event.ts";
import { later } from "../../later.ts";
import { useSession } from "../../query.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Select } from "../../ui/controls.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { useAnnounced } from "../../ui/announcer.tsx";
import { EmptyState } from "../../ui/loaded.tsx";
import { useMedia } from "../../ui/use-media.ts";
import { number, upperFirst } from "../../words.ts";
import { selectColumn, type Selection, toSelection, useSelected } from "../selection/selection-column.tsx";
import {
  countTags,
  cutPage,
  isShown,
  type Listed,
  narrow,
  PAGE_ROWS,
  readWish,
  type Show,
  SHOWS,
  type Sort,
  SORTS,
  type Wish,
  writeWish,
} from "./by-need.ts";

const ChosenBar = later(() => import("../chosen/chosen-bar.tsx"), "ChosenBar");

interface Props<Row> {
  /** Many of them: "alerts". */
  readonly what: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly toKey: (row: Row) => string;
  readonly toHref: (row: Row) => string;
  /** Whose the webhook is; `null` where nothing can be done with it. */
  readonly toOwner: (row: Row) => Owner | null;
}

/** As many as are seen at a glance. */
const SEEN_MAX = 7;

/** On less, boxes are there while somebody selects: a row needs its width for its name. */
const WIDE_FOR_BOXES = "(min-width: 40rem)";

const SHOW_LABELS: Readonly<Record<Show, string>> = { all: "All", on: "On", off: "Off", failing: "Failing" };
const SORT_LABELS: Readonly<Record<Sort, string>> = {
  need: "Needs attention first",
  name: "By name",
  busiest: "Busiest first",
};

export function NarrowedList<Row extends Listed>({ what, rows, columns, ...list }: Props<Row>) {
  const [search, setSearch] = useSearchParams();
  const { toKey, toOwner } = list;
  const wish = readWish(search);
  const found = narrow(rows, wish);
  const page = cutPage(found, wish.page);
  const [isSelecting, setSelecting] = useState(false);
  const choice = useChoice({ search, found, toKey, toOwner });
  const { role } = useSession();
  const isOwner = role === "owner";
  const hasBoxes = useMedia(WIDE_FOR_BOXES) || isSelecting;
  const change = (next: Partial<Wish>): void => setSearch((before) => writeWish(before, next), { replace: true });
  const caption = `${upperFirst(what)}, ${SPOKEN[wish.sort]}`;
  useAnnounced(`${caption}: ${number(found.length)} of ${number(rows.length)}${spokenPage(found.length, page.from)}`);
  const boxes = selectColumn<Row>({
    selection: choice.selection,
    all: `Select all ${number(choice.ids.length)} ${what}`,
    toId: toKey,
    toName: (row) => (toOwner(row) === null ? null : row.name),
    // In a card the box stands beside all lines, and its cell takes none.
    className: "w-10 sm:w-11 as-cards:contents!",
  });
  const hasBar = rows.length > SEEN_MAX || found.length < rows.length || rows.some((row) => row.destination?.tags[0]);
  return (
    <>
      {hasBar && <Bar {...{ what, rows, wish }} onChange={change} />}
      {isOwner && !hasBoxes && found.length > 0 && (
        <div className="border-b border-line px-4 py-2">
          <Button size="sm" onClick={() => setSelecting(true)}>
            Select
          </Button>
        </div>
      )}
      {found.length === 0 ? (
        <EmptyState
          icon={SearchX}
          title={`No ${what} match`}
          action={
            <Button onClick={() => change({ q: "", show: "all", tags: [] })}>Show all {number(rows.length)}</Button>
          }
        >
          {missingWords(wish, what)}
        </EmptyState>
      ) : (
        <DataTable
          {...list}
          columns={isOwner && hasBoxes ? [boxes, ...columns] : columns}
          caption={caption}
          rows={page.rows}
        />
      )}
      <Pages {...{ what, search }} from={page.from} count={found.length} />
      {isOwner && hasBoxes && (
        <Suspense>
          <ChosenBar
            what={what}
            chosen={choice.chosen}
            all={choice.ids.length}
            tags={countTags(rows).map(([tag]) => tag)}
            onAll={() => choice.selection.select(choice.ids)}
            onClear={choice.selection.clear}
            onDone={isSelecting ? () => setSelecting(false) : undefined}
          />
        </Suspense>
      )}
    </>
  );
}

interface ChoiceOptions<Row> extends Pick<Props<Row>, "toKey" | "toOwner"> {
  readonly search: URLSearchParams;
  /** On every page. */
  readonly found: readonly Row[];
}

/** The chosen among those that are found: a row that leaves the list leaves the choice. Other pages are kept. */
function useChoice<Row extends Listed>({ search, found, toKey, toOwner }: ChoiceOptions<Row>) {
  const place = writeWish(search, {}).toString();
  const listed = found.flatMap((row) => {
    const owner = toOwner(row);
    return owner === null ? [] : [{ ...owner, key: toKey(row), name: row.name, destination: row.destination }];
  });
  const selection: Selection = toSelection(
    useSelected(place),
    listed.map(({ key }) => ({ id: key })),
  );
  return {
    selection,
    ids: listed.map(({ key }) => key),
    chosen: listed.filter(({ key }) => selection.ids.has(key)),
  };
}

const SPOKEN: Readonly<Record<Sort, string>> = {
  need: "those that need attention first",
  name: "by name",
  busiest: "the busiest first",
};

/** What was looked for, in a sentence. */
function missingWords({ q, show, tags }: Wish, what: string): string {
  const among = show === "all" ? "" : ` among those that are ${SHOW_LABELS[show].toLowerCase()}`;
  const tagged = tags.length === 0 ? "" : ` with the tag ${tags.join(" and ")}`;
  return q.trim() === ""
    ? `There are no ${what}${tagged}${among}.`
    : `Nothing${tagged} has “${q.trim()}” in its name or address${among}.`;
}

/** "51–82 of 82". */
const pageWords = (count: number, from: number): string =>
  `${number(from + 1)}–${number(Math.min(from + PAGE_ROWS, count))} of ${number(count)}`;

const spokenPage = (count: number, from: number): string =>
  count <= PAGE_ROWS ? "" : `, page ${from / PAGE_ROWS + 1}`;

interface PagesProps {
  readonly what: string;
  readonly search: URLSearchParams;
  readonly from: number;
  readonly count: number;
}

/** They have numbers: the list is here whole, and its order is the reader's. */
function Pages({ what, search, from, count }: PagesProps) {
  if (count <= PAGE_ROWS) return null;
  const page = from / PAGE_ROWS + 1;
  const href = (wanted: number): string => {
    const text = writeWish(search, { page: wanted }).toString();
    return `~${location.pathname}${text === "" ? "" : `?${text}`}`;
  };
  return (
    <nav aria-label={`Pages of ${what}`} className="flex items-center gap-2 border-t border-line px-5 py-2.5">
      <span className="mr-auto text-sm text-ink-soft tabular-nums">{pageWords(count, from)}</span>
      {page > 1 && (
        <LinkButton size="sm" href={href(page - 1)} icon={<ChevronLeft />}>
          Previous
        </LinkButton>
      )}
      {from + PAGE_ROWS < count && (
        <LinkButton size="sm" href={href(page + 1)} icon={<ChevronRight />}>
          Next
        </LinkButton>
      )}
    </nav>
  );
}

interface BarProps extends Pick<Props<Listed>, "what" | "rows"> {
  readonly wish: Wish;
  readonly onChange: (next: Partial<Wish>) => void;
}

function Bar({ what, rows, wish, onChange }: BarProps) {
  const counted = (show: Show): string => number(rows.filter((row) => isShown(row, show)).length);
  return (
    <search className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
      <Input
        type="search"
        aria-label={`Search ${what}`}
        placeholder="Name or address"
        value={wish.q}
        onChange={(event) => onChange({ q: event.target.value })}
        spellCheck={false}
        className="flex-1 max-sm:basis-full sm:max-w-md"
      />
      <Field label="Show" isLabelHidden>
        {(control) => (
          <Select
            {...control}
            value={wish.show}
            onChange={(event) => onChange({ show: event.target.value as Show })}
            options={SHOWS.map((show) => ({ value: show, label: `${SHOW_LABELS[show]} (${counted(show)})` }))}
          />
        )}
      </Field>
      <Field label="Order" isLabelHidden>
        {(control) => (
          <Select
            {...control}
            value={wish.sort}
            onChange={(event) => onChange({ sort: event.target.value as Sort })}
            options={SORTS.map((sort) => ({ value: sort, label: SORT_LABELS[sort] }))}
          />
        )}
      </Field>
      <TagChips {...{ rows, wish, onChange }} />
    </search>
  );
}

/** Those of all rows, and those of the address, so that each can be taken out of it. */
function TagChips({ rows, wish: { tags }, onChange }: Omit<BarProps, "what">) {
  const counts = new Map(countTags(rows));
  const shown = [...counts.keys(), ...tags.filter((tag) => !counts.has(tag))];
  if (shown.length === 0) return null;
  return (
    <div role="group" aria-label="Tags" className="flex min-w-0 basis-full flex-wrap gap-1.5">
      {shown.map((tag) => (
        <button
          key={tag}
          type="button"
          aria-pressed={tags.includes(tag)}
          onClick={() => onChange({ tags: tags.includes(tag) ? tags.filter((each) => each !== tag) : [...tags, tag] })}
          className={clsx(
            "inline-flex min-h-6 max-w-full items-center gap-1.5 rounded-full border px-2.5 text-sm",
            tags.includes(tag)
              ? "border-accent bg-accent-soft text-accent"
              : "border-line text-ink-soft hover:bg-hover",
          )}
        >
          <bdi className="truncate">{tag}</bdi>
          <span className="tabular-nums">{number(counts.get(tag) ?? 0)}</span>
        </button>
      ))}
    </div>
  );
}
