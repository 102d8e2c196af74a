/** A search box above a list, in the address as `q`. It searches on Enter and when somebody leaves it. */
import clsx from "clsx";
import { Search } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { useSearchParams } from "wouter";
import { useKeysSetting } from "../../browser-settings.ts";
import { Input } from "../../ui/field.tsx";
import { ToggleButton } from "../../ui/button.tsx";

interface FieldProps {
  /** Such as "Search deliveries". */
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly className?: string;
}

/** Give it the value as its key, so that Back and "Clear" empty it. */
export function SearchInput({ label, value, onSearch, className }: FieldProps) {
  const [areKeysOn] = useKeysSetting();
  const [text, setText] = useState(value);
  const find = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== value) onSearch(text.trim());
  };
  return (
    <form onSubmit={find} className={clsx("relative min-w-0", className)}>
      <Search aria-hidden="true" className="absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-faint" />
      <Input
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder="E-mail, name, company, topic, any words, or an id"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={find}
        spellCheck={false}
        className="peer min-h-8! truncate py-1! pl-8.5! lg:pr-8!"
      />
      {areKeysOn && text === "" && (
        <kbd
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 right-2 hidden min-h-5 min-w-5 -translate-y-1/2 items-center
            justify-center rounded border border-line bg-sunken font-mono text-xs text-ink-soft peer-focus:hidden
            lg:inline-flex"
        >
          /
        </kbd>
      )}
    </form>
  );
}

interface SearchBoxProps extends Pick<FieldProps, "label"> {
  /** Filters beside. */
  readonly children?: ReactNode;
}

/** The filters of a list of events. Each change begins on the first page. */
export function SearchBox({ label, children }: SearchBoxProps) {
  const [search, setSearch] = useSearchParams();
  const value = search.get("q") ?? "";
  const isNotSent = search.get("not_sent") === "1";
  const set = (name: "q" | "not_sent", text: string): void =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      next.delete("cursor");
      if (text === "") next.delete(name);
      else next.set(name, text);
      return next;
    });
  return (
    <search className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
      <SearchInput
        key={value}
        label={label}
        value={value}
        onSearch={(text) => set("q", text)}
        className={clsx("flex-1 sm:max-w-md", children !== undefined && "max-sm:basis-full")}
      />
      {children}
      <ToggleButton label="Not sent" isOn={isNotSent} onToggle={() => set("not_sent", isNotSent ? "" : "1")} />
    </search>
  );
}
