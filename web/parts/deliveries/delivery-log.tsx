/** The list of the log in all its states: on the way, empty, nothing that matches, not readable, rows. */
import clsx from "clsx";
import { ArrowUp, SearchX, Send } from "lucide-react";
import type { DeliveryList, DeliveryQuery, DeliveryRow } from "../../../src/dashboard/contract/deliveries.ts";
import { ApiProblem } from "../../api.ts";
import { useAnswerWhen, useSession } from "../../query.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState, Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { number } from "../../words.ts";
import { askAgainMs } from "../search/ask-again.ts";
import { Matches, NothingFound, SearchNotes } from "../search/search-notes.tsx";
import { nameOf, ownerName, useDeliveryColumns } from "./delivery-columns.tsx";
import { type FilterName, hasFilters, logHref, totalInWords, withFilter, withoutFilters } from "./filters.ts";
import { recordWords } from "../uses.ts";
import { selectColumn, type Selection } from "../selection/selection-column.tsx";
import type { News, useDeliveryList } from "./use-delivery-list.ts";

interface Props {
  readonly list: ReturnType<typeof useDeliveryList>;
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
  /** The delivery that is open beside the list. */
  readonly openId: string | undefined;
  /** None where nothing could be done with it. */
  readonly selection: Selection | undefined;
  /** Something is set up that sends. */
  readonly hasWebhooks: boolean;
  /** The bar above says what is new. */
  readonly isNewsInBar: boolean;
}

export function DeliveryLog(props: Props) {
  const { list, search, onChange, openId, selection, hasWebhooks, isNewsInBar } = props;
  const { query, news } = list;
  const filterHref = (name: FilterName, value: string): string => logHref(withFilter(search, name, value));
  const { columns, isDense } = useDeliveryColumns(filterHref, openId !== undefined);
  const clear = (): void => onChange(withoutFilters(search));
  const show = (): void => {
    list.show();
    // New rows stand above everything else.
    window.scrollTo({ top: 0 });
  };
  if (query.data === undefined && isUnreadable(query.error)) {
    return (
      <EmptyState
        icon={SearchX}
        title="The filters in the address can’t be read"
        action={<ClearButton onClear={clear} />}
      >
        {query.error?.message}
      </EmptyState>
    );
  }
  return (
    <>
      {!isNewsInBar && <NewRows news={news} onShow={show} isAfloat />}
      <Loaded what="deliveries" query={query}>
        {({ deliveries, nextCursor, search: found }) =>
          deliveries.length === 0 && found !== null ? (
            <>
              <SearchNotes search={found} />
              <NothingFound search={found} what="deliveries" action={<ClearButton onClear={clear} />}>
                {searchedInWords(search)}
              </NothingFound>
              <Pager label="Deliveries" nextCursor={nextCursor} />
            </>
          ) : deliveries.length === 0 ? (
            <Nothing search={search} onChange={onChange} hasWebhooks={hasWebhooks} />
          ) : (
            <Matches value={found?.matches ?? {}}>
              <SearchNotes search={found} />
              <DataTable
                caption="Deliveries, newest first"
                columns={selection === undefined ? columns : [boxes(selection), ...columns]}
                rows={deliveries}
                toKey={({ id }) => id}
                toHref={({ id }) => logHref(search, id)}
                selectedKey={openId}
                isBusy={query.isPlaceholderData}
                isAlwaysTable
                isDense={isDense}
                isHeadSticky
              />
              <Pager label="Deliveries" nextCursor={nextCursor} />
            </Matches>
          )
        }
      </Loaded>
    </>
  );
}

const boxes = (selection: Selection) =>
  selectColumn<DeliveryRow>({
    selection,
    all: "Select all rows of this page",
    toId: ({ id }) => id,
    toName: (row) => `${nameOf(row)} to ${ownerName(row)}`,
    className: "w-10 sm:w-11",
  });

const isUnreadable = (error: Error | null): boolean =>
  error instanceof ApiProblem && error.code === "invalid_parameter";

