/** The list of the log in all its states: on the way, empty, nothing that matches, not readable, rows. */
import { SearchX, Send } from "lucide-react";
import { ApiProblem } from "../../api-problem.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Matches } from "../search/match-line.tsx";
import { NothingFound, SearchNotes } from "../search/search-notes.tsx";
import { useDeliveryColumns } from "./delivery-columns.tsx";
import { type FilterName, hasFilters, logHref, withFilter, withoutFilters } from "./filters.ts";
import { NewRows } from "./new-rows.tsx";
import { selectColumn } from "./select-column.tsx";
import type { useDeliveryList } from "./use-delivery-list.ts";
import type { Selection } from "./use-selection.ts";

interface Props {
  readonly list: ReturnType<typeof useDeliveryList>;
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
  /** The delivery that is open beside the list. */
  readonly openId: string | undefined;
  /** None where nothing could be done with it. */
  readonly selection: Selection | undefined;
}

export function DeliveryLog({ list, search, onChange, openId, selection }: Props) {
  const { query, news } = list;
  const filterHref = (name: FilterName, value: string): string => logHref(withFilter(search, name, value));
  const columns = useDeliveryColumns(filterHref, openId !== undefined);
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
      <NewRows news={news} onShow={show} />
      <Loaded what="deliveries" query={query}>
        {({ deliveries, nextCursor, search: found }) =>
          deliveries.length === 0 && found !== null ? (
            <>
              <SearchNotes search={found} />
              <NothingFound search={found} what="deliveries" action={<ClearButton onClear={clear} />}>
                {search.get("tests") === "1" ? "Tests are included." : "Tests are left out."}
              </NothingFound>
              <Pager label="Deliveries" nextCursor={nextCursor} />
            </>
          ) : deliveries.length === 0 ? (
            <Nothing search={search} onChange={onChange} />
          ) : (
            <Matches value={found?.matches ?? {}}>
              <SearchNotes search={found} />
              <DataTable
                caption="Deliveries, newest first"
                columns={selection === undefined ? columns : [selectColumn(selection), ...columns]}
                rows={deliveries}
                toKey={({ id }) => id}
                toHref={({ id }) => logHref(search, id)}
                selectedKey={openId}
                isBusy={query.isPlaceholderData}
                isAlwaysTable
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

const isUnreadable = (error: Error | null): boolean =>
  error instanceof ApiProblem && error.code === "invalid_parameter";

function Nothing({ search, onChange }: Pick<Props, "search" | "onChange">) {
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
  if (hasFilters(search)) {
    return (
      <EmptyState
        icon={SearchX}
        title="No deliveries match these filters"
        action={<ClearButton onClear={() => onChange(withoutFilters(search))} />}
      >
        {search.get("tests") === "1" ? "Tests are included." : "Tests are left out."}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Send}
      title="No deliveries yet"
      action={<LinkButton href="/settings/alerts">Set up an alert</LinkButton>}
    >
      A delivery is one event on its way to one webhook. Each appears here with every attempt as soon as a session or a
      conversation is sent.
    </EmptyState>
  );
}

function ClearButton({ onClear }: { readonly onClear: () => void }) {
  return <Button onClick={onClear}>Clear filters</Button>;
}
