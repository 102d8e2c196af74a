/** Asks again at an interval while the tab is visible; a question that takes longer than that is not asked anew. */
import type { RefetchOptions } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";

export function useRefetchEvery(refetch: (options: RefetchOptions) => unknown, everyMs: number): void {
  const ask = useEffectEvent(() => {
    if (!document.hidden) refetch({ cancelRefetch: false });
  });
  useEffect(() => {
    const timer = setInterval(ask, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
