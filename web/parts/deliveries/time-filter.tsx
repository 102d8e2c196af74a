/** When a delivery was accepted: since a while, or between two instants in the reader's own time zone. */
import { useState } from "react";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { RANGES, instantOfLocalInput, localInputValue, withFilter } from "./filters.ts";

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
  readonly className: string;
}

const BETWEEN = "between";
const OPTIONS = [
  { value: "", label: "Any time" },
  ...RANGES.map(({ value, label }) => ({ value, label })),
  { value: BETWEEN, label: "Between two times" },
];

export function TimeFilter({ search, onChange, className }: Props) {
  const [isChosen, setChosen] = useState(false);
  const isBetween = isChosen || search.has("from") || search.has("to");
  const choose = (choice: string): void => {
    setChosen(choice === BETWEEN);
    if (choice !== BETWEEN) onChange(withFilter(search, "range", choice));
  };
  return (
    <>
      <Field label="Time" isLabelHidden className={className}>
        {({ id }) => (
          <Select
            id={id}
            options={OPTIONS}
            value={isBetween ? BETWEEN : (search.get("range") ?? "")}
            onChange={(event) => choose(event.target.value)}
          />
        )}
      </Field>
      {isBetween && (
        <div className="flex min-w-0 basis-full flex-wrap gap-x-4 gap-y-2">
          <Instant label="From" name="from" search={search} onChange={onChange} />
          <Instant label="Until" name="to" search={search} onChange={onChange} />
        </div>
      )}
    </>
  );
}

interface InstantProps extends Omit<Props, "className"> {
  readonly label: string;
  readonly name: "from" | "to";
}

function Instant({ label, name, search, onChange }: InstantProps) {
  return (
    <label className="flex min-w-0 flex-1 basis-60 items-center sm:max-w-72 gap-2 text-sm text-ink-soft">
      <span className="w-9 shrink-0">{label}</span>
      <Input
        type="datetime-local"
        value={localInputValue(search.get(name))}
        onChange={(event) => onChange(withFilter(search, name, instantOfLocalInput(event.target.value)))}
      />
    </label>
  );
}
