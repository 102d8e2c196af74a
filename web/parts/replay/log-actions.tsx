/**
 * Actions on the log as it is filtered: export it, replay it, look at the recent replays. Buttons where there is room,
 * a menu on a phone. `?replay=1` in the address opens a new replay at once: a destination's banner offers it.
 */
import { Download, Ellipsis, History, ListRestart } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useOwnersOnly } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { RecentReplays } from "./recent-replays.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { EXPORTS, ExportLinks, exportHref } from "../deliveries/export-links.tsx";
import { logHref } from "../deliveries/filters.ts";

const OPENS = "replay";

/** The address that opens a new one. */
export function withReplay(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  next.set(OPENS, "1");
  return next;
}

interface Props {
  readonly search: URLSearchParams;
  readonly hasRoom: boolean;
}

export function LogActions({ search, hasRoom }: Props) {
  const [, navigate] = useLocation();
  const ownersOnly = useOwnersOnly("replay deliveries");
  const [isAsked, setAsked] = useState(false);
  const [isRecentOpen, setRecentOpen] = useState(false);
  const isOpen = isAsked || (search.has(OPENS) && ownersOnly === undefined);
  const close = (): void => {
    setAsked(false);
    if (!search.has(OPENS)) return;
    const next = new URLSearchParams(search);
    next.delete(OPENS);
    navigate(logHref(next), { replace: true });
  };
  const items: readonly MenuItem[] = [
    { label: "Replay…", icon: <ListRestart />, disabledReason: ownersOnly, onSelect: () => setAsked(true) },
    { label: "Recent replays", icon: <History />, onSelect: () => setRecentOpen(true) },
    ...EXPORTS.map(({ ending, label }) => ({
      label,
      icon: <Download />,
      onSelect: () => download(exportHref(search, ending)),
    })),
  ];
  return (
    <>
      {hasRoom ? (
        <>
          <ExportLinks search={search} />
          <Button icon={<History />} onClick={() => setRecentOpen(true)}>
            Recent replays
          </Button>
          <Button icon={<ListRestart />} disabledReason={ownersOnly} onClick={() => setAsked(true)}>
            Replay…
          </Button>
        </>
      ) : (
        <Menu label="Replay and export" icon={<Ellipsis />} items={items} />
      )}
      {isOpen && <ReplayDialog search={search} onClose={close} />}
      <RecentReplays isOpen={isRecentOpen} onClose={() => setRecentOpen(false)} />
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
