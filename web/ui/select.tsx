/** A choice from a list. The browser's own: right on phones, in dialogs, for every keyboard, and free. */
import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";

interface Props extends ComponentProps<"select"> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export function Select({ options, className, ...rest }: Props) {
  return (
    <span className={clsx("relative block min-w-0", className)}>
      <select {...rest} className="control min-h-9 appearance-none truncate pr-8">
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-ink-soft"
      />
    </span>
  );
}
