/**
 * The page's live region: what changes while the focus stays elsewhere, said to readers of the screen. It stands in the
 * document before its first word, or they would not hear of it.
 */
import { useEffect, useRef, useSyncExternalStore } from "react";

let said = "";
const listeners = new Set<() => void>();

export function announce(text: string): void {
  // The same words a second time are heard only where the text is another one.
  said = said === text ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => said);
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says the text each time that it has become another one; what stands there first is read like the page. */
export function useAnnounced(text: string): void {
  const known = useRef(text);
  useEffect(() => {
    if (known.current !== text && text !== "") announce(text);
    known.current = text;
  }, [text]);
}
