/** Every key that does something, in a dialog: behind `?`, and in the account's settings. */
import { useRef } from "react";
import { useKeysSetting } from "../browser-settings.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Switch } from "../ui/controls.tsx";

const KEYS: readonly { readonly title: string; readonly keys: readonly (readonly [keys: string, does: string])[] }[] = [
  {
    title: "Everywhere",
    keys: [
      ["Ctrl K", "Find a page, a webhook, a person or an id (⌘ K on a Mac)"],
      ["/", "Go to the search of the page, or find anything where it has none"],
      ["?", "Show these keys"],
    ],
  },
  {
    title: "In a list",
    keys: [
      ["j", "Next row"],
      ["k", "Row before"],
      ["Enter", "Open the row"],
      ["x", "Select the row, or not"],
      ["Shift + click", "Select all rows up to this one"],
    ],
  },
  {
    title: "In a search",
    keys: [["Esc", "Empty it"]],
  },
  {
    title: "With a delivery open",
    keys: [
      ["j", "Older delivery"],
      ["k", "Newer delivery"],
      ["Esc", "Close it"],
    ],
  },
];

export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  const [areOn, turn] = useKeysSetting();
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Keyboard"
      // The cross at the top has a tooltip, which would take the first Escape.
      initialFocus={close}
      footer={
        <Button ref={close} onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="space-y-5">
        {KEYS.map(({ title, keys }) => (
          <section key={title}>
            <h3 className="mb-1.5 font-medium text-ink">{title}</h3>
            <dl className="grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
              {keys.map(([key, does]) => (
                <div key={key} className="col-span-2 grid grid-cols-subgrid items-center">
                  <dt>
                    <kbd className={KBD}>{key}</kbd>
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <Switch
          label="Single-key shortcuts"
          help="Kept in this browser. Off, only the keys of the browser itself work; Enter and Esc are among them."
          checked={areOn}
          onChange={(event) => turn(event.target.checked)}
          className="border-t border-line pt-4 text-ink"
        />
      </div>
    </Dialog>
  );
}

const KBD =
  "inline-flex min-h-6 min-w-6 items-center justify-center rounded-md border border-line-strong bg-surface px-1.5 " +
  "font-mono text-xs text-ink";
