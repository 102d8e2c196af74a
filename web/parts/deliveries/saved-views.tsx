/** Filters under a name, kept in this browser: applied, named again, and deleted. The address stays the truth. */
import { Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { type SavedView, useSavedViews } from "../../browser-settings.ts";
import { useSession } from "../../query.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Choices, FilterMenu } from "./filter-choices.tsx";
import { toViewSearch, withoutFilters } from "./filters.ts";

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
}

/** A list that somebody can look through. */
const VIEWS_MAX = 30;
const NAME_CHARS_MAX = 60;

export function SavedViews({ search, onChange }: Props) {
  const { account } = useSession();
  const [views, save] = useSavedViews(account.id);
  const now = toViewSearch(search);
  const current = views.find((view) => view.search === now && now !== "");
  // The last one that was saved stands first. A name that is there already gets these filters, and filters that have a
  // name already get this one.
  const keep = (name: string): void => {
    const others = views.filter((view) => view.name !== name && view.search !== now);
    save([{ name, search: now }, ...others].slice(0, VIEWS_MAX));
  };
  return (
    <FilterMenu label="View" value={current?.name ?? null} onClear={() => onChange(withoutFilters(search))}>
      {views.map((view) => (
        <div key={view.name} className="flex items-center gap-1">
          <div className="min-w-0 grow">
            <Choices
              choices={[{ value: view.search, label: view.name }]}
              chosen={[now]}
              onChoose={(chosen) => onChange(new URLSearchParams(chosen))}
            />
          </div>
          <IconButton
            label={`Delete the view ${view.name}`}
            icon={<Trash2 />}
            onClick={() => save(views.filter((other) => other !== view))}
          />
        </div>
      ))}
      {now === "" ? (
        <p className="px-2 py-1.5 text-ink-soft">Choose filters or search first: then they can be saved here.</p>
      ) : (
        <NewView key={current?.name} current={current} onSave={keep} />
      )}
    </FilterMenu>
  );
}

interface NewViewProps {
  readonly current: SavedView | undefined;
  readonly onSave: (name: string) => void;
}

function NewView({ current, onSave }: NewViewProps) {
  const [name, setName] = useState(current?.name ?? "");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== "") onSave(name.trim());
  };
  return (
    <form onSubmit={submit} className="mt-1 space-y-2 border-t border-line p-2">
      <Field label="Name of this view" help="Kept in this browser.">
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={NAME_CHARS_MAX}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" size="sm">
        {current === undefined ? "Save view" : "Rename view"}
      </Button>
    </form>
  );
}
