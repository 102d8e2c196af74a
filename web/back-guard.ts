/**
 * The browser's Back and Forward, before the router hears of them. Listeners on the window are called in the order in
 * which they were added, and the router's redraws the page before the next one has its turn; so main.tsx calls
 * `watchBack` before it draws anything.
 */
type Guard = (event: PopStateEvent) => void;

let guard: Guard | null = null;

export function watchBack(): void {
  window.addEventListener("popstate", (event) => guard?.(event));
}

/** One page at a time has a guard. It may put the address back and stop the event. Returns how to take it away. */
export function guardBack(next: Guard): () => void {
  guard = next;
  return () => {
    if (guard === next) guard = null;
  };
}
