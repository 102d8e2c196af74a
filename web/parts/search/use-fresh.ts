/** Keeps a list up to date that the live stream has news of; which of them concern it, the list knows. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { LiveFrames } from "../../../src/dashboard/contract/live.ts";
import type { RouteName } from "../../../src/dashboard/contract/routes.ts";
import { outdate, useLive } from "../../live.ts";
import { askAgainMs } from "./ask-again.ts";

export type Frame = LiveFrames["deliveries"];

interface Fresh {
  /** The filters of the address, where it has some: what is searched for may take more time. */
  readonly search?: URLSearchParams;
  readonly everyMs: number;
  readonly isConcerned: (frame: Frame) => boolean;
}

/** Asks for the list again after a frame that concerns it, at most once in its time; never loses the last. */
export function useFresh(route: RouteName, { search, everyMs, isConcerned }: Fresh): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** Not before it. */
  const dueMs = useRef(0);
  const waitMs = askAgainMs(search?.get("q") ?? "", everyMs);
  useLive("deliveries", (frame) => {
    if (timer.current !== undefined || !isConcerned(frame)) return;
    const refresh = (): void => {
      timer.current = undefined;
      dueMs.current = Date.now() + waitMs;
      outdate(client, [route]);
    };
    timer.current = setTimeout(refresh, Math.max(0, dueMs.current - Date.now()));
  });
  useEffect(() => {
    dueMs.current = Date.now() + waitMs;
    return () => {
      if (timer.current === undefined) return;
      clearTimeout(timer.current);
      timer.current = undefined;
      // Nobody looks at the answers that the news were about: each is asked for when it is shown again.
      void client.invalidateQueries({ queryKey: [route], refetchType: "none" });
    };
  }, [client, route, waitMs]);
}
