/** A button with an icon alone. Its name is shown as a tooltip and read out; both are `label`. */
import clsx from "clsx";
import type { ComponentProps, ReactNode } from "react";
import { Tooltip } from "./tooltip.tsx";

interface Props extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  readonly label: string;
  readonly icon: ReactNode;
}

export function IconButton({ label, icon, className, ...rest }: Props) {
  return (
    <Tooltip content={label} isName>
      {() => (
        <button
          type="button"
          {...rest}
          aria-label={label}
          className={clsx(
            "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft [&_svg]:size-4",
            "transition-colors duration-100 hover:bg-hover hover:text-ink disabled:text-ink-faint",
            className,
          )}
        >
          {icon}
        </button>
      )}
    </Tooltip>
  );
}
