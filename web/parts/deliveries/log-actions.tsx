/**
 * Replays on the log's page: a new one from what is filtered, and the recent ones. `?replay=1` in the address opens the
 * new one at once, which is how a destination's banner offers it.
 */
import { History, ListRestart } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useOwnersOnly } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { logHref } from "../deliveries/filters.ts";
import { RecentReplays } from "./recent-replays.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";

const OPENS = "replay";

/** The address that opens a new one. */
export function withReplay(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  next.set(OPENS, "1");
  return next;
}

export function ReplayActions({ search }: { readonly search: URLSearchParams }) {
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
  return (
    <>
      <Button icon={<History />} onClick={() => setRecentOpen(true)}>
        Recent replays
      </Button>
      <Button icon={<ListRestart />} disabledReason={ownersOnly} onClick={() => setAsked(true)}>
        Replay…
      </Button>
      {isOpen && <ReplayDialog search={search} onClose={close} />}
      <RecentReplays isOpen={isRecentOpen} onClose={() => setRecentOpen(false)} />
    </>
  );
}
