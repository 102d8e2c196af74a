/** Asks again at an interval while the tab is visible. */
import { useEffect, useEffectEvent } from "react";

export function useRefetchEvery(refetch: () => unknown, everyMs: number): void {
  const ask = useEffectEvent(() => {
    if (!document.hidden) refetch();
  });
  useEffect(() => {
    const timer = setInterval(ask, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
