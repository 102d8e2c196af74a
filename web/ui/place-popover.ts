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
