/**
 * What is chosen in this browser and kept in it: the colour scheme, whether single keys do something, and the views of
 * the log that somebody has named.
 */
import { useState, useSyncExternalStore } from "react";

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

/*
 * Views of the log, by the account that they are of: a name, and the filters as they stand in the address. What cannot
 * be read is no view, and what cannot be stored holds until the page is closed.
 */

export interface SavedView {
  readonly name: string;
  /** `status=failed&range=24h` */
  readonly search: string;
}

export function useSavedViews(accountId: string): [readonly SavedView[], (views: readonly SavedView[]) => void] {
  const key = `bellwire.views.${accountId}`;
  const [views, setViews] = useState(() => readViews(key));
  const save = (next: readonly SavedView[]): void => {
    setViews(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // They are there until the page is closed.
    }
  };
  return [views, save];
}

function readViews(key: string): readonly SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

const isView = (value: unknown): value is SavedView =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as SavedView).name === "string" &&
  typeof (value as SavedView).search === "string";