function Nothing({ search, onChange, hasWebhooks }: Pick<Props, "search" | "onChange" | "hasWebhooks">) {
  const session = useSession();
  if (search.has("cursor")) {
    return (
      <EmptyState
        icon={SearchX}
        title="There is nothing older"
        action={<LinkButton href={logHref(withFilter(search, "q", search.get("q")))}>Newest deliveries</LinkButton>}
      >
        What stood on this page has reached the end of its retention time.
      </EmptyState>
    );
  }
  if (hasFilters(search) || search.get("tests") === "1") {
    return (
      <EmptyState
        icon={SearchX}
        title="No deliveries match these filters"
        action={<ClearButton onClear={() => onChange(withoutFilters(search))} />}
      >
        {searchedInWords(search)}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Send}
      title="No deliveries yet"
      action={
        hasWebhooks ? (
          <Button onClick={() => onChange(withFilter(search, "tests", "1"))}>Show tests</Button>
        ) : (
          <LinkButton href="/settings/alerts">Set up an alert</LinkButton>
        )
      }
    >
      A delivery is one event on its way to one webhook. Each appears here with every attempt as soon as the next{" "}
      {recordWords(session)} is sent.
    </EmptyState>
  );
}

/** What the reader searched for, as typed, and whether with tests. */
function searchedInWords(search: URLSearchParams): string {
  const text = search.get("q")?.trim() ?? "";
  const tests = search.get("tests") === "1" ? "Tests are included." : "Tests are left out.";
  return text === "" ? tests : `You searched for “${text}”. ${tests}`;
}

function ClearButton({ onClear }: { readonly onClear: () => void }) {
  return <Button onClick={onClear}>Clear filters</Button>;
}

/*
 * "12 new · Show": rows that have come while somebody reads, held back until they are asked for. In the place of the
 * total at the top of the page, and above the rows where that has scrolled away.
 */

interface NewRowsProps {
  readonly news: News | null;
  readonly onShow: () => void;
  readonly isAfloat?: boolean;
}

export function NewRows({ news, onShow, isAfloat = false }: NewRowsProps) {
  return (
    // It is there before its first word, or readers of the screen would not hear of it. Above the rows it takes no
    // room, or they would move for it.
    <div
      role="status"
      className={clsx(isAfloat && "sticky top-16 z-10 flex h-0 items-start justify-center sm:top-24 lg:top-10")}
    >
      {news !== null && (
        <div
          className={clsx(
            "flex items-center gap-2 rounded-full border border-line bg-raised py-1 pr-1 pl-3.5",
            isAfloat && "my-2 shadow-popup",
          )}
        >
          <span>
            {number(news.count)}
            {news.isCapped && "+"} new
          </span>
          <Button size="sm" tone="primary" icon={<ArrowUp />} onClick={onShow} className="rounded-full!">
            Show
          </Button>
        </div>
      )}
    </div>
  );
}

/*
 * How many deliveries the filters find. One page counts itself; behind a longer list the service counts, up to a bound,
 * and beyond it the words say so.
 */

interface TotalProps {
  /** The answer for the page that is shown. */
  readonly list: DeliveryList | undefined;
  /** The question that it answers. */
  readonly query: DeliveryQuery;
}

/** A guess: a busy account grows all the time, and each count costs up to some tens of milliseconds. */
const AGAIN_MS = 15_000;

export function Total({ list, query }: TotalProps) {
  const { cursor, ...everyPage } = query;
  const isOnePage = cursor === undefined && list?.nextCursor === null;
  const wanted = list === undefined || isOnePage ? null : { query: everyPage };
  const total = useAnswerWhen("GET /deliveries/total", wanted, { againMs: askAgainMs(query.q ?? "", AGAIN_MS) });
  if (list === undefined) return null;
  const words = totalInWords({ rows: list.deliveries.length, isOnePage, total: total.data });
  return <span className="text-sm whitespace-nowrap text-ink-soft tabular-nums">{words}</span>;
}
