/**
 * The way to anything by its name: pages, what is set up, people, ids, and what can be begun. Behind Ctrl-K, behind `/`
 * where a page has no search of its own, and behind the button at the top of the rail. A combobox over links: the focus
 * stays in the box, arrow keys choose, Enter follows. On the browser's dialog, as ui/menu.tsx is on its popover.
 *
 * The box is part of the first load, so that it takes the very next key. What is found comes behind it
 * (palette-source.tsx), and an Enter is kept until that is sure of what stands first.
 */
import clsx from "clsx";
import { type KeyboardEvent, Suspense, useCallback, useId, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { later } from "../later.ts";
import { Cut } from "../ui/cut.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Input } from "../ui/field.tsx";
import { count } from "../words.ts";
import type { Entry, Found } from "./palette-entries.ts";

const PaletteSource = later(() => import("./palette-source.tsx"), "PaletteSource");

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found>({ text: "", entries: [], isSure: false });
  /** Steps from the first one, in either direction. */
  const [steps, setSteps] = useState(0);
  const isEntered = useRef(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const { entries } = found;
  const at = toPlace(steps, entries.length);
  const toOptionId = (place: number): string => `${id}-${place}`;
  const follow = useCallback(
    (entry: Entry | undefined): void => {
      if (entry === undefined) return;
      onClose();
      navigate(entry.href);
    },
    [onClose, navigate],
  );
  const take = useCallback(
    (next: Found): void => {
      setFound(next);
      if (isEntered.current && next.isSure) follow(next.entries[toPlace(steps, next.entries.length)]);
    },
    [follow, steps],
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      setSteps(steps + step);
      document.getElementById(toOptionId(toPlace(steps + step, entries.length)))?.scrollIntoView({ block: "nearest" });
    } else if (event.key !== "Enter") return;
    else if (found.text === text && (found.isSure || steps !== 0)) follow(entries[at]);
    else isEntered.current = true;
    event.preventDefault();
  };
  return (
    <Dialog isOpen onClose={onClose} title="Go to" initialFocus={input}>
      <Input
        ref={input}
        className="mt-1"
        role="combobox"
        aria-label="Page, webhook, person or id"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={at < 0 ? undefined : toOptionId(at)}
        aria-autocomplete="list"
        placeholder="Page, webhook, person or id"
        maxLength={200}
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setSteps(0);
          isEntered.current = false;
        }}
        onKeyDown={onKeyDown}
      />
      <p role="status" className="sr-only">
        {found.text === text && count(entries.length, "result")}
      </p>
      <div id={`${id}-list`} role="listbox" aria-label="Results" className="mt-2 h-80 overflow-y-auto">
        {entries.map((entry, place) => (
          <Option
            key={entry.href}
            id={toOptionId(place)}
            entry={entry}
            isChosen={place === at}
            onChoose={() => setSteps(place)}
            onFollow={onClose}
          />
        ))}
      </div>
      <Suspense>
        <PaletteSource text={text} onFound={take} />
      </Suspense>
    </Dialog>
  );
}

/** Behind the last comes the first; -1 where there is none. */
const toPlace = (steps: number, among: number): number => (among === 0 ? -1 : ((steps % among) + among) % among);

interface OptionProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onFollow: () => void;
}

/** A link, so that it opens in another tab as any other. */
function Option({ id, entry: { label, detail, href }, isChosen, onChoose, onFollow }: OptionProps) {
  return (
    <Link
      id={id}
      href={href}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      onClick={onFollow}
      onPointerMove={onChoose}
      className={clsx("block min-w-0 rounded-md px-2 py-1.5 text-ink", isChosen && "bg-hover")}
    >
      <Cut className="font-medium">{label}</Cut>
      <Cut className="text-sm text-ink-soft">{detail}</Cut>
    </Link>
  );
}
