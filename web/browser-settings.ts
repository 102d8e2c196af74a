/** What is chosen in this browser and kept in it: the colour scheme, and whether single keys do something. */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

/** Repeated in public/start.js, which cannot import. */
const THEME_KEY = "bellwire.theme";

const themeListeners = new Set<() => void>();

export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribeToTheme, current), choose];
}

function subscribeToTheme(listener: () => void): () => void {
  themeListeners.add(listener);
  return () => themeListeners.delete(listener);
}

function current(): Theme {
  const applied = document.documentElement.dataset.theme;
  return applied === "light" || applied === "dark" ? applied : "system";
}

function choose(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  remember(theme);
  for (const listener of themeListeners) listener();
}

/** Storage may be forbidden or full; the choice then holds until the page is closed. */
function remember(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(THEME_KEY);
    else localStorage.setItem(THEME_KEY, theme);
  } catch {
    // Nothing to do and nothing to tell: the page looks as chosen.
  }
}

/*
 * Whether single keys do something (WCAG 2.1.4 wants that they can be turned off): somebody who speaks to the computer,
 * or whose hands tremble, presses them without meaning to. Kept in this browser, for every tab at its next key.
 */

const KEYS_KEY = "bellwire.keys";
const OFF = "off";

const keysListeners = new Set<() => void>();
/** Where nothing can be stored, the choice holds until the page is closed. */
let unstored: boolean | null = null;

export function useKeysSetting(): [areOn: boolean, turn: (on: boolean) => void] {
  return [useSyncExternalStore(subscribeToKeys, areKeysOn), turn];
}

export function areKeysOn(): boolean {
  if (unstored !== null) return unstored;
  try {
    return localStorage.getItem(KEYS_KEY) !== OFF;
  } catch {
    return true;
  }
}

function subscribeToKeys(listener: () => void): () => void {
  keysListeners.add(listener);
  return () => keysListeners.delete(listener);
}

function turn(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEYS_KEY);
    else localStorage.setItem(KEYS_KEY, OFF);
  } catch {
    unstored = on;
  }
  for (const listener of keysListeners) listener();
}
