/** The values that a filter can have, one below the other. The chosen ones are marked with a tick. */
import clsx from "clsx";
import { Check, type LucideIcon } from "lucide-react";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly icon?: LucideIcon;
}

interface Props {
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly onChoose: (value: string) => void;
  /** More than one can be chosen: the popover around them stays open. */
  readonly isMany?: boolean;
}

export function Choices({ choices, chosen, onChoose, isMany = false }: Props) {
  const choose = (value: string, button: HTMLElement): void => {
    // It gives the focus back to the button that opened it.
    if (!isMany) button.closest<HTMLElement>("[popover]")?.hidePopover();
    onChoose(value);
  };
  return (
    <ul>
      {choices.map(({ value, label, icon: Icon }) => {
        const isOn = chosen.includes(value);
        return (
          <li key={value}>
            <button
              type="button"
              aria-pressed={isOn}
              onClick={(event) => choose(value, event.currentTarget)}
              onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
              className={clsx(
                "flex min-h-8 w-full items-center gap-2 rounded-md px-2 py-1 text-left text-ink outline-none",
                "focus:bg-hover focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent",
              )}
            >
              {Icon !== undefined && <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />}
              <span className="min-w-0 grow [overflow-wrap:anywhere]">{label}</span>
              {isOn && <Check aria-hidden="true" className="size-4 shrink-0 text-accent" />}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
