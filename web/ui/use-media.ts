/** Whether the window is as a media query says, for what differs by more than its looks. */
import { useSyncExternalStore } from "react";

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (watcher) => {
      const media = matchMedia(query);
      media.addEventListener("change", watcher);
      return () => media.removeEventListener("change", watcher);
    },
    () => matchMedia(query).matches,
  );
}
