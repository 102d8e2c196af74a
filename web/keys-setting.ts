/**
 * Whether single keys do something (WCAG 2.1.4 wants that they can be turned off): somebody who speaks to the computer,
 * or whose hands tremble, presses them without meaning to. Kept in this browser, for every tab at its next key.
 */
import { useSyncExternalStore } from "react";

const KEY = "bellwire.keys";
const OFF = "off";

const listeners = new Set<() => void>();
/** Where nothing can be stored, the choice holds until the page is closed. */
let unstored: boolean | null = null;

export function useKeysSetting(): [areOn: boolean, turn: (on: boolean) => void] {
  return [useSyncExternalStore(subscribe, areKeysOn), turn];
}

export function areKeysOn(): boolean {
  if (unstored !== null) return unstored;
  try {
    return localStorage.getItem(KEY) !== OFF;
  } catch {
    return true;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function turn(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, OFF);
  } catch {
    unstored = on;
  }
  for (const listener of listeners) listener();
}
