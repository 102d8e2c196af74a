/** A frame's height, told to the page around it; and which part of the frame is seen. No other page loads this. */
import { tellParent } from "./embed.ts";

/** Guess: the room that a menu or a small dialog needs. */
const HEIGHT_PX_MIN = 480;

/**
 * Tells the page around a frame how high this one is, each time that changes: a frame of that height has no scroll bar
 * of its own. The window of such a frame is higher than what is seen of it.
 */
export function fitIntoParent(root: HTMLElement): void {
  let before: Size = { width: 0, height: 0 };
  let told = before;
  new ResizeObserver(() => {
    const rect = root.getBoundingClientRect();
    const now = { width: rect.width, height: Math.max(HEIGHT_PX_MIN, Math.ceil(rect.height)) };
    if (now.height === told.height || isByScrollBar(before, told, now)) return;
    [before, told] = [told, now];
    tellParent({ type: "bellwire:height", height: now.height });
  }).observe(root);
  for (const act of ACTS) addEventListener(act, noteSeen, { capture: true });
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** As wide as any system's. */
const SCROLL_BAR_PX_MAX = 20;

/**
 * Higher, the frame gives the page around it a scroll bar; that makes the frame narrower, and some are lower so; the
 * bar goes, and all begins anew. Back where it came from, the frame stays as high as it is.
 */
function isByScrollBar(before: Size, told: Size, now: Size): boolean {
  const isBack = now.width === before.width && now.height === before.height;
  return isBack && now.height < told.height && Math.abs(now.width - told.width) <= SCROLL_BAR_PX_MAX;
}

/** The end of a press, not its beginning: a bar that moved in between would be missed. */
const ACTS = ["pointermove", "pointerup", "keydown"];

/**
 * Dialogs, toasts and the bar of a selection stand in the part that is seen (ui/dialog.tsx); a new observer is told at
 * once which that is. Nobody tells that the page around has scrolled: Save stays at its form's end, where it covers no
 * field.
 */
function noteSeen(): void {
  const page = document.documentElement;
  new IntersectionObserver(([entry], observer) => {
    observer.disconnect();
    if (entry === undefined) return;
    const { top, bottom } = entry.intersectionRect;
    page.style.setProperty("--unseen-above", `${Math.max(0, top)}px`);
    page.style.setProperty("--unseen-below", `${Math.max(0, innerHeight - bottom)}px`);
  }).observe(page);
}
