/** A banner that was folded stays so in this browser, until it has something else to say. */
import { useState } from "react";

const KEY = "bellwire.folded";

/** The newest folds; older ones are of trouble that is long over. */
const KEPT_MAX = 20;

/** `about` names the trouble, such as a destination and since when: another one is not folded. */
export function useFolded(about: string): readonly [isFolded: boolean, fold: (isFolded: boolean) => void] {
  // A change draws the banner again; what holds is in the storage.
  const [known, setKnown] = useState(readFolds);
  const fold = (isFolded: boolean): void => {
    const others = readFolds().filter((kept) => kept !== about);
    const next = isFolded ? [about, ...others].slice(0, KEPT_MAX) : others;
    setKnown(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // Storage may be forbidden or full: the fold then holds until the page is closed.
    }
  };
  return [known.includes(about), fold];
}

function readFolds(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}
