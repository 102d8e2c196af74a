/** The log's search box. It searches when somebody presses Enter or leaves it: half an id would find nothing. */
import { Search } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Input } from "../../ui/input.tsx";
import { withFilter } from "./filters.ts";

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
}

export function SearchField({ search, onChange }: Props) {
  const [text, setText] = useState(search.get("q") ?? "");
  const find = (event: FormEvent): void => {
    event.preventDefault();
    onChange(withFilter(search, "q", text));
  };
  return (
    <form onSubmit={find} className="relative min-w-0 flex-1 basis-32 sm:basis-40 md:max-w-80">
      <Search aria-hidden="true" className="absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-faint" />
      <Input
        type="search"
        aria-label="Find by id"
        aria-keyshortcuts="/"
        placeholder="Id of a delivery, event, session or conversation"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={find}
        spellCheck={false}
        className="min-h-8! py-1! pl-8.5!"
      />
    </form>
  );
}
