/**
 * The log's filters in one row. All lie in the address, so reload, Back and a link that somebody sends show the same
 * list. On a small screen, and beside an open delivery, those that are off wait behind a button.
 */
import clsx from "clsx";
import { ListFilter } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { DELIVERY_LOOKS } from "../../ui/status-chip.tsx";
import { ToggleButton } from "../../ui/toggle-button.tsx";
import { eventLabel } from "../event-words.ts";
import { Choices } from "./choices.tsx";
import { FilterMenu } from "./filter-menu.tsx";
import {
  type FilterName,
  STATUSES,
  countOn,
  parseStatuses,
  withFilter,
  withStatusToggled,
  withoutFilters,
} from "./filters.ts";
import { statusesInWords } from "./filter-words.ts";
import { ResponseFilter } from "./response-filter.tsx";
import { SearchField } from "./search-field.tsx";
import { TimeFilter } from "./time-filter.tsx";
import { WebhookFilter } from "./webhook-filter.tsx";

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
  readonly destinations: readonly DestinationView[];
  /** A delivery is open beside the list. */
  readonly isFolded: boolean;
  /** The actions on the list as it is filtered, at the row's end. */
  readonly children?: ReactNode;
}

export function FilterBar({ search, onChange, destinations, isFolded, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const on = countOn(search);
  const hidesOff = "[&>div:not([data-on])]:hidden [&>button[aria-pressed=false]]:hidden";
  const hidesOffBelow = "max-lg:[&>div:not([data-on])]:hidden max-lg:[&>button[aria-pressed=false]]:hidden";
  return (
    <search aria-label="Deliveries" className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <SearchField key={search.get("q")} search={search} onChange={onChange} />
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
      <div
        id={id}
        className={clsx(
          "flex min-w-0 flex-wrap items-center gap-1.5",
          // Then they have a line of their own, and search and figures keep theirs.
          on > 1 && "order-last basis-full",
          "sm:max-lg:order-last",
          !isOpen && (isFolded ? hidesOff : hidesOffBelow),
          !isOpen && on === 0 && (isFolded ? "hidden" : "max-lg:hidden"),
        )}
      >
        <Filters search={search} onChange={onChange} destinations={destinations} />
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
  const { eventTypes } = useSession();
  const statuses = parseStatuses(search);
  const event = search.get("event");
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
      <FilterMenu
        label="Event"
        value={event === null || event === "" ? null : (eventLabel(event as never) ?? event)}
        onClear={() => set("event", null)}
      >
        <Choices
          choices={eventTypes.map((type) => ({ value: type, label: eventLabel(type) }))}
          chosen={[event ?? ""]}
          onChoose={(type) => set("event", type)}
        />
      </FilterMenu>
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
