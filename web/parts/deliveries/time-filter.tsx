/** When a delivery was accepted: since a while, or between two instants in the reader's own time zone. */
import { Input } from "../../ui/input.tsx";
import { Choices } from "./choices.tsx";
import { FilterMenu } from "./filter-menu.tsx";
import { timeInWords } from "./filter-words.ts";
import { RANGES, instantOfLocalInput, localInputValue, withFilter } from "./filters.ts";

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
}

export function TimeFilter({ search, onChange }: Props) {
  return (
    // Without a range there are no instants either.
    <FilterMenu label="Time" value={timeInWords(search)} onClear={() => onChange(withFilter(search, "range", null))}>
      <Choices
        choices={RANGES}
        chosen={[search.get("range") ?? ""]}
        onChoose={(range) => onChange(withFilter(search, "range", range))}
      />
      <div className="mt-1 space-y-2 border-t border-line p-2">
        <Instant label="From" name="from" search={search} onChange={onChange} />
        <Instant label="Until" name="to" search={search} onChange={onChange} />
      </div>
    </FilterMenu>
  );
}

interface InstantProps extends Props {
  readonly label: string;
  readonly name: "from" | "to";
}

function Instant({ label, name, search, onChange }: InstantProps) {
  return (
    <label className="block text-sm text-ink-soft">
      {label}
      <Input
        type="datetime-local"
        value={localInputValue(search.get(name))}
        onChange={(event) => onChange(withFilter(search, name, instantOfLocalInput(event.target.value)))}
      />
    </label>
  );
}
