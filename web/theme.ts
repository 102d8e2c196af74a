/**
 * The colour scheme: as the system has it, or as chosen in this browser. `public/theme.js` applies the same choice
 * before the first paint; here it is read and changed.
 */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

/** Repeated in public/theme.js, which cannot import. */
const KEY = "bellwire.theme";

const listeners = new Set<() => void>();

export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, current), choose];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function current(): Theme {
  const applied = document.documentElement.dataset.theme;
  return applied === "light" || applied === "dark" ? applied : "system";
}

function choose(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  remember(theme);
  for (const listener of listeners) listener();
}

/** Storage may be forbidden or full; the choice then holds until the page is closed. */
function remember(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Nothing to do and nothing to tell: the page looks as chosen.
  }
}
