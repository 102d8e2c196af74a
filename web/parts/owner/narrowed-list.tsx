/** A list that somebody can search, narrow and put in order once it is longer than a glance. The address has it all. */
import { SearchX } from "lucide-react";
import { useSearchParams } from "wouter";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Select } from "../../ui/controls.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { useAnnounced } from "../../ui/announcer.tsx";
import { EmptyState } from "../../ui/loaded.tsx";
import { number } from "../../words.ts";
import { isShown, type Listed, narrow, readWish, type Show, SHOWS, type Sort, SORTS, type Wish } from "./by-need.ts";

interface Props<Row> {
  /** Many of them: "alerts". */
  readonly what: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly toKey: (row: Row) => string;
  readonly toHref: (row: Row) => string;
}

/** As many as are seen at a glance. */
const SEEN_MAX = 7;

const SHOW_LABELS: Readonly<Record<Show, string>> = { all: "All", on: "On", off: "Off", failing: "Failing" };
const SORT_LABELS: Readonly<Record<Sort, string>> = {
  need: "Needs attention first",
  name: "By name",
  busiest: "Busiest first",
};

export function NarrowedList<Row extends Listed>({ what, rows, ...table }: Props<Row>) {
  const [search, setSearch] = useSearchParams();
  const wish = readWish(search);
  const found = narrow(rows, wish);
  const change = (next: Partial<Wish>): void =>
    setSearch(
      (before) => Object.entries({ ...Object.fromEntries(before), ...next }).filter(([, text]) => text !== ""),
      {
        replace: true,
      },
    );
  const caption = `${what.replace(/^./, (c) => c.toUpperCase())}, ${SPOKEN[wish.sort]}`;
  useAnnounced(`${caption}: ${number(found.length)} of ${number(rows.length)}`);
  return (
    <>
      {(rows.length > SEEN_MAX || found.length < rows.length) && <Bar {...{ what, rows, wish }} onChange={change} />}
      {found.length === 0 ? (
        <EmptyState
          icon={SearchX}
          title={`No ${what} match`}
          action={<Button onClick={() => change({ q: "", show: "all" })}>Show all {number(rows.length)}</Button>}
        >
          {missingWords(wish, what)}
        </EmptyState>
      ) : (
        <DataTable {...table} caption={caption} rows={found} />
      )}
    </>
  );
}

const SPOKEN: Readonly<Record<Sort, string>> = {
  need: "those that need attention first",
  name: "by name",
  busiest: "the busiest first",
};

/** What was looked for, in a sentence. */
function missingWords({ q, show }: Wish, what: string): string {
  const among = show === "all" ? "" : ` among those that are ${SHOW_LABELS[show].toLowerCase()}`;
  return q.trim() === ""
    ? `There are no ${what}${among}.`
    : `Nothing has “${q.trim()}” in its name or address${among}.`;
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
    </search>
  );
}
