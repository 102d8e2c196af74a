/** The log's filters. All lie in the address, so reload, Back and a link that somebody sends show the same list. */
import clsx from "clsx";
import { ListFilter } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { DELIVERY_LOOKS } from "../../ui/status-chip.tsx";
import { eventLabel } from "../event-words.ts";
import { type FilterName, STATUSES, parseStatuses, withFilter, withStatusToggled } from "./filters.ts";
import { ResponseFilter } from "./response-filter.tsx";
import { TimeFilter } from "./time-filter.tsx";

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
  readonly destinations: readonly DestinationView[];
  /** Behind their button, as on small screens: a delivery is open beside the list. */
  readonly isFolded: boolean;
}

export function FilterBar({ search, onChange, destinations, isFolded }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { eventTypes } = useSession();
  const set = (name: FilterName, value: string | null): void => onChange(withFilter(search, name, value));
  const events = [anything("Any event"), ...eventTypes.map((type) => ({ value: type, label: eventLabel(type) }))];
  return (
    <search aria-label="Deliveries" className="px-5 py-4 max-sm:px-4">
      <div className="flex gap-2">
        <IdSearch key={search.get("q")} search={search} onChange={onChange} />
        <Button
          icon={<ListFilter />}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className={clsx(!isFolded && "md:hidden")}
        >
          Filters
        </Button>
      </div>
      <div id={id} className={clsx("space-y-3 pt-3", !isOpen && (isFolded ? "hidden" : "max-md:hidden"))}>
        <div className="flex flex-wrap items-end gap-2">
          <Field label="Event" isLabelHidden className={WIDTH}>
            {({ id: controlId }) => (
              <Select
                id={controlId}
                options={events}
                value={search.get("event") ?? ""}
                onChange={(event) => set("event", event.target.value)}
              />
            )}
          </Field>
          <Field label="Destination" isLabelHidden className={WIDTH}>
            {({ id: controlId }) => (
              <Select
                id={controlId}
                options={[anything("Any destination"), ...choices(destinations, search.get("destination"))]}
                value={search.get("destination") ?? ""}
                onChange={(event) => set("destination", event.target.value)}
              />
            )}
          </Field>
          <ResponseFilter
            value={search.get("response")}
            onChange={(value) => set("response", value)}
            className={WIDTH}
          />
          <TimeFilter search={search} onChange={onChange} className={WIDTH} />
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Statuses search={search} onChange={onChange} />
          <Checkbox
            label="Show tests"
            checked={search.get("tests") === "1"}
            onChange={(event) => set("tests", event.target.checked ? "1" : null)}
          />
        </div>
      </div>
    </search>
  );
}

const WIDTH = "min-w-0 flex-1 basis-44";

const anything = (label: string) => ({ value: "", label });

/** A destination that is gone may still be what the log is filtered by. */
function choices(destinations: readonly DestinationView[], chosen: string | null) {
  const known = destinations.map(({ id, owner }) => ({ value: id, label: owner.name }));
  const isUnknown = chosen !== null && chosen !== "" && !destinations.some(({ id }) => id === chosen);
  return isUnknown ? [...known, { value: chosen, label: "A deleted destination" }] : known;
}

type PartProps = Pick<Props, "search" | "onChange">;

function IdSearch({ search, onChange }: PartProps) {
  const [text, setText] = useState(search.get("q") ?? "");
  const find = (event: FormEvent): void => {
    event.preventDefault();
    onChange(withFilter(search, "q", text));
  };
  return (
    <form onSubmit={find} className="min-w-0 flex-1">
      <Field label="Find by id" isLabelHidden>
        {({ id }) => (
          <Input
            id={id}
            type="search"
            placeholder="Id of a delivery, event, session or conversation"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={find}
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </Field>
    </form>
  );
}

function Statuses({ search, onChange }: PartProps) {
  const chosen = parseStatuses(search);
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1.5">
      <legend className="sr-only">Status</legend>
      {STATUSES.map((status) => {
        const { word, icon: Icon } = DELIVERY_LOOKS[status];
        const isOn = chosen.includes(status);
        return (
          <button
            key={status}
            type="button"
            aria-pressed={isOn}
            onClick={() => onChange(withStatusToggled(search, status))}
            className={clsx(
              "inline-flex min-h-7 items-center gap-1.5 rounded-full border px-2.5 text-sm font-medium",
              "transition-colors duration-100",
              isOn
                ? "border-accent bg-accent-soft text-accent"
                : "border-line bg-surface text-ink-soft hover:border-line-strong hover:text-ink",
            )}
          >
            <Icon aria-hidden="true" className="size-3.5 shrink-0" />
            {word}
          </button>
        );
      })}
    </fieldset>
  );
}
