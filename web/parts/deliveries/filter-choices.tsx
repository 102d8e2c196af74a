/** A filter's button with its menu, and what each filter of the log lets choose: responses, times, webhooks. */
import clsx from "clsx";
import { Check, ChevronDown, type LucideIcon, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { serviceNowMs } from "../../api.ts";
import { useSession } from "../../query.ts";
import { Cut } from "../../ui/cut.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { placePopover } from "../../ui/tooltip.tsx";
import { eventLabel } from "../event-words.ts";
import { useMarks } from "../tell-apart.ts";
import { usedTypes } from "../uses.ts";
import {
  RANGES,
  readTyped,
  RESPONSE_CLASSES,
  responseFilterLabel,
  timeInWords,
  typedInstant,
  withFilter,
} from "./filters.ts";

interface Props {
  /** "Status" */
  readonly label: string;
  /** In words; `null` while it is off. */
  readonly value: string | null;
  readonly onClear: () => void;
  readonly onOpen?: () => void;
  readonly children: ReactNode;
}

export function FilterMenu({ label, value, onClear, onOpen, children }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const clear = (): void => {
    onClear();
    button.current?.focus();
  };
  const arrive = (): void => {
    if (popup.current === null || button.current === null) return;
    placePopover(popup.current, button.current.getBoundingClientRect(), "start");
    const first = popup.current.querySelector<HTMLElement>("[aria-pressed=true]") ?? findStops(popup.current)[0];
    first?.focus();
  };
  const isOn = value !== null;
  return (
    <div data-on={isOn || undefined} className={clsx("inline-flex max-w-full min-w-0 rounded-md border", LOOKS[+isOn])}>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={id}
        className="inline-flex min-h-7.5 min-w-0 items-center gap-1 rounded-md px-2.5 text-sm font-medium"
      >
        <span className="flex max-w-56 min-w-0 gap-x-1">
          {isOn ? (
            <>
              <span className="shrink-0">{label}:</span> <Cut>{value}</Cut>
            </>
          ) : (
            label
          )}
        </span>
        {!isOn && <ChevronDown aria-hidden="true" className="size-3.5 shrink-0 text-ink-faint" />}
      </button>
      {isOn && (
        <button
          type="button"
          aria-label={`Remove the filter ${label}: ${value}`}
          onClick={clear}
          className="inline-flex min-w-7 shrink-0 items-center justify-center rounded-md hover:bg-accent/15"
        >
          <X aria-hidden="true" className="size-3.5" />
        </button>
      )}
      {/* The keys are for what is inside; the popover itself only holds it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={popup}
        id={id}
        role="dialog"
        aria-label={label}
        popover="auto"
        tabIndex={-1}
        onToggle={({ newState }) => {
          // The choices have to be there before one can take the focus, and before there is a size to place.
          flushSync(() => setOpen(newState === "open"));
          if (newState !== "open") return;
          arrive();
          onOpen?.();
        }}
        onKeyDown={move}
        className="fixed inset-auto m-0 max-h-96 w-60 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border
          border-line bg-raised p-1 text-ink shadow-popup"
      >
        {isOpen && children}
      </div>
    </div>
  );
}

const LOOKS = [
  "border-line bg-surface text-ink-soft hover:border-line-strong hover:text-ink",
  "border-accent/40 bg-accent-soft text-accent",
] as const;

/** Arrow keys go from choice to choice; Tab goes through everything, as in any dialog. */
function move(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = findStops(event.currentTarget);
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = event.key === "ArrowDown" ? stops[at + 1] : stops[at - 1];
  const isInText = document.activeElement instanceof HTMLInputElement && document.activeElement.type !== "search";
  if (next === undefined || isInText) return;
  event.preventDefault();
  next.focus();
}

const findStops = (popup: HTMLElement): HTMLElement[] => [...popup.querySelectorAll<HTMLElement>("button, input")];

/* The values that a filter can have, one below the other. The chosen ones are marked with a tick. */

interface Choice {
  readonly value: string;
  readonly label: string;
  /** Tells it apart from another of the same label. */
  readonly mark?: string | undefined;
  readonly icon?: LucideIcon;
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly onChoose: (value: string) => void;
  /** More than one can be chosen: the popover around them stays open. */
  readonly isMany?: boolean;
}

export function Choices({ choices, chosen, onChoose, isMany = false }: ChoicesProps) {
  const choose = (value: string, button: HTMLElement): void => {
    // It gives the focus back to the button that opened it.
    if (!isMany) button.closest<HTMLElement>("[popover]")?.hidePopover();
    onChoose(value);
  };
  return (
    <ul>
      {choices.map(({ value, label, mark, icon: Icon }) => {
        const isOn = chosen.includes(value);
        return (
          <li key={value}>
            <button
              type="button"
              aria-pressed={isOn}
              onClick={(event) => choose(value, event.currentTarget)}
              onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
              className={clsx(
                "flex min-h-8 w-full items-center gap-2 rounded-md px-2 py-1 text-left text-ink outline-none",
                "focus:bg-hover focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent",
              )}
            >
              {Icon !== undefined && <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />}
              <span className="min-w-0 grow" title={label}>
                <span dir="auto" className="line-clamp-2 text-left [overflow-wrap:anywhere]">
                  {label}
                </span>
                {mark !== undefined && <span className="block truncate text-sm text-ink-soft">{mark}</span>}
              </span>
              {isOn && <Check aria-hidden="true" className="size-4 shrink-0 text-accent" />}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/* The filter by answer: a class of answers, none at all, or one status that is typed. */

interface ResponseFilterProps {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

export function ResponseFilter({ value, onChange }: ResponseFilterProps) {
  const isOn = value !== null && value !== "";
  const isClass = RESPONSE_CLASSES.some((known) => known.value === value);
  return (
    <FilterMenu label="Response" value={isOn ? responseFilterLabel(value) : null} onClear={() => onChange(null)}>
      <Choices choices={RESPONSE_CLASSES} chosen={[value ?? ""]} onChoose={onChange} />
      <div className="mt-1 border-t border-line p-2">
        <CodeInput value={isOn && !isClass ? value : ""} onChange={onChange} />
      </div>
    </FilterMenu>
  );
}

/** Takes effect once it is a status: half a number would find nothing and say so at each key. */
function CodeInput({ value, onChange }: Pick<ResponseFilterProps, "onChange"> & { readonly value: string }) {
  const [text, setText] = useState(value);
  const isBad = text !== "" && !/^[1-5]?$|^[1-5]\d{1,2}$/.test(text);
  const type = (typed: string): void => {
    setText(typed);
    if (/^[1-5]\d\d$/.test(typed)) onChange(typed);
  };
  return (
    <Field label="Status code" isOptional error={isBad ? "A status is 100 to 599." : undefined}>
      {(control) => (
        <Input
          {...control}
          inputMode="numeric"
          maxLength={3}
          placeholder="503"
          value={text}
          onChange={(event) => type(event.target.value)}
        />
      )}
    </Field>
  );
}

/* When a delivery was accepted: since a while, or between two instants in the reader's own time zone. */

interface TimeFilterProps {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
}

export function TimeFilter({ search, onChange }: TimeFilterProps) {
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

interface InstantProps extends TimeFilterProps {
  readonly label: string;
  readonly name: "from" | "to";
}

/** Takes effect on Enter and when somebody leaves it: half a time is another one. */
function Instant({ label, name, search, onChange }: InstantProps) {
  const shown = typedInstant(search.get(name));
  const [text, setText] = useState(shown);
  const atMs = text.trim() === "" ? null : readTyped(text, serviceNowMs());
  const isBad = text.trim() !== "" && atMs === null;
  const [isLeft, setLeft] = useState(false);
  const take = (): void => {
    setLeft(true);
    if (isBad) return;
    const value = atMs === null ? null : String(atMs);
    setText(typedInstant(value));
    if (text !== shown) onChange(withFilter(search, name, value));
  };
  return (
    <Field label={label} isOptional error={isBad && isLeft ? "Write it like “25 Nov 2026, 08:25”." : undefined}>
      {(control) => (
        <Input
          {...control}
          placeholder="25 Nov 2026, 08:25"
          value={text}
          onChange={(event) => {
            setLeft(false);
            setText(event.target.value);
          }}
          onBlur={take}
          onKeyDown={(event) => event.key === "Enter" && take()}
        />
      )}
    </Field>
  );
}

/* Choices that an account or its operator makes. There may be hundreds, so they can be searched by name. */

interface SearchedChoicesProps {
  /** One of them, such as "webhook". */
  readonly what: string;
  readonly choices: readonly Choice[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
}

/** As many as are seen at a glance. */
const SEEN_MAX = 8;

export function SearchedChoices({ what, choices, chosen, onChoose }: SearchedChoicesProps) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = choices.filter(({ label, mark = "" }) => `${label} ${mark}`.toLowerCase().includes(wanted));
  const article = /^[aeiou]/.test(what) ? "an" : "a";
  return (
    <>
      {choices.length > SEEN_MAX && (
        <Input
          type="search"
          aria-label={`Find ${article} ${what}`}
          placeholder={`Find ${article} ${what}`}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="mb-1"
        />
      )}
      <Choices choices={found} chosen={[chosen]} onChoose={onChoose} />
      {found.length === 0 && (
        <p className="px-2 py-1.5 text-ink-soft">{wanted === "" ? "There is none yet." : "None has this name."}</p>
      )}
    </>
  );
}

interface EventTypeFilterProps {
  readonly chosen: string | null;
  readonly onChange: (type: string | null) => void;
}

export function EventTypeFilter({ chosen, onChange }: EventTypeFilterProps) {
  const types = usedTypes(useSession());
  const isOn = chosen !== null && chosen !== "";
  return (
    <FilterMenu label="Event" value={isOn ? eventLabel(chosen) : null} onClear={() => onChange(null)}>
      <SearchedChoices
        what="event"
        choices={types.map(({ type, title }) => ({ value: type, label: title }))}
        chosen={chosen ?? ""}
        onChoose={onChange}
      />
    </FilterMenu>
  );
}

interface WebhookFilterProps {
  readonly destinations: readonly DestinationView[];
  readonly chosen: string | null;
  readonly onChange: (name: "destination", value: string | null) => void;
}

export function WebhookFilter({ destinations, chosen, onChange }: WebhookFilterProps) {
  const isOn = chosen !== null && chosen !== "";
  const marks = useMarks();
  // A destination that is gone may still be what the log is filtered by.
  const name = destinations.find(({ id }) => id === chosen)?.owner.name ?? "A deleted one";
  return (
    <FilterMenu label="Webhook" value={isOn ? name : null} onClear={() => onChange("destination", null)}>
      <SearchedChoices
        what="webhook"
        choices={destinations.map(({ id, owner }) => ({ value: id, label: owner.name, mark: marks.get(id) }))}
        chosen={chosen ?? ""}
        onChoose={(id) => onChange("destination", id)}
      />
    </FilterMenu>
  );
}
