/**
 * Ctrl-K to the palette, from anywhere. Single keys: `/` to the search, or to the palette where there is none, `j` and
 * `k` from row to row, `x` selects, `?` lists them. Never while somebody types, nor over a dialog or an open menu, and
 * not at all when they are turned off (browser-settings.ts).
 *
 * A page says what a key is for by `aria-keyshortcuts` on the control that does the same. So each key is announced to
 * readers of the screen, and none does what no control can do. Rows of every table have `j` and `k`.
 *
 * It is in the first load: a key that opens something is the first one of it, and the next keys are its own.
 */
import { Suspense, useCallback, useEffect, useState } from "react";
import { areKeysOn } from "../browser-settings.ts";
import { onDemand } from "../later.ts";
import { DialogSkeleton } from "../ui/dialog.tsx";
import { Palette } from "./palette.tsx";

const KeysHelp = onDemand(() => import("./keys-help.tsx"), "KeysHelp");

interface Props {
  readonly isPaletteOpen: boolean;
  readonly onPalette: (isOpen: boolean) => void;
}

export function Keys({ isPaletteOpen, onPalette }: Props) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const closeHelp = (): void => setHelpOpen(false);
  const closePalette = useCallback((): void => onPalette(false), [onPalette]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isPaletteKey(event)) {
        if (document.querySelector("dialog[open]") !== null) return;
        onPalette(true);
      } else if (!isMeant(event)) return;
      else if (event.key === "?") setHelpOpen(true);
      else if (press(event.key)) event.preventDefault();
      else if (event.key === "/") onPalette(true);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [onPalette]);
  return (
    <>
      <Suspense fallback={<DialogSkeleton onClose={closeHelp} />}>
        {isHelpOpen && <KeysHelp onClose={closeHelp} />}
      </Suspense>
      {isPaletteOpen && <Palette onClose={closePalette} />}
    </>
  );
}

/** No single key, so it works while somebody types, and stays when those are turned off. */
const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === "k";

/** A button that has opened a dialog says so before the dialog's code is there. */
const OPEN_OVER_PAGE =
  "dialog[open], [popover]:popover-open:not([role=tooltip]), [aria-haspopup=dialog][aria-expanded=true]";
const TYPED_INTO = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button])";

function isMeant(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !areKeysOn()) return false;
  if (event.target instanceof Element && event.target.closest(TYPED_INTO) !== null) return false;
  return document.querySelector(OPEN_OVER_PAGE) === null;
}

/** False for a key that has nothing to do here: the browser may have a use for it. */
function press(key: string): boolean {
  switch (key) {
    case "j":
    case "k":
      // Inside an open delivery they go to the next one.
      return pressControl(key, document.activeElement?.closest("[data-keys]") ?? null) || moveInRows(key);
    case "x":
      return pressControl(key, findRow());
    case "/":
    case "Escape":
      return pressControl(key, document);
    default:
      return false;
  }
}

function pressControl(key: string, scope: ParentNode | null): boolean {
  const controls = [...(scope?.querySelectorAll<HTMLElement>(`[aria-keyshortcuts="${key}"]`) ?? [])];
  // The last is the one that was opened last: a delivery beside its list.
  const control = controls.findLast((candidate) => candidate.checkVisibility());
  if (control === undefined) return false;
  const isField = control instanceof HTMLInputElement && control.type !== "checkbox";
  // The focus stays on the row whose checkbox is pressed, so that the next key moves on from there.
  if (!isField) control.click();
  else {
    control.focus();
    control.select();
  }
  return true;
}

const ROW_LINK = "main tbody a[data-row]";
const findRow = (): Element | null => document.activeElement?.closest("main tbody tr") ?? null;

function moveInRows(key: "j" | "k"): boolean {
  const links = [...document.querySelectorAll<HTMLElement>(ROW_LINK)];
  const row = findRow() ?? document.querySelector("main tbody tr[aria-current]");
  const at = links.findIndex((link) => link.closest("tr") === row);
  const next = at === -1 ? links[0] : links[at + (key === "j" ? 1 : -1)];
  next?.focus();
  // With room around it, so that the row is seen whole.
  next?.closest("tr")?.scrollIntoView({ block: "nearest" });
  return links.length > 0;
}
