/**
 * One filter of the log as a small button: its name, and once it is on also its value, with a cross that takes it away.
 * So each filter stands once. The choices are in a popover of the browser's own: Escape and a click elsewhere close it.
 */
import clsx from "clsx";
import { ChevronDown, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { placePopover } from "../../ui/place-popover.ts";

interface Props {
  /** "Status" */
  readonly label: string;
  /** In words; `null` while it is off. */
  readonly value: string | null;
  readonly onClear: () => void;
  readonly children: ReactNode;
}

export function FilterMenu({ label, value, onClear, children }: Props) {
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
        <span className="max-w-56 min-w-0 truncate">{isOn ? `${label}: ${value}` : label}</span>
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
          if (newState === "open") arrive();
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
