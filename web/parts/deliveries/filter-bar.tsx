/** Above the log: the filters that are on, the search and the export. */
import clsx from "clsx";
import { Download, ListFilter } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { dashboardAddress, serviceNowMs } from "../../api.ts";
import { Button, Mark, toButtonClasses, ToggleButton } from "../../ui/button.tsx";
import { DELIVERY_LOOKS } from "../../ui/chips.tsx";
import { timeZone } from "../../words.ts";
import { SearchInput, type SearchStep } from "../search/search-box.tsx";
import { Choices, EventTypeFilter, FilterMenu, ResponseFilter, TimeFilter, WebhookFilter } from "./filter-choices.tsx";
import { SavedViews } from "./saved-views.tsx";
import {
  countOn,
  type FilterName,
  parseQuery,
  parseStatuses,
  STATUSES,
  statusesInWords,
  withFilter,
  withoutFilters,
  withStatusToggled,
} from "./filters.ts";

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams, step?: SearchStep) => void;
  readonly destinations: readonly DestinationView[];
  /** Nothing was ever sent: the search alone finds something, sessions that nothing was sent for. */
  readonly isBare: boolean;
  /** A delivery is open beside the list. */
  readonly isFolded: boolean;
  /** The actions on the list as it is filtered, at the row's end. */
  readonly children?: ReactNode;
}

export function FilterBar({ search, onChange, destinations, isFolded, isBare, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const on = countOn(search);
  const hidesOff = "[&>div:not([data-on])]:hidden [&>button[aria-pressed=false]]:hidden";
  const hidesOffBelow = "max-lg:[&>div:not([data-on])]:hidden max-lg:[&>button[aria-pressed=false]]:hidden";
  return (
    <search aria-label="Deliveries" className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <SearchField search={search} onChange={onChange} />
      {!isBare && (
        <Button
          icon={<ListFilter />}
          size="sm"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className={clsx("min-h-8!", !isFolded && "lg:hidden")}
        >
          Filters
        </Button>
      )}
      <div
        id={id}
        className={clsx(
          "flex min-w-0 flex-wrap items-center gap-1.5",
          // Then they have a line of their own, and search and figures keep theirs.
          on > 1 && "order-last basis-full",
          "sm:max-xl:order-last",
          !isOpen && (isFolded ? hidesOff : hidesOffBelow),
          !isOpen && on === 0 && (isFolded ? "hidden" : "max-lg:hidden"),
          isBare && "hidden",
        )}
      >
        <Filters search={search} onChange={onChange} destinations={destinations} />
        <SavedViews search={search} onChange={onChange} />
        {on > 1 && (
          <Button size="sm" tone="quiet" onClick={() => onChange(withoutFilters(search))}>
            Clear filters
          </Button>
        )}
      </div>
      {children !== undefined && <div className="ml-auto flex items-center gap-2">{children}</div>}
    </search>
  );
}

type PartProps = Pick<Props, "search" | "onChange" | "destinations">;

function Filters({ search, onChange, destinations }: PartProps) {
  const statuses = parseStatuses(search);
  const hasTests = search.get("tests") === "1";
  const set = (name: FilterName, value: string | null): void => onChange(withFilter(search, name, value));
  return (
    <>
      <FilterMenu
        label="Status"
        value={statuses.length === 0 ? null : statusesInWords(statuses, DELIVERY_LOOKS)}
        onClear={() => set("status", null)}
      >
        <Choices
          choices={STATUS_CHOICES}
          chosen={statuses}
          onChoose={(status) => onChange(withStatusToggled(search, status))}
          isMany
        />
      </FilterMenu>
      <EventTypeFilter chosen={search.get("event")} onChange={(type) => set("event", type)} />
      <WebhookFilter destinations={destinations} chosen={search.get("destination")} onChange={set} />
      <ResponseFilter value={search.get("response")} onChange={(value) => set("response", value)} />
      <TimeFilter search={search} onChange={onChange} />
      <ToggleButton label="Show tests" isOn={hasTests} onToggle={() => set("tests", hasTests ? null : "1")} />
    </>
  );
}

const STATUS_CHOICES = STATUSES.map((status) => ({
  value: status,
  label: DELIVERY_LOOKS[status].word,
  icon: DELIVERY_LOOKS[status].icon,
}));

/* The log's search box. It goes together with every filter of the log. */

const SearchField = ({ search, onChange }: Pick<Props, "search" | "onChange">) => (
  <SearchInput
    label="Search deliveries"
    value={search.get("q") ?? ""}
    onSearch={(text, step) => onChange(withFilter(search, "q", text), step)}
    className="flex-1 basis-32 sm:basis-40 lg:max-w-96"
  />
);

/* A file of all that the filters find, by one click. Plain links: the browser shows how far the download is. */

type Ending = "csv" | "ndjson";

export const EXPORTS: readonly { readonly ending: Ending; readonly label: string }[] = [
  { ending: "csv", label: "Export CSV" },
  { ending: "ndjson", label: "Export NDJSON" },
];

export function ExportLinks({ search }: { readonly search: URLSearchParams }) {
  return (
    <span className="inline-flex items-center">
      <a href={exportHref(search, "csv")} download className={toButtonClasses({ tone: "quiet" })}>
        <Mark>
          <Download />
        </Mark>
        Export CSV
      </a>
      <a
        href={exportHref(search, "ndjson")}
        download
        aria-label="Export NDJSON"
        className={toButtonClasses({ tone: "quiet" })}
      >
        NDJSON
      </a>
    </span>
  );
}

/** It has every page, from the newest on, with times in the zone of the reader. */
export function exportHref(search: URLSearchParams, ending: Ending): string {
  const { cursor: _, ...filters } = parseQuery(search, serviceNowMs());
  const query = new URLSearchParams({ zone: timeZone() });
  for (const [name, value] of Object.entries(filters)) query.set(name, value);
  return dashboardAddress(`/export/deliveries.${ending}?${query}`);
}
