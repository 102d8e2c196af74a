/**
 * A few words about a control, on hover and on focus; Escape hides them, the pointer may go onto them (WCAG 1.4.13).
 *
 * Built on the browser's popover, which lies above dialogs too: Base UI's tooltip is 28 KB gzip and the page's whole
 * first load is 100. `content` is read out as the control's description, so it must not repeat the control's name.
 */
import clsx from "clsx";
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";

const DELAY_MS = 300;
const LINGER_MS = 150;

interface Props {
  /** Without any it shows nothing, and takes no place in the layout. */
  readonly content: ReactNode;
  /** Given the id that the control names in `aria-describedby`; `undefined` while nothing is shown. */
  readonly children: (descriptionId: string | undefined) => ReactNode;
  /** The content is already the control's name, as for a button with an icon only: not read out twice. */
  readonly isName?: boolean;
}

export function Tooltip({ content, children, isName = false }: Props) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const [isWanted, setWanted] = useState(false);
  const { show, hide, hideNow } = useDelayed(setWanted);
  const hasContent = content !== undefined;
  const isOpen = isWanted && hasContent;
  useEscape(isOpen, hideNow);
  return (
    // The span only carries the events of the control inside it; it is none itself. Without content the control stands
    // in its place, with the distance that a stack gives to its parts.
    <span
      ref={anchor}
      // An icon's button gives way to no text beside it.
      className={!hasContent ? "contents *:mb-[inherit]" : isName ? "inline-flex shrink-0" : "inline-flex min-w-0"}
      onPointerEnter={(event) => event.pointerType !== "touch" && show(DELAY_MS)}
      onPointerLeave={hide}
      onPointerDown={hideNow}
      onFocus={(event) => event.target.matches(":focus-visible") && show(0)}
      onBlur={hideNow}
    >
      {children(isOpen && !isName ? id : undefined)}
      {isOpen && (
        <Bubble id={id} anchor={anchor} isName={isName}>
          {content}
        </Bubble>
      )}
    </span>
  );
}

interface BubbleProps {
  readonly id: string;
  readonly anchor: RefObject<HTMLElement | null>;
  readonly isName: boolean;
  readonly children: ReactNode;
}

function Bubble({ id, anchor, isName, children }: BubbleProps) {
  const bubble = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (bubble.current === null || anchor.current === null) return;
    bubble.current.showPopover();
    placePopover(bubble.current, anchor.current.getBoundingClientRect(), "center");
  }, [anchor]);
  return (
    <span ref={bubble} id={id} role="tooltip" popover="manual" aria-hidden={isName} className={BUBBLE}>
      {children}
    </span>
  );
}

const BUBBLE = clsx(
  "fixed inset-auto m-0 max-w-72 rounded-md border border-line bg-raised px-2.5 py-1.5 text-left text-xs font-normal",
  "whitespace-normal text-ink shadow-popup",
);

function useDelayed(setOpen: (isOpen: boolean) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const later = (isOpen: boolean, ms: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(isOpen), ms);
  };
  return {
    show: (ms: number) => later(true, ms),
    hide: () => later(false, LINGER_MS),
    hideNow: () => {
      clearTimeout(timer.current);
      setOpen(false);
    },
  };
}

/** In the capture phase and with nothing passed on: Escape on a tooltip must not close the dialog it lies in. */
function useEscape(isOpen: boolean, hide: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      hide();
    };
    document.addEventListener("keydown", onKey, { capture: true });
    return () => document.removeEventListener("keydown", onKey, { capture: true });
  }, [isOpen, hide]);
}

/** Puts an open popover beside what it belongs to: below it, or above where the room ends; always in the window. */
const GAP_PX = 6;
const EDGE_PX = 8;

export function placePopover(popover: HTMLElement, anchor: DOMRect, align: "start" | "center" | "end"): void {
  const { width, height } = popover.getBoundingClientRect();
  const left = { start: anchor.left, center: anchor.left + (anchor.width - width) / 2, end: anchor.right - width }[
    align
  ];
  const below = anchor.bottom + GAP_PX;
  const isRoomBelow = below + height + EDGE_PX <= window.innerHeight;
  const top = isRoomBelow ? below : anchor.top - height - GAP_PX;
  popover.style.left = `${Math.max(EDGE_PX, Math.min(left, window.innerWidth - width - EDGE_PX))}px`;
  popover.style.top = `${Math.max(EDGE_PX, top)}px`;
}
