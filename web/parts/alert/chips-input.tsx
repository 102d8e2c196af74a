/**
 * Words that are added one by one: Enter adds what is typed, Backspace in the empty field removes the last.
 * Words that were seen lately are offered as buttons, narrowed down by what is typed.
 */
import clsx from "clsx";
import { Plus, X } from "lucide-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { Cut } from "../../ui/cut.tsx";
import { FieldError } from "../../ui/field.tsx";

interface Props {
  readonly label: string;
  /** The noun for one word: "demo", for the buttons' names. */
  readonly noun: string;
  readonly placeholder: string;
  readonly words: readonly string[];
  readonly suggestions: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (words: readonly string[]) => void;
}

const SUGGESTED_MAX = 8;

export function ChipsInput({ label, noun, placeholder, words, suggestions, error, onChange }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");

  const add = (word: string): void => {
    const trimmed = word.trim();
    setTyped("");
    if (trimmed !== "" && !words.includes(trimmed)) onChange([...words, trimmed]);
  };
  const remove = (word: string): void => {
    onChange(words.filter((each) => each !== word));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Not a comma: names of demos have them.
    if (event.key === "Enter" && typed.trim() !== "" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      add(typed);
    }
    const last = words.at(-1);
    if (event.key === "Backspace" && typed === "" && last !== undefined) remove(last);
  };

  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
        <span className="font-normal text-ink-faint"> (optional)</span>
      </label>
      {/* Looks like an input and is none: the one inside it takes the focus, the box shows it. */}
      <div className={BOX}>
        {words.map((word) => (
          <Chip key={word} word={word} noun={noun} onRemove={() => remove(word)} />
        ))}
        <input
          ref={input}
          id={id}
          type="text"
          autoComplete="off"
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-error ${id}-help`}
          placeholder={words.length === 0 ? placeholder : ""}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => add(typed)}
          className="min-h-7 min-w-24 flex-1 basis-24 rounded-sm bg-transparent px-1 outline-none
            placeholder:text-ink-faint placeholder:opacity-100"
        />
      </div>
      <FieldError id={`${id}-error`} message={error} />
      {typed !== "" && (
        <p id={`${id}-help`} className="mt-1.5 text-sm text-ink-soft">
          Press Enter to add it.
        </p>
      )}
      <Suggestions noun={noun} words={offered(suggestions, words, typed)} onAdd={add} />
      <span role="status" className="sr-only">
        {words.length === 0 ? "" : `Chosen: ${words.join(", ")}`}
      </span>
    </div>
  );
}

const BOX = clsx(
  "flex flex-wrap items-center gap-1.5 rounded-md border border-line-strong bg-surface px-1.5 py-1",
  "in-disabled:border-line in-disabled:bg-sunken has-[input:focus-visible]:border-accent",
  "has-[input:focus-visible]:outline-2 has-[input:focus-visible]:-outline-offset-1",
  "has-[input:focus-visible]:outline-accent",
  "has-aria-invalid:border-bad-mark",
);

interface ChipProps {
  readonly word: string;
  readonly noun: string;
  readonly onRemove: () => void;
}

function Chip({ word, noun, onRemove }: ChipProps) {
  return (
    <span className="inline-flex max-w-full items-center rounded bg-accent-soft pl-2 text-accent">
      <Cut>{word}</Cut>
      <button
        type="button"
        aria-label={`Remove ${noun} ${word}`}
        onClick={onRemove}
        className="flex size-6 shrink-0 items-center justify-center rounded hover:bg-hover"
      >
        <X aria-hidden="true" className="size-3.5" />
      </button>
    </span>
  );
}

interface SuggestionsProps {
  readonly noun: string;
  readonly words: readonly string[];
  readonly onAdd: (word: string) => void;
}

function Suggestions({ noun, words, onAdd }: SuggestionsProps) {
  if (words.length === 0) return null;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-1.5 text-sm in-disabled:hidden">
      <span className="text-ink-soft">Seen lately:</span>
      {words.map((word) => (
        <button
          key={word}
          type="button"
          aria-label={`Add ${noun} ${word}`}
          // Else the field is left first, which adds what is half typed there.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onAdd(word)}
          className="inline-flex min-h-6 max-w-full items-center gap-1 rounded border border-line px-1.5 text-ink-soft
            hover:border-line-strong hover:text-ink"
        >
          <Plus aria-hidden="true" className="size-3 shrink-0" />
          <Cut>{word}</Cut>
        </button>
      ))}
    </div>
  );
}

function offered(suggestions: readonly string[], words: readonly string[], typed: string): readonly string[] {
  const wanted = typed.trim().toLowerCase();
  return suggestions
    .filter((word) => !words.includes(word) && word.toLowerCase().includes(wanted))
    .slice(0, SUGGESTED_MAX);
}
