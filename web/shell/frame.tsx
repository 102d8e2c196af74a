/**
 * The frame of every page: the rail with its links, below 1024 px a bar with a menu button, and the place of the page.
 * It is also what index.html draws before any script runs (still.tsx), so it needs neither a session nor an answer.
 */
import type { ReactNode } from "react";
import { Brand, Navigation } from "./navigation.tsx";

interface Props {
  /** Beside the name at the top of the rail. */
  readonly head: ReactNode;
  /** Below the links of the rail. */
  readonly foot: ReactNode;
  /** In the bar of a small screen. */
  readonly bar: ReactNode;
  readonly children: ReactNode;
}

export function Frame({ head, foot, bar, children }: Props) {
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[14.5rem_minmax(0,1fr)]">
      <aside
        aria-label="Navigation"
        className="sticky top-0 flex h-dvh flex-col gap-6 overflow-y-auto border-r border-line bg-surface py-4
          max-lg:hidden"
      >
        <div className="flex min-h-8 items-center justify-between pr-3 pl-4">
          <Brand />
          {head}
        </div>
        <Navigation />
        <div className="mt-auto space-y-3 border-t border-line px-5 pt-4">{foot}</div>
      </aside>
      <header
        className="sticky top-0 z-20 flex items-center justify-between gap-4 border-b border-line bg-surface px-4 py-2
          lg:hidden"
      >
        <Brand />
        <div className="flex min-h-10 items-center gap-3">{bar}</div>
      </header>
      <main id="main" tabIndex={-1} className="min-w-0 px-4 py-5 outline-none sm:px-6 md:px-8 md:py-7">
        {children}
      </main>
    </div>
  );
}
