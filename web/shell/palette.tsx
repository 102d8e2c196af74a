/**
 * The way to anything by its name: pages, what is set up, people, ids. Behind Ctrl-K, behind `/` where a page has no
 * search of its own, and behind the button at the top of the rail. A combobox over links: the focus stays in the box,
 * arrow keys choose, Enter follows. On the browser's dialog, as ui/menu.tsx is on its popover.
 */
import clsx from "clsx";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { NamedOwner } from "../../src/domain/event.ts";
import { canSearch } from "../parts/search/search-box.tsx";
import { useMarks } from "../parts/tell-apart.ts";
import { useAnswer, useAnswerWhen, useSession } from "../query.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Input } from "../ui/field.tsx";
import { count } from "../words.ts";
import { usePlaces } from "./navigation.tsx";
import { type Entry, findEntries, type MarkedOwner } from "./palette-entries.ts";

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const entries = useEntries(text);
  const at = Math.min(chosen, entries.length - 1);
  const toOptionId = (place: number): string => `${id}-${place}`;
  const onKeyDown = (event: KeyboardEvent): void => {
    const entry = entries[at];
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      const next = (at + step + entries.length) % entries.length;
      setChosen(next);
      document.getElementById(toOptionId(next))?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && entry !== undefined) {
      onClose();
      navigate(entry.href);
    } else return;
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
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <p role="status" className="sr-only">
        {count(entries.length, "result")}
      </p>
      <div id={`${id}-list`} role="listbox" aria-label="Results" className="mt-2 h-80 overflow-y-auto">
        {entries.map((entry, place) => (
          <Option
            key={entry.href}
            id={toOptionId(place)}
            entry={entry}
            isChosen={place === at}
            onChoose={() => setChosen(place)}
            onFollow={onClose}
          />
        ))}
      </div>
    </Dialog>
  );
}

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
      <span className="block truncate font-medium">{label}</span>
      <span className="block truncate text-sm text-ink-soft">{detail}</span>
    </Link>
  );
}

/** Guess: longer than the pause between two letters. */
const PAUSE_MS = 250;

function useEntries(text: string): readonly Entry[] {
  const { hasWebhooks } = useSession();
  const places = usePlaces();
  const owners = useOwners();
  const asked = useSettled(text.trim());
  const isAsked = asked !== "" && asked === text.trim() && canSearch(asked);
  const { data } = useAnswerWhen("GET /events", isAsked ? { query: { q: asked } } : null);
  return useMemo(
    () => findEntries(text, { places, owners, events: data?.events ?? [], hasEvents: hasWebhooks }),
    [text, places, owners, data, hasWebhooks],
  );
}

/** The text once nobody has typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Alerts, webhooks and assistants, those without an address too. */
function useOwners(): readonly MarkedOwner[] {
  const { hasWebhooks } = useSession();
  const { data: alerts } = useAnswer("GET /alerts");
  const { data: assistants } = useAnswer("GET /assistants");
  const { data: webhooks } = useAnswerWhen("GET /webhooks", hasWebhooks ? {} : null);
  const marks = useMarks();
  return useMemo(() => {
    type Each = Pick<NamedOwner, "id" | "name"> & { readonly destination: { readonly id: string } | null };
    const of = (kind: NamedOwner["kind"], list: readonly Each[] = []) =>
      list.map(({ id, name, destination }) => ({ kind, id, name, mark: marks.get(destination?.id ?? "") }));
    return [
      ...of("alert", alerts?.alerts),
      ...of("webhook", webhooks?.webhooks),
      ...of("assistant", assistants?.assistants),
    ];
  }, [alerts, webhooks, assistants, marks]);
}
