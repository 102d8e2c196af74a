/**
 * Keeps the list of sessions up to date: counts of its rows always; new rows only while the reader is at the top of the
 * first page, so that nothing moves under somebody who reads further down.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useSearchParams } from "wouter";
import { useLive } from "../../live.ts";
import { useIsAtTop } from "../deliveries/use-delivery-list.ts";

/** A busy account changes many times a second; a list of events need not. A guess. */
const REFRESH_MS = 2_000;

export function useFreshSessions(route: "GET /sessions" | "GET /assistants/:id/conversations" = "GET /sessions"): void {
  const client = useQueryClient();
  const [search] = useSearchParams();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isAtTop = useIsAtTop();
  const refresh = (): void => {
    timer.current = undefined;
    void client.invalidateQueries({ queryKey: [route] });
  };
  useLive("deliveries", ({ changed, isCut }) => {
    const bringsRows = isCut || changed.some(({ isNew }) => isNew);
    // On an older page a cursor holds the rows where they are.
    const isHeld = !isAtTop && !search.has("cursor");
    if (timer.current !== undefined || (bringsRows && isHeld)) return;
    timer.current = setTimeout(refresh, REFRESH_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
