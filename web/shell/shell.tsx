/**
 * What stands around every page of somebody who is signed in: the frame (frame.tsx) with all that works in it, or
 * nothing where the page stands alone in the product's own.
 */
import { Menu, Search } from "lucide-react";
import { type MouseEvent, type ReactNode, Suspense, useState } from "react";
import { useLocation } from "wouter";
import { EMBEDDED_PAGE } from "../embed.ts";
import { IconButton } from "../ui/button.tsx";
import { PageNotice } from "../ui/page-frame.ts";
import { LiveIndicator } from "../ui/live-indicator.tsx";
import { Frame } from "./frame.tsx";
import { Keys } from "./keys.tsx";
import { FrameTabs, Who } from "./navigation.tsx";
import { onDemand } from "../later.ts";

/** Most accounts have none, and the first load has a budget. */
const Troubles = onDemand(() => import("./troubles.tsx"), "Troubles");
const AccountBanners = onDemand(() => import("./account-banners.tsx"), "AccountBanners");

/** Fetched when somebody opens the menu: wide screens never do. */
const Drawer = onDemand(() => import("./drawer.tsx"), "Drawer");

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
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const find = (
    <IconButton
      label="Find anything"
      icon={<Search />}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K"
      onClick={() => setPaletteOpen(true)}
    />
  );
  const page = (
    <>
      <Suspense>
        <AccountBanners isSignedOut={isSignedOut} />
      </Suspense>
      <PageNotice value={TROUBLES}>{children}</PageNotice>
    </>
  );
  if (EMBEDDED_PAGE !== null)
    return (
      <div className="px-4 py-5">
        <FrameTabs />
        <main id="main" tabIndex={-1} className="outline-none">
          {page}
        </main>
      </div>
    );
  return (
    <>
      <SkipLink />
      <Frame
        head={find}
        foot={
          <>
            <Who />
            <LiveIndicator />
          </>
        }
        bar={<MenuBar find={find} />}
      >
        {page}
      </Frame>
      <Keys isPaletteOpen={isPaletteOpen} onPalette={setPaletteOpen} />
    </>
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

/** Beside the name in the bar of a small screen. */
function MenuBar({ find }: { readonly find: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <LiveIndicator />
      {find}
      <IconButton
        label="Menu"
        icon={<Menu />}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
        className="size-10"
      />
      <Suspense>{isOpen && <Drawer onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
