/**
 * The frame of every page: the rail with its links, below 768 px a bar with a menu button, and the place for banners
 * of the whole account.
 */
import { Menu } from "lucide-react";
import { type MouseEvent, type ReactNode, Suspense, lazy, useState } from "react";
import { useLocation } from "wouter";
import { IconButton } from "../ui/button.tsx";
import { PageNotice } from "../ui/page-frame.ts";
import { LiveIndicator } from "../ui/live-indicator.tsx";
import { Brand, Navigation, Who } from "./navigation.tsx";

/** Most accounts have none, and the first load has a budget. */
const Troubles = lazy(async () => ({ default: (await import("./troubles.tsx")).Troubles }));
const AccountBanners = lazy(async () => ({ default: (await import("./account-banners.tsx")).AccountBanners }));

/** Behind the first load: the page is there before somebody presses a key. */
const Keys = lazy(async () => ({ default: (await import("./keys.tsx")).Keys }));

/** Fetched when somebody opens the menu: wide screens never do. */
const Drawer = lazy(async () => ({ default: (await import("./drawer.tsx")).Drawer }));

interface Props {
  /** The session has ended while the page was open. */
  readonly isSignedOut: boolean;
  readonly children: ReactNode;
}

const TROUBLES = (
  <Suspense>
    <Troubles />
  </Suspense>
);

export function Shell({ isSignedOut, children }: Props) {
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[14.5rem_minmax(0,1fr)]">
      <SkipLink />
      <aside
        aria-label="Navigation"
        className="sticky top-0 flex h-dvh flex-col gap-6 overflow-y-auto border-r border-line bg-surface py-4
          max-md:hidden"
      >
        <div className="px-4">
          <Brand />
        </div>
        <Navigation />
        <div className="mt-auto space-y-3 border-t border-line px-5 pt-4">
          <Who />
          <LiveIndicator />
        </div>
      </aside>
      <TopBar />
      <main id="main" tabIndex={-1} className="min-w-0 px-4 py-5 outline-none sm:px-6 md:px-8 md:py-7">
        <Suspense>
          <AccountBanners isSignedOut={isSignedOut} />
        </Suspense>
        <PageNotice value={TROUBLES}>{children}</PageNotice>
      </main>
      <Suspense>
        <Keys />
      </Suspense>
    </div>
  );
}

/** A button's work in a link's place: with a `<base>` in the document, `href="#main"` would lead to another address. */
function SkipLink() {
  // Drawn again on each page: a link that names another page's address is no skip link any more.
  useLocation();
  const skip = (event: MouseEvent): void => {
    event.preventDefault();
    document.getElementById("main")?.focus();
  };
  return (
    <a
      href={`${location.pathname}${location.search}#main`}
      onClick={skip}
      className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent-solid px-4 py-2 font-medium text-on-solid
        focus:translate-y-0"
    >
      Skip to content
    </a>
  );
}

function TopBar() {
  const [isOpen, setOpen] = useState(false);
  return (
    <header
      className="sticky top-0 z-20 flex items-center justify-between gap-4 border-b border-line bg-surface px-4 py-2
        md:hidden"
    >
      <Brand />
      <div className="flex items-center gap-3">
        <LiveIndicator />
        <IconButton
          label="Menu"
          icon={<Menu />}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={() => setOpen(true)}
          className="size-10"
        />
      </div>
      <Suspense>{isOpen && <Drawer onClose={() => setOpen(false)} />}</Suspense>
    </header>
  );
}
