/** The actions of the log on all that it shows: sending many again, what was sent so, and the exports. */
import { Download, Ellipsis, History, ListRestart } from "lucide-react";
import { Suspense, useState } from "react";
import { useLocation } from "wouter";
import { later } from "../../later.ts";
import { useOwnersOnly } from "../../query.ts";
import { Button } from "../../ui/button.tsx";
import { DialogSkeleton } from "../../ui/dialog.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { exportHref, ExportLinks, EXPORTS } from "../deliveries/filter-bar.tsx";
import { logHref } from "../deliveries/filters.ts";

/** The list is there before anybody opens one. */
const ReplayDialog = later(() => import("./replay-dialog.tsx"), "ReplayDialog");
const RecentReplays = later(() => import("./replay-progress.tsx"), "RecentReplays");

const OPENS = "replay";

/** The address that opens a new one. */
export function withReplay(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  next.set(OPENS, "1");
  return next;
}

interface Props {
  readonly search: URLSearchParams;
  readonly isWide: boolean;
  /** Nothing was ever sent. */
  readonly isBare: boolean;
}

export function LogActions({ search, isWide, isBare }: Props) {
  const [, navigate] = useLocation();
  const ownersOnly = useOwnersOnly("send deliveries again");
  const [isAsked, setAsked] = useState(false);
  const [isRecentOpen, setRecentOpen] = useState(false);
  const isOpen = isAsked || (search.has(OPENS) && ownersOnly === undefined);
  const closeRecent = (): void => setRecentOpen(false);
  const close = (): void => {
    setAsked(false);
    if (!search.has(OPENS)) return;
    const next = new URLSearchParams(search);
    next.delete(OPENS);
    navigate(logHref(next), { replace: true });
  };
  const recent: MenuItem = { label: "Sent again lately", icon: <History />, onSelect: () => setRecentOpen(true) };
  const items: readonly MenuItem[] = [
    { label: "Send again…", icon: <ListRestart />, disabledReason: ownersOnly, onSelect: () => setAsked(true) },
    recent,
    ...EXPORTS.map(({ ending, label }) => ({
      label,
      icon: <Download />,
      onSelect: () => download(exportHref(search, ending)),
    })),
  ];
  return (
    <>
      {isWide ? (
        <>
          {!isBare && <ExportLinks search={search} />}
          <Button icon={<History />} onClick={() => setRecentOpen(true)}>
            Sent again lately
          </Button>
          {!isBare && (
            <Button icon={<ListRestart />} disabledReason={ownersOnly} onClick={() => setAsked(true)}>
              Send again…
            </Button>
          )}
        </>
      ) : (
        <Menu label="Send again and export" icon={<Ellipsis />} items={isBare ? [recent] : items} />
      )}
      <Suspense fallback={<DialogSkeleton onClose={isOpen ? close : closeRecent} />}>
        {isOpen && <ReplayDialog search={search} onClose={close} />}
        {isRecentOpen && <RecentReplays isOpen onClose={closeRecent} />}
      </Suspense>
    </>
  );
}

/** As a link with `download` does it: the page stays. */
function download(href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = "";
  link.click();
}
