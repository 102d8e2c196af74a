/**
 * Actions behind a button, for rows and for what is seldom needed. Arrow keys, Home, End and first letters move;
 * Escape, Tab and a click elsewhere close; the focus goes back to the button before an action runs, so that a dialog
 * which it opens can give it back too. On the browser's popover: Base UI's menu is 44 KB gzip and fails axe while open.
 */
import clsx from "clsx";
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useRef, useState } from "react";
import { Button, type ButtonLook, IconButton } from "./button.tsx";
import { placePopover } from "./tooltip.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
  readonly isDestructive?: boolean;
  /** Shown below the label; the item then does nothing. */
  readonly disabledReason?: string | undefined;
}

interface Props extends ButtonLook {
  /** The button's name: "More actions for …". */
  readonly label: string;
  readonly icon: ReactNode;
  /** The name is written on the button. */
  readonly isLabelShown?: boolean;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, icon, isLabelShown = false, items, tone, size }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const trigger = {
    ref: button,
    popoverTarget: id,
    "aria-haspopup": "menu",
    "aria-expanded": isOpen,
    "aria-controls": id,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      popup.current?.showPopover();
    },
  } as const;
  const run = (item: MenuItem): void => {
    if (item.disabledReason !== undefined) return;
    popup.current?.hidePopover();
    button.current?.focus();
    item.onSelect();
  };
  return (
    <>
      {isLabelShown ? (
        <Button tone={tone} size={size} icon={icon} {...trigger}>
          {label}
        </Button>
      ) : (
        <IconButton label={label} icon={icon} {...trigger} />
      )}
      <div
        ref={popup}
        id={id}
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        onToggle={(event) => {
          setOpen(event.newState === "open");
          if (event.newState === "open") arrive(popup, button);
        }}
        onKeyDown={(event) => move(event, popup)}
        className="fixed inset-auto m-0 min-w-44 rounded-lg border border-line bg-raised p-1 text-ink shadow-popup"
      >
        {items.map((item) => (
          <Item key={item.label} item={item} onRun={() => run(item)} />
        ))}
      </div>
    </>
  );
}

function Item({ item, onRun }: { readonly item: MenuItem; readonly onRun: () => void }) {
  const { label, icon, isDestructive = false, disabledReason } = item;
  const isOff = disabledReason !== undefined;
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={isOff || undefined}
      onClick={onRun}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      className={clsx(
        "flex min-h-8 w-full items-start gap-2 rounded-md px-2 py-1.5 text-left text-base font-normal outline-none",
        "focus:bg-hover focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent",
        isOff && "text-ink-faint",
        !isOff && isDestructive && "text-bad",
      )}
    >
      <span aria-hidden="true" className="flex h-5 w-4 shrink-0 items-center [&_svg]:size-4">
        {icon}
      </span>
      <span>
        {label}
        {isOff && <span className="block max-w-56 text-xs text-ink-soft">{disabledReason}</span>}
      </span>
    </button>
  );
}

function arrive(popup: RefObject<HTMLElement | null>, button: RefObject<HTMLElement | null>): void {
  if (popup.current === null || button.current === null) return;
  placePopover(popup.current, button.current.getBoundingClientRect(), "end");
  findItems(popup)[0]?.focus();
}

function move(event: KeyboardEvent, popup: RefObject<HTMLElement | null>): void {
  if (event.key === "Tab") return popup.current?.hidePopover();
  const items = findItems(popup);
  const at = items.findIndex((item) => item === document.activeElement);
  const next = nextItem(event.key, at, items);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function nextItem(key: string, at: number, items: readonly HTMLElement[]): HTMLElement | undefined {
  if (key === "ArrowDown") return items[(at + 1) % items.length];
  if (key === "ArrowUp") return items.at(at <= 0 ? -1 : at - 1);
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  if (key.length !== 1 || key === " ") return undefined;
  const behind = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return behind.find((item) => item.textContent.trim().toLowerCase().startsWith(key.toLowerCase()));
}

const findItems = (popup: RefObject<HTMLElement | null>): HTMLElement[] => [
  ...(popup.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
];
