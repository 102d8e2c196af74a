/** How tabs look: those over one thing (tabs.tsx), and the links of a frame (shell/navigation.tsx). */
import clsx from "clsx";

/** A finger scrolls them on a phone; elsewhere none may be out of sight. */
export const TAB_LIST =
  "flex contain-inline-size gap-1 overflow-x-auto border-b border-line [scrollbar-width:none] sm:flex-wrap";

export const TAB = clsx(
  "-mb-px inline-flex min-h-9 shrink-0 items-center rounded-t-md border-b-2 border-transparent px-2 whitespace-nowrap",
  "text-ink-soft transition-colors duration-100 hover:text-ink focus-visible:-outline-offset-2",
  "data-active:border-accent data-active:font-medium data-active:text-ink",
  "aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink",
);
