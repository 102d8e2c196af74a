/**
 * What is chosen in this browser and kept in it: the colour scheme, whether single keys do something, and the views of
 * the log that somebody has named.
 */
import { useState, useSyncExternalStore } from "react";
import type { SavedView } from "../src/dashboard/contract/deliveries.ts";

export type Theme = "system" | "light" | "dark";

/** Repeated in public/start.js, which cannot import. */
const THEME_KEY = "bellwire.theme";

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const tellChanged = (): void => {
  for (const listener of listeners) listener();
};

export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, current), choose];
}

function current(): Theme {
  const applied = document.documentElement.dataset.theme;
  return applied === "light" || applied === "dark" ? applied : "system";
}

function choose(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  store(THEME_KEY, theme === "system" ? null : theme);
  tellChanged();
}

/** `null` forgets it. Storage may be forbidden or full; the page then stays as chosen until it is closed. */
export function store(key: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/** A list that was stored as JSON; empty where it cannot be read. */
export function readList(key: string): readonly unknown[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/*
 * Whether single keys do something (WCAG 2.1.4 wants that they can be turned off): somebody who speaks to the computer,
 * or whose hands tremble, presses them without meaning to. Kept in this browser, for every tab at its next key.
 */

const KEYS_KEY = "bellwire.keys";
const OFF = "off";

/** Where nothing can be stored, the choice holds until the page is closed. */
let unstored: boolean | null = null;

export function useKeysSetting(): [areOn: boolean, turn: (on: boolean) => void] {
  return [useSyncExternalStore(subscribe, areKeysOn), turn];
}

export function areKeysOn(): boolean {
  if (unstored !== null) return unstored;
  try {
    return localStorage.getItem(KEYS_KEY) !== OFF;
  } catch {
    return true;
  }
}

function turn(on: boolean): void {
  if (!store(KEYS_KEY, on ? null : OFF)) unstored = on;
  tellChanged();
}

/*
 * Views of the log, by the account that they are of: a name, and the filters as they stand in the address. What cannot
 * be read is no view, and what cannot be stored holds until the page is closed.
 */

export function useSavedViews(accountId: string): [readonly SavedView[], (views: readonly SavedView[]) => void] {
  const key = `bellwire.views.${accountId}`;
  const [views, setViews] = useState<readonly SavedView[]>(() => readList(key).filter(isView));
  const save = (next: readonly SavedView[]): void => {
    setViews(next);
    store(key, JSON.stringify(next));
  };
  return [views, save];
}

const isView = (value: unknown): value is SavedView =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as SavedView).name === "string" &&
  typeof (value as SavedView).search === "string";
