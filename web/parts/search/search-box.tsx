/** A search box above a list, in the address as `q`. The list follows what is typed; Escape empties both. */
import clsx from "clsx";
import { Search, X } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { useKeysSetting } from "../../browser-settings.ts";
import { Input } from "../../ui/field.tsx";
import { canSearch } from "./can-search.ts";

export interface FieldProps {
  /** Such as "Search deliveries". */
  readonly label: string;
  /** Of the lists of events and deliveries, unless given. */
  readonly placeholder?: string;
  readonly value: string;
  readonly onSearch: (text: string, step: SearchStep) => void;
  readonly className?: string;
}

/** A search that follows another one takes its place in the browser's history: Back undoes all of it. */
export interface SearchStep {
  readonly replace: boolean;
}

export function SearchInput(props: FieldProps) {
  const { label, placeholder = "E-mail, name, words, an id, or city:Berlin", value, onSearch, className } = props;
  const [areKeysOn] = useKeysSetting();
  const { text, setText, find } = useTyped(value, onSearch);
  const input = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    find(text);
  };
  const clear = (): void => {
    setText("");
    find("");
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || text === "") return;
    event.preventDefault();
    clear();
  };
  return (
    <form onSubmit={submit} className={clsx("relative min-w-0", className)}>
      <Search aria-hidden="true" className="absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-faint" />
      <Input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => canSearch(text) && find(text)}
        onKeyDown={onKeyDown}
        spellCheck={false}
        className="peer min-h-8! truncate py-1! pr-8! pl-8.5! [&::-webkit-search-cancel-button]:hidden"
      />
      {text !== "" && (
        <button type="button" aria-label="Clear the search" onClick={clear} className={CLEAR}>
          <X aria-hidden="true" className="size-3.5" />
        </button>
      )}
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

const CLEAR = clsx(
  "absolute top-1/2 right-1 inline-flex size-6 -translate-y-1/2 items-center justify-center rounded-sm text-ink-soft",
  "hover:bg-hover hover:text-ink",
);

/** Guess: longer than the pause between two letters. */
const PAUSE_MS = 300;

/** What is in the box, which searches after a pause in what `isWhole`, and at once where `find` is called. */
export function useTyped(value: string, onSearch: FieldProps["onSearch"], isWhole = canSearch) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  // Back, or "Clear filters": a search of our own has the text already.
  if (seen !== value) {
    setSeen(value);
    if (text.trim() !== value) setText(value);
  }
  const find = (typed: string): void => {
    const wanted = typed.trim();
    if (wanted !== value) onSearch(wanted, { replace: value !== "" && wanted !== "" });
  };
  const onPause = useEffectEvent(() => find(text));
  useEffect(() => {
    if (!isWhole(text)) return undefined;
    const timer = setTimeout(onPause, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, isWhole]);
  return { text, setText, find };
}
